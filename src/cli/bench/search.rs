//! `plyzero bench search`

use std::time::Instant;

use super::report::{Report, Row, Subject};
use super::techniques::{self, Technique};
use super::trees;
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::cli::place::Place;
use crate::game::{Entry, Game, Games, Position, Turn, Visit};
use crate::rng;
use crate::search::Budget;

/// Moves of a game that is not searched to its end; fewer where results of chance come between.
const DEPTH: u32 = 6;
const CHANCE_DEPTH: u32 = 3;

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The game; `plyzero games` lists them.
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Depth in plies [default: to the end of games small enough to visit every position, else 6, or 3 with chance].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes after which a search is given up.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

struct Bench<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let first = games.ids().first().cloned().unwrap_or_default();
    let subject = games.dispatch(arguments.game.as_ref().unwrap_or(&first), &mut Bench(arguments))??;
    let whole = arguments.game.is_none();
    let report = Report {
        subject,
        uniform: if whole { trees::uniform()? } else { Vec::new() },
        dice: if whole { trees::dice()? } else { Vec::new() },
        maxn: if whole { trees::maxn()? } else { Vec::new() },
    };
    let text = if arguments.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
    Ok(say(text.trim_end())?)
}

impl Visit for Bench<'_> {
    type Output = Result<Subject, CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<Subject, CliError> {
        let (start, moves) = self.position(entry)?;
        let longest = u32::try_from(entry.game.facts().max_plies).unwrap_or(u32::MAX);
        let left = longest.saturating_sub(u32::try_from(moves.len()).unwrap_or(longest)).max(1);
        let depth = self
            .0
            .depth
            .unwrap_or(if entry.enumerable {
                left
            } else if entry.game.facts().chance {
                CHANCE_DEPTH
            } else {
                DEPTH
            })
            .min(left);
        let budget = Budget { depth: Some(depth), nodes: Some(self.0.nodes), ..Budget::default() };
        let rows = techniques::of(entry).into_iter().map(|technique| measure(technique, start.state(), &budget));
        Ok(Subject { game: entry.game.facts().id.clone(), moves, depth, rows: rows.collect() })
    }
}

impl Bench<'_> {
    /// The position to search, in which a player is to move, and the labels of the moves that lead to it.
    fn position<G: Game>(&self, entry: &Entry<G>) -> Result<(Position<G>, Vec<String>), CliError> {
        if !self.0.place.is_initial() {
            return self.0.place.find(entry);
        }
        let mut start = Position::initial(&entry.game);
        // Where chance acts first, let it.
        start.settle(&mut rng::stream(1, "bench", 0));
        match start.turn() {
            Turn::Move(_) => Ok((start, Vec::new())),
            Turn::Chance | Turn::Over(_) => Err(CliError::NothingToSearch { game: entry.game.facts().id.clone() }),
        }
    }
}

/// One search, and the time it took.
fn measure<G: Game>(mut technique: Technique<G>, state: &G::State, budget: &Budget) -> Row {
    let begun = Instant::now();
    let found = (technique.search)(state, budget, &mut rng::stream(1, "bench", 1));
    let seconds = begun.elapsed().as_secs_f64();
    let finished = budget.nodes.is_none_or(|limit| found.nodes < limit);
    Row {
        technique: technique.name,
        nodes: found.nodes,
        finished,
        seconds,
        nodes_per_second: found.nodes as f64 / seconds.max(f64::MIN_POSITIVE),
        branching: budget.depth.filter(|_| finished).map(|depth| branching(found.nodes, depth)),
        value: found.value.filter(|_| finished).map(|payoff| payoff.0),
    }
}

/// The effective branching factor: the b for which a uniform tree of that depth has so many nodes, 1 + b + ... + b^depth.
fn branching(nodes: u64, depth: u32) -> f64 {
    let size = |b: f64| (0..depth).fold(1.0, |size, _| 1.0 + b * size);
    let (mut low, mut high) = (0.0, nodes as f64);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if size(middle) < nodes as f64 { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_branching_factor_of_a_uniform_tree_is_its_branching_factor() {
        for (nodes, depth, wanted) in [(1 + 3 + 9 + 27, 3, 3.0), (11, 10, 1.0), (1 + 40, 1, 40.0)] {
            assert!((branching(nodes, depth) - wanted).abs() < 1e-9);
        }
    }
}
