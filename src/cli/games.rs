//! `plyzero games`

use super::error::CliError;
use super::output::say;
use crate::game::{Entry, Game, Games, Visit};

struct Describe;

impl Visit for Describe {
    type Output = String;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> String {
        let facts = entry.game.facts();
        let [planes, height, width] = facts.planes;
        format!(
            "{:<14} {}; {} actions, {planes}x{height}x{width} planes, at most {} plies",
            facts.id, entry.summary, facts.actions, facts.max_plies
        )
    }
}

pub(super) fn run(games: &impl Games) -> Result<(), CliError> {
    let mut lines = Vec::new();
    games.each(&mut Describe, &mut lines);
    Ok(say(lines.join("\n"))?)
}
