//! `plyzero tune`

use std::path::PathBuf;

use super::error::CliError;
use super::output::say;
use crate::arena::{Archive, Archived, Ending};
use crate::game::{Entry, Game, Games, Lesson, Player, Turn, Visit};
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
    /// Share of how a game ended in what its positions are held to be worth, from 0 to 1; the rest is what the player to move expected, where that is known.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    results: f32,
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
        let Arguments { files, out, results, .. } = self.0;
        let mut lessons = Vec::new();
        for path in files {
            let (terms, games) = Archive::read(path)?;
            if terms.game != entry.game.facts().id {
                return Err(StorageError::damaged(path, format!("it holds games of {}", terms.game)).into());
            }
            for game in &games {
                let unknown = || StorageError::damaged(path, format!("game {} does not follow the rules", game.number));
                lessons.extend(taught(entry, game).ok_or_else(unknown)?);
            }
        }
        let fit = entry.knowledge.as_ref().and_then(|knowledge| knowledge.fit(&lessons, *results));
        let fit = fit.ok_or_else(|| CliError::NoWeights(entry.game.facts().id.clone()))?;
        write_atomic(&System, out, fit.table.as_bytes())?;
        let (all, quiet) = (grouped(lessons.len() as u128), grouped(fit.positions as u128));
        Ok(say(format!(
            "{quiet} quiet positions of {all}: in the last tenth the mean squared error of the points falls from {:.5} to {:.5}; the weights are in {}",
            fit.before,
            fit.after,
            out.display()
        ))?)
    }
}

/// What a game teaches after its opening; nothing where it was forfeited or did not end, and `None` where it does not follow the rules.
fn taught<G: Game>(entry: &Entry<G>, game: &Archived) -> Option<Vec<Lesson<G::State>>> {
    let Archived { opening, record, remarks, .. } = game;
    let (Ending::Over(_) | Ending::Adjudicated(_), Some(points)) = (&record.ending, record.score(Player::First)) else {
        return Some(Vec::new());
    };
    let mut position = entry.start(record.start.as_deref())?;
    let (mut lessons, mut remarks) = (Vec::new(), remarks.iter());
    for (ply, &step) in record.steps.iter().enumerate() {
        if ply >= *opening && matches!(position.turn(), Turn::Move(_)) {
            let expected = remarks.next().and_then(|remark| remark.value);
            lessons.push(Lesson { state: position.state().clone(), points: points as f32, expected });
        }
        if !position.allows(step) {
            return None;
        }
        position.take(step);
    }
    Some(lessons)
}

/// Reads a share.
fn share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "it must be a number from 0 to 1".to_owned())
}
