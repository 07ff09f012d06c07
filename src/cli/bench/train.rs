//! `plyzero bench train`: positions a second that a learner trains on: encoding, forwards, backwards, the optimizer's step.
//!
//! The networks have the sizes of the reference networks of `plyzero bench net`, for the planes and moves of the game. Their positions come from
//! a few games of nearly random moves. How many parts a batch has decides how many threads it can take.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;

use super::net::{SIZES, heads, operations};
use super::report::table;
use super::settings;
use super::stopwatch::{Elapsed, Stopwatch, median};
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::cli::progress::Reporter;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Architecture, Frozen, Kernel, Network, open_device};
use crate::play::wording::grouped;
use crate::train::{Draw, Learner, Replay, SelfPlay, Starts, samples};

/// Games whose positions are trained on.
const GAMES: u64 = 64;
/// Seconds a measurement; of several the median counts.
const SECONDS: f64 = 0.5;
const REPEATS: u64 = 3;

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The game; `plyzero games` lists them [default: the first].
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Channels of the trunk [default: the reference networks].
    #[arg(long, value_name = "C", requires = "blocks", value_parser = clap::value_parser!(u32).range(1..=4096))]
    channels: Option<u32>,
    /// Residual blocks.
    #[arg(long, value_name = "B", requires = "channels", value_parser = clap::value_parser!(u32).range(0..=256))]
    blocks: Option<u32>,
    /// Positions a step.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// Parts of a batch whose gradients are computed apart.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    shards: u32,
    /// How the sums of convolutions are normalised.
    #[arg(long, value_name = "NORM", default_value = "batch", value_parser = ["batch", "none"])]
    norm: String,
    /// Threads.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Everything measured.
#[derive(Serialize)]
struct Report {
    game: String,
    /// What computed it; the environment variable `PLYZERO_KERNEL` names another.
    kernel: &'static str,
    batch: u32,
    shards: u32,
    norm: String,
    threads: u32,
    rates: Vec<Rate>,
}

/// How fast a learner trains a network.
#[derive(Serialize)]
struct Rate {
    channels: u32,
    blocks: u32,
    positions_per_second: f64,
    positions_per_core_second: f64,
    /// Thousand millions of floating-point operations a core second: three times those of judging the positions, as is usual.
    gflops: f64,
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
        let Arguments { batch, shards, threads, .. } = *self.0;
        // Whether the kernel can be had is asked where networks are opened.
        open_device("cpu")?;
        let kernel = Kernel::of_process().unwrap_or_else(|_| Kernel::fastest());
        let sizes = self.0.channels.zip(self.0.blocks).map_or(SIZES.to_vec(), |size| vec![size]);
        let (window, reporter) = (window(entry)?, Reporter::new());
        let mut rates = Vec::new();
        for &(channels, blocks) in &sizes {
            reporter.show("measuring", rates.len() as u64, sizes.len() as u64);
            rates.push(self.measure(entry, &window, channels, blocks)?);
        }
        reporter.finish();
        let (game, norm) = (entry.game.facts().id.clone(), self.0.norm.clone());
        Ok(Report { game, kernel: kernel.name(), batch, shards, norm, threads, rates })
    }
}

/// Positions of games in which a tiny network looks at each move once.
fn window<G: Game>(entry: &Entry<G>) -> Result<Replay<G::State>, CliError> {
    let tiny: [(&str, &dyn std::fmt::Display); 5] = [
        ("network.channels", &4),
        ("network.blocks", &0),
        ("self_play.simulations", &16),
        ("self_play.games", &GAMES),
        ("replay.window", &100_000),
    ];
    let (config, device) = (settings::with(entry, &tiny)?, open_device("cpu")?);
    let architecture = Architecture::new(entry.game.facts(), &config.network);
    let network = Network::new(&architecture, config.train.seed, &device);
    let network = Frozen::new(&network, &architecture, config.self_play.batch, &device);
    let job = SelfPlay { game: &entry.game, config: &config, network: &network, iteration: 0, starts: &Starts::new() };
    let (mut window, ids) = (Replay::new(&config.replay), (0..GAMES).collect::<Vec<u64>>());
    job.play(&ids, 1, &AtomicBool::new(false), &mut |record| {
        window.extend(samples(entry.game.as_ref(), &record, &config.replay));
        Ok(())
    })?;
    Ok(window)
}

impl Bench<'_> {
    fn measure<G: Game>(
        &self,
        entry: &Entry<G>,
        window: &Replay<G::State>,
        channels: u32,
        blocks: u32,
    ) -> Result<Rate, CliError> {
        let Arguments { batch, shards, threads, .. } = *self.0;
        let sizes = heads();
        let config = settings::with(
            entry,
            &[
                ("network.channels", &channels),
                ("network.blocks", &blocks),
                ("network.policy_channels", &sizes.policy_channels),
                ("network.value_channels", &sizes.value_channels),
                ("network.value_hidden", &sizes.value_hidden),
                ("network.norm", &self.0.norm),
                ("learner.batch", &batch),
                ("learner.shards", &shards),
            ],
        )?;
        let mut learner = Learner::new(&entry.game, &config, &open_device("cpu")?);
        let draws: Vec<Draw> =
            (0..batch).map(|at| Draw { place: (u64::from(at) * 7 % window.len() as u64) as u32, symmetry: 0 }).collect();
        let mut step = || learner.step(window, &draws, 0.0, threads as usize);
        // Once to make room, once to tell how many make a measurement.
        step()?;
        let begun = Instant::now();
        step()?;
        let rounds = (SECONDS / begun.elapsed().as_secs_f64().max(1e-9)).ceil().max(1.0) as u64;
        let (mut wall, mut cores) = (Vec::new(), Vec::new());
        for _ in 0..REPEATS {
            let watch = Stopwatch::start();
            for _ in 0..rounds {
                step()?;
            }
            let Elapsed { seconds, core_seconds } = watch.read();
            wall.push(seconds);
            cores.push(core_seconds);
        }
        let positions = (rounds * u64::from(batch)) as f64;
        let (positions_per_second, positions_per_core_second) = (positions / median(wall), positions / median(cores));
        let gflops = 3.0 * positions_per_core_second * operations(learner.architecture()) / 1e9;
        Ok(Rate { channels, blocks, positions_per_second, positions_per_core_second, gflops })
    }
}

/// A table for people.
fn describe(report: &Report) -> String {
    let whole = |number: f64| grouped(number as u128);
    let row = |rate: &Rate| {
        let rates = [whole(rate.positions_per_second), whole(rate.positions_per_core_second)];
        let sizes = [rate.channels.to_string(), rate.blocks.to_string()];
        sizes.into_iter().chain(rates).chain([format!("{:.0}", rate.gflops)]).collect()
    };
    let head = ["channels", "blocks", "positions/s", "per core second", "GFLOP/s"];
    let lines = table(&head, report.rates.iter().map(row));
    let Report { game, kernel, batch, shards, norm, threads, .. } = report;
    let head = format!("{game}, kernel {kernel}, batches of {batch} in {shards} parts, norm {norm}, {threads} threads");
    format!("{head}\n\n{}", lines.join("\n"))
}
