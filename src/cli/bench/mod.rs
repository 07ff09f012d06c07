//! `plyzero bench`: the only commands that measure time for its own sake.

mod net;
mod perft;
mod report;
mod search;
mod self_play;
mod settings;
mod solver;
mod stopwatch;
mod techniques;
mod train;
mod trees;
mod uct;

use super::error::CliError;
use crate::game::Games;

#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Measure what each technique of classical search saves: nodes, time, effective branching factor. Without a game it takes
    /// the first of the list, and adds trees whose counts are known.
    Search(search::Arguments),
    /// Count the ways to play on from a position, ply by ply, and measure how fast the rules do.
    Perft(perft::Arguments),
    /// Measure frozen networks on one core: positions a second at several sizes and batches.
    Net(net::Arguments),
    /// Measure the solver of four in a row on the sets of test positions: time and nodes a position.
    Solver(solver::Arguments),
    /// Measure UCT with random rollouts on one core: simulations a second.
    Uct(uct::Arguments),
    /// Measure self-play beside what its network does alone: simulations, positions and games a second.
    #[command(name = "selfplay")]
    SelfPlay(self_play::Arguments),
    /// Measure training: positions a second at several sizes.
    Train(train::Arguments),
}

pub(super) fn run(games: &impl Games, command: &Command) -> Result<(), CliError> {
    match command {
        Command::Search(arguments) => search::run(games, arguments),
        Command::Perft(arguments) => perft::run(games, arguments),
        Command::Net(arguments) => net::run(arguments),
        Command::Solver(arguments) => solver::run(arguments),
        Command::Uct(arguments) => uct::run(games, arguments),
        Command::SelfPlay(arguments) => self_play::run(games, arguments),
        Command::Train(arguments) => train::run(games, arguments),
    }
}
