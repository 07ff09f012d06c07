//! `plyzero play`

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use super::error::CliError;
use super::{PlayArguments, replay};
use crate::agent::Builder;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::open_device;
use crate::play::Table;

struct Play<'a>(&'a PlayArguments);

impl Visit for Play<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let device = open_device(&self.0.device)?;
        let builder = Builder { entry, device: &device, stop: None };
        let agent = builder.factory(self.0.agent.as_deref().unwrap_or(builder.suited()))?;
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

pub(super) fn run(games: &impl Games, arguments: &PlayArguments) -> Result<(), CliError> {
    let game = arguments.game.as_deref();
    match &arguments.replay {
        Some(file) if arguments.pgn => replay::print_pgn(games, file, game, arguments.game_number),
        Some(file) => replay::run(games, file, game, arguments.game_number),
        None => games.dispatch(game.unwrap_or_default(), &mut Play(arguments))?,
    }
}
