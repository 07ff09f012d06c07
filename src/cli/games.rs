//! `plyzero games`

use std::fmt::Write as _;

use super::error::CliError;
use super::output::say;
use crate::game::{Entry, Game, Games, Visit};

struct Describe;

impl Visit for Describe {
    type Output = String;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> String {
        let facts = entry.game.facts();
        let [planes, height, width] = facts.planes;
        let mut text = format!(
            "{:<18} {}; {} actions, {planes}x{height}x{width} planes, at most {} plies",
            facts.id, entry.summary, facts.actions, facts.max_plies
        );
        for option in &entry.options {
            let _ = write!(text, "\n{:<18} {option}", "");
        }
        text
    }
}

pub(super) fn run(games: &impl Games) -> Result<(), CliError> {
    let mut lines = Vec::new();
    games.each(&mut Describe, &mut lines);
    Ok(say(lines.join("\n"))?)
}
