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
    /// What the bar counts.
    label: Mutex<&'static str>,
    /// Told before the first event of a run.
    headline: String,
}

impl Reporter {
    pub(super) fn new() -> Self {
        Self::headed(String::new())
    }

    /// A reporter that tells `headline` once a run has begun or gone on.
    pub(super) fn headed(headline: String) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:<10} {wide_bar} {pos}/{len}  {per_sec}  {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar, label: Mutex::new(""), headline }
    }

    /// Shows that `done` of `total` are done of what `label` names.
    pub(super) fn show(&self, label: &'static str, done: u64, total: u64) {
        let mut current = self.label.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let begins = *current != label || done <= 1;
        if begins {
            *current = label;
            self.bar.reset();
            self.bar.set_length(total);
            self.bar.set_message(label);
        }
        self.bar.set_position(done);
        if begins {
            // What was done before takes no part in the rate.
            self.bar.reset_eta();
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Reporter {
    fn event(&self, event: &Event) {
        let begins = matches!(event, Event::Started { .. } | Event::Resumed { .. });
        for line in begins.then(|| self.headline.clone()).into_iter().chain(report::line(event)) {
            // A run does not end because nobody reads along.
            self.bar.suspend(|| say(line).ok());
        }
    }

    fn warn(&self, warning: &str) {
        self.bar.suspend(|| caution(warning));
    }

    fn progress(&self, phase: Phase, done: u64, total: u64) {
        let label = match phase {
            Phase::SelfPlay => "self-play",
            Phase::Learning => "learning",
            Phase::Evaluation => "evaluation",
        };
        self.show(label, done, total);
    }
}
