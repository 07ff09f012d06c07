//! `plyzero tune`

use std::path::PathBuf;

use super::error::CliError;
use super::output::say;
use crate::arena::{Archive, Ending, GameRecord};
use crate::game::{Entry, Game, Games, Player, Step, Turn, Visit};
use crate::play::wording::grouped;
use crate::storage::{StorageError, System, write_atomic};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of tournaments, whose games tell what positions are worth.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The game, whose evaluation must be a weighted sum.
    #[arg(long, value_name = "ID", default_value = "chess")]
    game: String,
    /// The file to write the weights to; `alpha-beta:weights=FILE` plays with them.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

struct Tune<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Tune(arguments))?
}

impl Visit for Tune<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let Arguments { files, out, .. } = self.0;
        let mut positions = Vec::new();
        for path in files {
            let (terms, games) = Archive::read(path)?;
            if terms.game != entry.game.facts().id {
                return Err(StorageError::damaged(path, format!("it holds games of {}", terms.game)).into());
            }
            games.iter().for_each(|game| positions.extend(judged(entry, game.opening, &game.record)));
        }
        let fit = entry.knowledge.as_ref().and_then(|knowledge| knowledge.fit(&positions));
        let fit = fit.ok_or_else(|| CliError::NoWeights(entry.game.facts().id.clone()))?;
        write_atomic(&System, out, fit.table.as_bytes())?;
        let (all, quiet) = (grouped(positions.len() as u128), grouped(fit.positions as u128));
        Ok(say(format!(
            "{quiet} quiet positions of {all}: in the last tenth the mean squared error of the points falls from {:.5} to {:.5}; the weights are in {}",
            fit.before,
            fit.after,
            out.display()
        ))?)
    }
}

/// The positions of a game after its opening in which somebody is to move, with the points of the first player; none of a game that was forfeited or did not end.
fn judged<G: Game>(entry: &Entry<G>, opening: usize, record: &GameRecord) -> Vec<(G::State, f32)> {
    let (Ending::Over(_) | Ending::Adjudicated(_), Some(points)) = (&record.ending, record.score(Player::First)) else {
        return Vec::new();
    };
    let Some(mut position) = entry.start(record.start.as_deref()) else { return Vec::new() };
    let mut found = Vec::new();
    for (ply, &step) in record.steps.iter().enumerate() {
        if ply >= opening && matches!(position.turn(), Turn::Move(_)) {
            found.push((position.state().clone(), points as f32));
        }
        match step {
            Step::Move(action) if position.actions().contains(&action) => position.play(action),
            Step::Chance(outcome) if position.outcomes().contains(&outcome) => position.roll(outcome),
            // Games of other rules teach nothing.
            Step::Move(_) | Step::Chance(_) => return Vec::new(),
        }
    }
    found
}
