//! Progress for people: bars with rates and time left on a terminal, and a line an event.

use std::io::IsTerminal as _;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::{caution, say};
use super::report;
use crate::train::{Event, Observer, Phase};

/// Tells a person what happens.
pub(super) struct Reporter {
    bar: ProgressBar,
    phase: Mutex<Option<Phase>>,
}

impl Reporter {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:<10} {wide_bar} {pos}/{len}  {per_sec}  {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar, phase: Mutex::new(None) }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Reporter {
    fn event(&self, event: &Event) {
        if let Some(line) = report::line(event) {
            // A run does not end because nobody reads along.
            self.bar.suspend(|| say(line).ok());
        }
    }

    fn warn(&self, warning: &str) {
        self.bar.suspend(|| caution(warning));
    }

    fn progress(&self, phase: Phase, done: u64, total: u64) {
        let mut current = self.phase.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *current != Some(phase) || done <= 1 {
            *current = Some(phase);
            self.bar.reset();
            self.bar.set_length(total);
            self.bar.set_message(match phase {
                Phase::SelfPlay => "self-play",
                Phase::Learning => "learning",
                Phase::Evaluation => "evaluation",
            });
        }
        self.bar.set_position(done);
    }
}
