//! `plyzero uci`

use std::io;
use std::sync::{Arc, Mutex};

use super::error::CliError;
use crate::agent::Builder;
use crate::agent::thinker::{Parallel, Thinker, TreeThinker};
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Device, open_device};
use crate::play::uci::{Output, Session, Settings};
use crate::search::mcts::Rule;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The game, which must have a notation that programs share.
    #[arg(long, value_name = "ID", default_value = "chess")]
    game: String,
    /// A network: then PUCT plays with it, and alpha-beta otherwise.
    #[arg(long, value_name = "NET")]
    net: Option<String>,
    /// MiB of alpha-beta's transposition table; the option Hash changes it.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Threads of alpha-beta; the option Threads changes them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// The seed of random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where the network runs: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
}

/// Leaves that are evaluated together.
const GATHER: usize = 8;

struct Uci<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Uci(arguments))?
}

impl Visit for Uci<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let Some(notation) = entry.notation.clone() else { return Err(CliError::NoProtocol(entry.game.facts().id.clone())) };
        let device = open_device(&self.0.device)?;
        let settings = Settings { hash_mib: self.0.hash as usize, threads: self.0.threads.into(), ..Settings::default() };
        let make = |settings: &Settings| self.thinker(entry, &device, settings);
        let output: Output = Arc::new(Mutex::new(io::stdout()));
        let session = Session { entry, notation, make: &make, settings };
        Ok(session.serve(io::stdin().lock(), &output)?)
    }
}

impl Uci<'_> {
    fn thinker<G: Game>(&self, entry: &Entry<G>, device: &Device, settings: &Settings) -> Result<Box<dyn Thinker<G>>, String> {
        let (game, seed) = (&entry.game, self.0.seed);
        let Some(path) = &self.0.net else {
            let parallel = Parallel::new(game, entry.knowledge.clone(), settings.threads, settings.hash_mib, seed);
            return parallel.map(|search| Box::new(search) as _).map_err(|error| error.to_string());
        };
        let builder = Builder { entry, device, stop: None };
        let network = builder.frozen(path, GATHER).map_err(|error| error.to_string())?;
        Ok(Box::new(TreeThinker::new(game, network, Rule::PLAY, GATHER, seed)))
    }
}
