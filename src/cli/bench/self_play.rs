//! `plyzero bench selfplay`: what games of a network against itself cost, beside what the network alone does.
//!
//! The network is untrained: its numbers are those of the seed, and its games take as long as others. With the cache off, every
//! simulation that ends at a new position is an inference, but for those that the rules decide.

use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::settings;
use super::stopwatch::{Elapsed, Stopwatch};
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::eval::{Evaluator as _, Recalls};
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Architecture, Frozen, Network, NetworkEvaluator, open_device};
use crate::play::wording::grouped;
use crate::train::{SelfPlay, Starts};

/// Batches of the network alone that are measured.
const BATCHES: usize = 200;

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The game; `plyzero games` lists them [default: the first].
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Channels of the network's trunk.
    #[arg(long, value_name = "C", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    channels: u32,
    /// Residual blocks of the network.
    #[arg(long, value_name = "B", default_value_t = 5, value_parser = clap::value_parser!(u32).range(..=256))]
    blocks: u32,
    /// Simulations a move.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    sims: u32,
    /// Games.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Worker threads.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Evaluations that one worker remembers; 0 is none.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1 << 26))]
    cache: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Serialize)]
struct Report {
    game: String,
    channels: usize,
    blocks: usize,
    simulations_per_move: u32,
    threads: u32,
    games: usize,
    seconds: f64,
    simulations_per_second: f64,
    simulations_per_core_second: f64,
    /// Searched positions, which are what is learned from.
    positions_per_second: f64,
    games_per_second: f64,
    /// Positions looked for in memory, and those found.
    cache_asked: u64,
    cache_found: u64,
    /// Positions a second of the network alone, on one core.
    inferences_per_core_second: f64,
    /// Simulations a core second over that.
    share_of_inference: f64,
}

struct Bench<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let first = games.ids().first().cloned().unwrap_or_default();
    let report = games.dispatch(arguments.game.as_ref().unwrap_or(&first), &mut Bench(arguments))??;
    Ok(say(if arguments.json { serde_json::to_string_pretty(&report)? } else { describe(&report) })?)
}

impl Visit for Bench<'_> {
    type Output = Result<Report, CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<Report, CliError> {
        let arguments = self.0;
        let config = settings::with(
            entry,
            &[
                ("network.channels", &arguments.channels),
                ("network.blocks", &arguments.blocks),
                ("self_play.simulations", &arguments.sims),
                ("self_play.games", &arguments.games),
                ("self_play.cache", &arguments.cache),
            ],
        )?;
        let (architecture, device) = (Architecture::new(entry.game.facts(), &config.network), open_device("cpu")?);
        let network = Network::new(&architecture, config.train.seed, &device);
        let network = Frozen::new(&network, &architecture, config.self_play.batch, &device);
        let job = SelfPlay { game: &entry.game, config: &config, network: &network, iteration: 0, starts: &Starts::new() };
        let (mut simulations, mut positions, mut games) = (0, 0, 0);
        let watch = Stopwatch::start();
        let ids: Vec<u64> = (0..arguments.games.into()).collect();
        let Recalls { asked, found } = job.play(&ids, arguments.threads as usize, &AtomicBool::new(false), &mut |record| {
            let searched = record.plies.iter().filter(|ply| !ply.visits.is_empty());
            positions += searched.clone().count();
            simulations += searched.flat_map(|ply| &ply.visits).map(|(_, visits)| u64::from(*visits)).sum::<u64>();
            games += 1;
            Ok(())
        })?;
        let Elapsed { seconds, core_seconds } = watch.read();
        let (raw, by_core) = (raw(entry, &network), simulations as f64 / core_seconds.max(f64::MIN_POSITIVE));
        let a_second = |count: f64| count / seconds.max(f64::MIN_POSITIVE);
        Ok(Report {
            game: entry.game.facts().id.clone(),
            channels: config.network.channels,
            blocks: config.network.blocks,
            simulations_per_move: arguments.sims,
            threads: arguments.threads,
            games,
            seconds,
            simulations_per_second: a_second(simulations as f64),
            simulations_per_core_second: by_core,
            positions_per_second: a_second(positions as f64),
            games_per_second: a_second(games as f64),
            cache_asked: asked,
            cache_found: found,
            inferences_per_core_second: raw,
            share_of_inference: by_core / raw,
        })
    }
}

/// Positions a core second of the network alone, encoding and softening included.
fn raw<G: Game>(entry: &Entry<G>, network: &Frozen) -> f64 {
    let leaves = vec![entry.game.initial(); network.batch()];
    let mut evaluator = NetworkEvaluator::new(&entry.game, network.clone());
    let mut evaluations = Vec::new();
    let watch = Stopwatch::start();
    for _ in 0..BATCHES {
        evaluations.clear();
        evaluator.evaluate(&leaves, &mut evaluations);
    }
    (BATCHES * leaves.len()) as f64 / watch.read().core_seconds.max(f64::MIN_POSITIVE)
}

/// Lines for people.
fn describe(report: &Report) -> String {
    let Report { game, channels, blocks, simulations_per_move, threads, games, seconds, cache_asked, cache_found, .. } = report;
    let rate = |rate: f64| grouped(rate as u128);
    let found = if *cache_asked > 0 { 100.0 * *cache_found as f64 / *cache_asked as f64 } else { 0.0 };
    [
        format!("{game}, {channels} channels, {blocks} blocks, {simulations_per_move} simulations a move, {threads} threads"),
        format!("{games} games in {seconds:.1} s: {:.2} games/s", report.games_per_second),
        format!("{:>12} simulations/s", rate(report.simulations_per_second)),
        format!("{:>12} simulations/core second", rate(report.simulations_per_core_second)),
        format!("{:>12} positions/s to learn from", rate(report.positions_per_second)),
        format!("{:>12} inferences/core second of the network alone", rate(report.inferences_per_core_second)),
        format!("{:>11.1}% of these are what simulations reach", 100.0 * report.share_of_inference),
        format!("{found:>11.1}% of positions were remembered"),
    ]
    .join("\n")
}
