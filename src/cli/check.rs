//! `plyzero check`

use super::error::CliError;
use super::output::say;
use crate::game::conformance::{Report, check};
use crate::game::{Entry, Game, Games, Visit};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The game, perhaps with options, as in hex:size=5; `plyzero games` lists them.
    game: String,
    /// Random games on whose positions the properties are tried.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The seed of the random games.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

struct Check<'a>(&'a Arguments);

impl Visit for Check<'_> {
    type Output = Report;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Report {
        check(entry, self.0.games, self.0.seed)
    }
}

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let report = games.dispatch(&arguments.game, &mut Check(arguments))?;
    say(&report)?;
    let (broken, tried) = (report.violated().count(), report.properties.len());
    if broken == 0 { Ok(()) } else { Err(CliError::Unsound { game: report.game, broken, tried }) }
}
