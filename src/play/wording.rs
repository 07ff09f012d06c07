//! Numbers, positions and endings in words and tables for people.

use crate::game::{Action, Facts, Game, Payoff, Player, Position};
use crate::search::{Candidate, Decision};

/// A number of plies: `1 ply`, `7 plies`.
#[must_use]
pub fn plies(count: usize) -> String {
    format!("{count} {}", if count == 1 { "ply" } else { "plies" })
}

/// A whole number with its digits in groups of three: `549,946`.
#[must_use]
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let is_start = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
    let letter = |(place, digit)| is_start(place).then_some(',').into_iter().chain([digit]);
    digits.chars().enumerate().flat_map(letter).collect()
}

/// A utility in [-1, 1], with its sign: `+0.53`.
#[must_use]
pub fn utility(utility: f32) -> String {
    let text = format!("{utility:+.2}");
    // What rounds to zero from below would keep its sign.
    if text == "-0.00" { "+0.00".to_owned() } else { text }
}

/// A probability in percent: `12.3 %`.
#[must_use]
pub fn percent(probability: f32) -> String {
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
    let mut rows = vec![JUDGED.map(str::to_owned).to_vec()];
    rows.extend(every_move(position, decision).iter().map(|candidate| {
        let value = candidate.value.map(|value| value.of(player));
        judged(position.game().label(position.state(), candidate.action), candidate.visits, candidate.prior, value)
    }));
    columns(&rows).join("\n") + "\n"
}

/// What is known of every legal move of `position`: what `decision` says, in its order, then the moves it is silent about.
#[must_use]
pub fn every_move<G: Game>(position: &Position<G>, decision: &Decision) -> Vec<Candidate> {
    let is_silent = |action: &Action| decision.candidates.iter().all(|candidate| candidate.action != *action);
    let silent = position.actions().into_iter().filter(is_silent).map(Candidate::new);
    decision.candidates.iter().cloned().chain(silent).collect()
}

/// The heads of the columns that [`judged`] fills.
pub const JUDGED: [&str; 4] = ["move", "visits", "prior", "value"];

/// A row about a move: its label, visits, prior and value; `-` for what is not known.
#[must_use]
pub fn judged(label: String, visits: Option<u32>, prior: Option<f32>, value: Option<f32>) -> Vec<String> {
    vec![label, known(visits, |visits| visits.to_string()), known(prior, percent), known(value, utility)]
}

/// `figure` in words, or `-`.
pub fn known<T>(figure: Option<T>, word: impl Fn(T) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), word)
}

/// Rows of cells as lines: each column flush right and as wide as its widest cell, six letters at least; two blanks between
/// columns.
#[must_use]
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let length = |cell: &String| cell.chars().count();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or(0).max(6);
    let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0)).map(widest).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        cells.join("  ")
    };
    rows.iter().map(line).collect()
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
