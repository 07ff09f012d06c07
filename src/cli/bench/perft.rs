//! `plyzero bench perft`: the ways to play on from a position, ply by ply, and how fast the rules count them.

use serde::Serialize;

use super::stopwatch::Stopwatch;
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::cli::place::Place;
use crate::game::{Entry, Game, Games, Position, Visit, census};
use crate::play::wording::{columns, grouped};

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The game; `plyzero games` lists them.
    #[arg(long, value_name = "ID")]
    game: String,
    #[command(flatten)]
    place: Place,
    /// The greatest number of plies.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=32))]
    depth: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// The ways to play so many plies; of the last of them it is counted, not played.
#[derive(Serialize)]
struct Count {
    plies: u32,
    ways: u64,
    core_seconds: f64,
    ways_per_core_second: f64,
}

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let counts = games.dispatch(&arguments.game, &mut Bench(arguments))??;
    Ok(say(if arguments.json { serde_json::to_string_pretty(&counts)? } else { describe(&counts) })?)
}

struct Bench<'a>(&'a Arguments);

impl Visit for Bench<'_> {
    type Output = Result<Vec<Count>, CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Self::Output {
        let Arguments { place, depth, .. } = self.0;
        let start = if place.is_initial() { Position::initial(&entry.game) } else { place.find(entry)?.0 };
        let count = |plies| {
            let watch = Stopwatch::start();
            let ways = census::perft(entry.game.as_ref(), start.state(), plies);
            let core_seconds = watch.read().core_seconds;
            Count { plies, ways, core_seconds, ways_per_core_second: ways as f64 / core_seconds.max(f64::MIN_POSITIVE) }
        };
        Ok((1..=*depth).map(count).collect())
    }
}

/// A table for people.
fn describe(counts: &[Count]) -> String {
    let head = ["plies", "ways", "core seconds", "ways/core second"].map(str::to_owned).to_vec();
    let row = |count: &Count| {
        vec![
            count.plies.to_string(),
            grouped(count.ways.into()),
            format!("{:.3}", count.core_seconds),
            grouped(count.ways_per_core_second as u128),
        ]
    };
    columns(&std::iter::once(head).chain(counts.iter().map(row)).collect::<Vec<_>>()).join("\n")
}
