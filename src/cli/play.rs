//! `plyzero play`

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use super::error::CliError;
use super::output::remark;
use super::{PlayArguments, replay};
use crate::agent::Builder;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::open_device;
use crate::play::Table;

/// A strength that no opponent has.
#[derive(Debug, thiserror::Error)]
#[error("--strength {strength}: {}", if *.steps == 0 { format!("{} has no ladder of opponents; choose one with --agent", .game) } else { format!("the ladder of {} has the strengths from 1 to {}", .game, .steps) })]
pub(super) struct InvalidStrength {
    game: String,
    strength: usize,
    steps: usize,
}

struct Play<'a>(&'a PlayArguments);

impl Visit for Play<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let device = open_device(&self.0.device)?;
        let builder = Builder { entry, device: &device, stop: None };
        let named = match self.0.strength {
            Some(strength) => Some(rung(entry, strength)?),
            None => self.0.agent.as_deref(),
        };
        let agent = builder.factory(named.unwrap_or(builder.suited()))?;
        let table = Table {
            game: Arc::clone(&entry.game),
            agent,
            human: self.0.side.into(),
            seed: self.0.seed,
            show_prompt: io::stdin().is_terminal(),
        };
        table.play(&mut io::stdin().lock(), &mut io::stdout().lock())?;
        Ok(())
    }
}

/// The opponent of the ladder of a game with this number, counted from 1.
fn rung<G: Game>(entry: &Entry<G>, strength: usize) -> Result<&'static str, CliError> {
    let (game, steps) = (entry.game.facts().id.clone(), entry.ladder.len());
    let rung = strength.checked_sub(1).and_then(|at| entry.ladder.get(at)).ok_or(InvalidStrength { game, strength, steps })?;
    remark(format_args!("strength {strength} of {steps}: {}, {} Elo above random play", rung.agent, rung.elo));
    Ok(rung.agent)
}

pub(super) fn run(games: &impl Games, arguments: &PlayArguments) -> Result<(), CliError> {
    let game = arguments.game.as_deref();
    match &arguments.replay {
        Some(file) if arguments.pgn => replay::print_pgn(games, file, game, arguments.game_number),
        Some(file) => replay::run(games, file, game, arguments.game_number),
        None => games.dispatch(game.unwrap_or_default(), &mut Play(arguments))?,
    }
}
