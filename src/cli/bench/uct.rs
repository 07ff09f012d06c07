//! `plyzero bench uct`: simulations a second of UCT with random rollouts, on one core.
//!
//! Each round plays the first moves of games, every move by a fresh tree, so that early, middle and late positions count alike.
//! A figure is the median of the rounds. A search that ends early, since its game is over, is counted for what it did.

use serde::Serialize;

use super::stopwatch::{Elapsed, Stopwatch, median};
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::eval::Rollout;
use crate::game::{Entry, Game, Games, Position, Turn, Visit};
use crate::play::wording::{columns, grouped};
use crate::rng;
use crate::search::Budget;
use crate::search::mcts::{Driver, Rule, Tree, most_probable};

/// Rounds, each of a seed of its own.
const ROUNDS: u64 = 3;
/// Moves played of each game.
const MOVES: u32 = 8;
/// Seconds after which a round begins no further game.
const ROUND_SECONDS: f64 = 0.3;

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// A game; may be given several times [default: every game of the list].
    #[arg(long, value_name = "ID")]
    game: Vec<String>,
    /// Simulations a move.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    sims: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What a game's simulations cost.
#[derive(Serialize)]
struct Cost {
    game: String,
    simulations_per_move: u32,
    /// In all rounds.
    simulations: u64,
    simulations_per_second: f64,
    simulations_per_core_second: f64,
}

struct Bench(u32);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let all = games.ids();
    let wanted = if arguments.game.is_empty() { &all } else { &arguments.game };
    let mut costs = Vec::new();
    for game in wanted {
        costs.push(games.dispatch(game, &mut Bench(arguments.sims))?);
    }
    Ok(say(if arguments.json { serde_json::to_string_pretty(&costs)? } else { describe(&costs) })?)
}

impl Visit for Bench {
    type Output = Cost;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Cost {
        let (mut simulations, mut by_second, mut by_core_second) = (0, Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let (done, Elapsed { seconds, core_seconds }) = self.round(entry, round);
            simulations += done;
            by_second.push(done as f64 / seconds.max(f64::MIN_POSITIVE));
            by_core_second.push(done as f64 / core_seconds.max(f64::MIN_POSITIVE));
        }
        Cost {
            game: entry.game.facts().id.clone(),
            simulations_per_move: self.0,
            simulations,
            simulations_per_second: median(by_second),
            simulations_per_core_second: median(by_core_second),
        }
    }
}

impl Bench {
    /// The simulations of a round, and their time.
    fn round<G: Game>(&self, entry: &Entry<G>, round: u64) -> (u64, Elapsed) {
        let (watch, mut rng, mut done) = (Stopwatch::start(), rng::stream(round, "bench", 2), 0);
        loop {
            done += self.game(entry, &mut rng);
            let elapsed = watch.read();
            if elapsed.seconds >= ROUND_SECONDS {
                return (done, elapsed);
            }
        }
    }

    /// The simulations of the first moves of a game.
    fn game<G: Game>(&self, entry: &Entry<G>, rng: &mut rng::Rng) -> u64 {
        let (mut position, mut rollout, mut done) = (Position::initial(&entry.game), Rollout::new(&entry.game), 0);
        for _ in 0..MOVES {
            position.settle(rng);
            let Turn::Move(_) = position.turn() else { break };
            let seed = rand::Rng::next_u64(rng);
            let mut tree = Tree::new(&entry.game, Rule::Ucb1 { c: std::f32::consts::SQRT_2 }, position.state().clone(), seed);
            Driver { simulations: self.0, gather: 1 }.roll_out(&mut tree, &mut rollout, &mut Budget::default().start());
            done += u64::from(tree.simulations());
            position.play(most_probable(&tree.policy()));
        }
        done
    }
}

/// A table for people.
fn describe(costs: &[Cost]) -> String {
    let head = ["simulations/move", "simulations/s", "simulations/core second"].map(str::to_owned).to_vec();
    let row = |cost: &Cost| {
        let rates = [cost.simulations_per_second, cost.simulations_per_core_second].map(|rate| grouped(rate as u128));
        std::iter::once(cost.simulations_per_move.to_string()).chain(rates).collect()
    };
    let lines = columns(&std::iter::once(head).chain(costs.iter().map(row)).collect::<Vec<_>>());
    let names = std::iter::once("game").chain(costs.iter().map(|cost| cost.game.as_str()));
    lines.iter().zip(names).map(|(line, name)| format!("{line}  {name}")).collect::<Vec<_>>().join("\n")
}
