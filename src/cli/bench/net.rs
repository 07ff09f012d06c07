//! `plyzero bench net`: positions a second that a frozen network judges, on one core.
//!
//! The reference networks have the board of 6x7, 3 planes, 7 actions, a policy head of 2 channels and a value head of 1 channel and 64 hidden
//! units, as peers are measured with. Core seconds count what the process ran, so that a busy machine disturbs little.

use std::time::Instant;

use ndarray::Array4;
use rand::RngExt as _;
use serde::Serialize;

use super::report::table;
use super::stopwatch::{Elapsed, Stopwatch, median};
use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::cli::progress::Reporter;
use crate::net::{Architecture, Frozen, Kernel, Network, NetworkConfig, Norm, ValueHead, open_device};
use crate::play::wording::grouped;
use crate::rng;

/// Channels and blocks of the reference networks.
pub(super) const SIZES: [(u32, u32); 3] = [(32, 3), (64, 5), (128, 8)];
const BATCHES: [u32; 4] = [1, 16, 64, 256];
/// Seconds a measurement; of several the median counts.
const SECONDS: f64 = 0.3;
const REPEATS: u64 = 3;

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// Channels of the trunk [default: the reference networks].
    #[arg(long, value_name = "C", requires = "blocks", value_parser = clap::value_parser!(u32).range(1..=4096))]
    channels: Option<u32>,
    /// Residual blocks.
    #[arg(long, value_name = "B", requires = "channels", value_parser = clap::value_parser!(u32).range(0..=256))]
    blocks: Option<u32>,
    /// Positions a batch. May be given several times [default: 1, 16, 64 and 256].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: Vec<u32>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Everything measured.
#[derive(Serialize)]
struct Report {
    /// What computed it; the environment variable `PLYZERO_KERNEL` names another.
    kernel: &'static str,
    rates: Vec<Rate>,
}

/// How fast a network answers batches of one size.
#[derive(Serialize)]
struct Rate {
    channels: u32,
    blocks: u32,
    batch: u32,
    positions_per_second: f64,
    positions_per_core_second: f64,
    /// Thousand millions of floating-point operations a core second, those of the padding of 3x3 convolutions included, as is usual.
    gflops: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    // Whether the kernel can be had is asked where networks are opened.
    open_device("cpu")?;
    let kernel = Kernel::of_process().unwrap_or_else(|_| Kernel::fastest());
    let sizes = arguments.channels.zip(arguments.blocks).map_or(SIZES.to_vec(), |size| vec![size]);
    let batches = if arguments.batch.is_empty() { BATCHES.to_vec() } else { arguments.batch.clone() };
    let reporter = Reporter::new();
    let mut rates = Vec::new();
    for &(channels, blocks) in &sizes {
        for &batch in &batches {
            reporter.show("measuring", rates.len() as u64, (sizes.len() * batches.len()) as u64);
            rates.push(measure(kernel, channels, blocks, batch)?);
        }
    }
    reporter.finish();
    let report = Report { kernel: kernel.name(), rates };
    Ok(say(if arguments.json { serde_json::to_string_pretty(&report)? } else { describe(&report) })?)
}

/// The heads of the reference networks.
pub(super) fn heads() -> NetworkConfig {
    NetworkConfig {
        channels: 0,
        blocks: 0,
        policy_channels: 2,
        value_channels: 1,
        value_hidden: 64,
        norm: Norm::Batch,
        policy_hidden: 0,
        auxiliary: Vec::new(),
    }
}

/// The reference network of that size.
fn reference(channels: u32, blocks: u32) -> Architecture {
    let (channels, blocks) = (channels as usize, blocks as usize);
    let network = NetworkConfig { channels, blocks, ..heads() };
    Architecture { game: "reference".to_owned(), planes: [3, 6, 7], actions: 7, value: ValueHead::Wdl, network }
}

/// Floating-point operations a position, a multiply-add as two.
pub(super) fn operations(architecture: &Architecture) -> f64 {
    let Architecture { planes, actions, value, network, .. } = architecture;
    let (cells, channels) = (architecture.cells(), network.channels);
    let trunk = cells * 9 * channels * (planes[0] + 2 * network.blocks * channels);
    let heads = cells * channels * (network.policy_channels + network.value_channels);
    let policy = match network.policy_hidden {
        0 => cells * network.policy_channels * actions,
        units => (cells * network.policy_channels + actions) * units,
    };
    let linear = policy + cells * network.value_channels * network.value_hidden;
    2.0 * (trunk + heads + linear + network.value_hidden * value.outputs()) as f64
}

fn measure(kernel: Kernel, channels: u32, blocks: u32, batch: u32) -> Result<Rate, CliError> {
    let (architecture, device) = (reference(channels, blocks), open_device("cpu")?);
    let network = Network::new(&architecture, 1, &device);
    let frozen = Frozen::with_kernel(&network, &architecture, batch as usize, kernel);
    let mut frozen = frozen.unwrap_or_else(|| Frozen::new(&network, &architecture, batch as usize, &device));
    let [depth, height, width] = architecture.planes;
    let mut rng = rng::stream(1, "bench", 0);
    let planes =
        Array4::from_shape_simple_fn((batch as usize, depth, height, width), || f32::from(u8::from(rng.random_range(0..3) == 0)));
    // Once to make room, once to tell how many make a measurement.
    let _ = frozen.infer(planes.view());
    let begun = Instant::now();
    let _ = frozen.infer(planes.view());
    let rounds = (SECONDS / begun.elapsed().as_secs_f64().max(1e-9)).ceil().max(1.0) as u64;
    let (mut wall, mut cores) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let watch = Stopwatch::start();
        for _ in 0..rounds {
            std::hint::black_box(frozen.infer(std::hint::black_box(planes.view())));
        }
        let Elapsed { seconds, core_seconds } = watch.read();
        wall.push(seconds);
        cores.push(core_seconds);
    }
    let positions = (rounds * u64::from(batch)) as f64;
    let (positions_per_second, positions_per_core_second) = (positions / median(wall), positions / median(cores));
    let gflops = positions_per_core_second * operations(&architecture) / 1e9;
    Ok(Rate { channels, blocks, batch, positions_per_second, positions_per_core_second, gflops })
}

/// A table for people.
fn describe(report: &Report) -> String {
    let whole = |number: f64| grouped(number as u128);
    let row = |rate: &Rate| {
        vec![
            rate.channels.to_string(),
            rate.blocks.to_string(),
            rate.batch.to_string(),
            whole(rate.positions_per_second),
            whole(rate.positions_per_core_second),
            format!("{:.0}", rate.gflops),
        ]
    };
    let head = ["channels", "blocks", "batch", "positions/s", "per core second", "GFLOP/s"];
    let lines = table(&head, report.rates.iter().map(row));
    format!("Kernel {}, one core\n\n{}", report.kernel, lines.join("\n"))
}
