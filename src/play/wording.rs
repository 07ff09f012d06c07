//! Numbers, positions and endings in words for people.

use crate::game::{Action, Facts, Game, Payoff, Player, Position};
use crate::search::Decision;

/// A number of plies: `1 ply`, `7 plies`.
pub(super) fn plies(count: usize) -> String {
    format!("{count} {}", if count == 1 { "ply" } else { "plies" })
}

/// A utility in [-1, 1], with its sign: `+0.53`.
pub(super) fn utility(utility: f32) -> String {
    let text = format!("{utility:+.2}");
    // What rounds to zero from below would keep its sign.
    if text == "-0.00" { "+0.00".to_owned() } else { text }
}

/// A probability in percent: `12.3 %`.
pub(super) fn percent(probability: f32) -> String {
    format!("{:.1} %", 100.0 * probability)
}

/// What `decision` says of its own move: ` (value +0.53 for you, 212 visits)`, or nothing.
pub(super) fn judgement(decision: &Decision, player: Player, whom: &str) -> String {
    let visits =
        decision.candidates.iter().find(|candidate| candidate.action == decision.action).and_then(|candidate| candidate.visits);
    let value = decision.value.map(|value| format!("value {} for {whom}", utility(value.of(player))));
    let visits = visits.map(|visits| format!("{visits} {}", if visits == 1 { "visit" } else { "visits" }));
    let parts: Vec<String> = value.into_iter().chain(visits).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The labels of the legal moves, separated by blanks.
pub(super) fn moves<G: Game>(position: &Position<G>) -> String {
    let labels: Vec<String> = position.actions().iter().map(|&action| position.game().label(position.state(), action)).collect();
    labels.join(" ")
}

/// A line for every legal move, those that `decision` speaks of first and in its order: visits, prior, and value for `player`,
/// who is to move.
pub(super) fn table<G: Game>(position: &Position<G>, decision: &Decision, player: Player) -> String {
    let label = |action: Action| position.game().label(position.state(), action);
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut text = row(["move", "visits", "prior", "value"]);
    let mut silent = position.actions();
    for candidate in &decision.candidates {
        let visits = candidate.visits.map(|visits| visits.to_string());
        let value = candidate.value.map(|value| utility(value.of(player)));
        text += &row([&label(candidate.action), &known(visits), &known(candidate.prior.map(percent)), &known(value)]);
        silent.retain(|&action| action != candidate.action);
    }
    for action in silent {
        text += &row([&label(action), "-", "-", "-"]);
    }
    text
}

fn row([label, visits, prior, value]: [&str; 4]) -> String {
    format!("{label:>6} {visits:>8} {prior:>8} {value:>7}\n")
}

/// How a game ended for `human` against the agent called `agent`.
pub(super) fn ending(facts: &Facts, payoff: Payoff, human: Player, agent: &str, length: usize) -> String {
    let (own, other) = (payoff.of(human), payoff.of(human.other()));
    let length = plies(length);
    let result = if own > other {
        format!("You win after {length}.")
    } else if own < other {
        format!("{agent} wins after {length}.")
    } else {
        format!("A draw after {length}.")
    };
    // Where there is more than winning and losing, the figures say what the words do not.
    if facts.wdl { result } else { format!("{result} Utility: {} for you, {} for {agent}.", utility(own), utility(other)) }
}
