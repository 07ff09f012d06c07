//! `plyzero games`

use std::fmt::Write as _;

use super::error::CliError;
use super::output::say;
use crate::game::{Entry, Game, Games, Visit, census};
use crate::play::wording::grouped;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Games, perhaps with options, as in hex:size=3 [default: all].
    games: Vec<String>,
    /// Count the positions and games of each, or estimate them by random play where there are too many to visit.
    #[arg(long)]
    count: bool,
}

/// Positions of the largest game that is counted.
const MOST_POSITIONS: usize = 10_000_000;
/// Random games of an estimate, and their seed.
const RANDOM_GAMES: u64 = 1_000;
const SEED: u64 = 1;

/// What there is to tell of each game.
enum Tell {
    Description,
    Count,
}

impl Visit for Tell {
    type Output = String;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> String {
        let what = match self {
            Tell::Description => describe(entry),
            Tell::Count => count(entry),
        };
        format!("{:<18} {what}", entry.game.facts().id)
    }
}

fn describe<G: Game>(entry: &Entry<G>) -> String {
    let facts = entry.game.facts();
    let [planes, height, width] = facts.planes;
    let mut text = format!(
        "{}; {} actions, {planes}x{height}x{width} planes, at most {} plies",
        entry.summary, facts.actions, facts.max_plies
    );
    for (rung, strength) in entry.ladder.iter().zip(1..) {
        let _ = write!(text, "\n{:<18} strength {strength}: {}, {} Elo above random play", "", rung.agent, rung.elo);
    }
    for option in &entry.options {
        let _ = write!(text, "\n{:<18} {option}", "");
    }
    text
}

fn count<G: Game>(entry: &Entry<G>) -> String {
    let game = entry.game.as_ref();
    match entry.enumerable.then(|| census::count(game, MOST_POSITIONS)).flatten() {
        Some(found) => format!(
            "{} positions, {} up to symmetry; {} games",
            grouped(found.positions as u128),
            grouped(found.classes as u128),
            grouped(found.games)
        ),
        None => {
            let found = census::estimate(game, RANDOM_GAMES, SEED);
            format!(
                "in {} random games b = {:.1} moves a position, d = {:.1} plies a game; b^d is about 10^{:.1}",
                grouped(RANDOM_GAMES.into()),
                found.branching,
                found.plies,
                found.digits()
            )
        }
    }
}

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let mut tell = if arguments.count { Tell::Count } else { Tell::Description };
    let mut lines = Vec::new();
    if arguments.games.is_empty() {
        games.each(&mut tell, &mut lines);
    }
    for game in &arguments.games {
        lines.push(games.dispatch(game, &mut tell)?);
    }
    Ok(say(lines.join("\n"))?)
}
