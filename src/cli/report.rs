//! Events and measurements in words, a line each.

use crate::arena::accuracy::Accuracy;
use crate::arena::{MatchResult, Tally};
use crate::train::{Event, Finding, Iteration};

/// A line about an event, where there is something to say.
pub(super) fn line(event: &Event) -> Option<String> {
    match event {
        Event::Started { parameters, seed, .. } => Some(format!("a network of {parameters} numbers, seed {seed}")),
        Event::Resumed { iteration, .. } => Some(format!("going on after iteration {iteration}")),
        Event::Iteration(done) => Some(iteration(done)),
        Event::Warning { symptom, .. } => Some(format!("    warning: {}", symptom.advice())),
        Event::Evaluation { finding: Finding::Match { player, opponent, result }, .. } => Some(contest(player, opponent, result)),
        Event::Evaluation { finding: Finding::Accuracy { player, accuracy: found, .. }, .. } => Some(accuracy(player, found)),
        Event::Best { iteration, share } => {
            Some(format!("    best network so far: iteration {iteration}, {:.1} % of the points", 100.0 * share))
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
        100.0 * done.first_win_share,
        100.0 * done.draw_share,
        done.steps,
        done.policy_loss,
        done.value_loss,
        done.self_play_seconds,
        done.learn_seconds,
    )
}

/// A line about a match.
pub(super) fn contest(player: &str, opponent: &str, result: &MatchResult) -> String {
    let side = |tally: &Tally| format!("{}-{}-{}", tally.wins, tally.draws, tally.losses);
    let share = result.share.map_or("no finished game".to_owned(), |share| {
        format!("{:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * share.value, 100.0 * share.low, 100.0 * share.high)
    });
    let mut text = format!(
        "    {player} against {opponent}: {share}; wins-draws-losses {} as first, {} as second; {} games, {} distinct, {} openings",
        side(&result.as_first),
        side(&result.as_second),
        result.games,
        result.distinct,
        result.openings
    );
    for (count, what) in [(result.unfinished, "unfinished"), (result.adjudicated, "adjudicated"), (result.forfeits, "forfeited")]
    {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    text
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
