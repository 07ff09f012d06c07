//! What a person sees of a run: bars with rates and time left on a terminal, plain lines otherwise.

use std::io::IsTerminal as _;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::say;
use crate::arena::MatchResult;
use crate::arena::accuracy::Accuracy;
use crate::train::{Event, Finding, Iteration, Observer, Phase};

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
        if let Some(line) = line(event) {
            // A run does not end because nobody reads along.
            self.bar.suspend(|| say(line).ok());
        }
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

fn line(event: &Event) -> Option<String> {
    match event {
        Event::Started { parameters, seed, .. } => Some(format!("a network of {parameters} numbers, seed {seed}")),
        Event::Iteration(done) => Some(iteration(done)),
        Event::Evaluation { finding: Finding::Match { player, opponent, result }, .. } => Some(contest(player, opponent, result)),
        Event::Evaluation { finding: Finding::Accuracy { player, accuracy: found }, .. } => Some(accuracy(player, found)),
        Event::Best { iteration, points } => {
            Some(format!("    best network so far: iteration {iteration}, {:.1} % of the points", 100.0 * points))
        }
        Event::Finished { iterations, seconds } => Some(format!("{iterations} iterations in {}", duration(*seconds))),
    }
}

fn iteration(done: &Iteration) -> String {
    format!(
        "{:>4} {:>6}  {} games of {:.1} plies, first wins {:.0} %, draws {:.0} %; {} steps, policy loss {:.3}, value loss {:.3}; {:.1} + {:.1} s",
        done.iteration,
        duration(done.seconds),
        done.games,
        done.mean_plies,
        100.0 * done.first_wins,
        100.0 * done.draws,
        done.steps,
        done.policy_loss,
        done.value_loss,
        done.self_play_seconds,
        done.learn_seconds,
    )
}

/// A line about a match.
pub(super) fn contest(player: &str, opponent: &str, result: &MatchResult) -> String {
    let side = |tally: &crate::arena::Tally| format!("{}-{}-{}", tally.wins, tally.draws, tally.losses);
    let share = result.share.map_or("no finished game".to_owned(), |share| {
        format!("{:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * share.value, 100.0 * share.low, 100.0 * share.high)
    });
    format!(
        "    {player} against {opponent}: {share}; wins-draws-losses {} as first, {} as second; {} games, {} distinct",
        side(&result.as_first),
        side(&result.as_second),
        result.games,
        result.distinct
    )
}

/// A line about agreement with perfect play.
pub(super) fn accuracy(player: &str, found: &Accuracy) -> String {
    format!(
        "    {player} against perfect play: keeps the value in {:.2} % of {} positions, {:.2} % of the {} critical ones; strongest move {:.2} %",
        100.0 * found.value_preserving,
        found.positions,
        100.0 * found.value_preserving_critical,
        found.critical,
        100.0 * found.strongest
    )
}

fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}
