//! `plyzero bench solver`: what a score costs, on one core, each position with an empty table.

use std::time::Instant;

use serde::Serialize;

use crate::cli::error::CliError;
use crate::cli::output::say;
use crate::cli::progress::Reporter;
use crate::cli::solve::check_room;
use crate::solver::four_in_a_row::sets::{Half, Set};
use crate::solver::four_in_a_row::shipped::load;
use crate::solver::four_in_a_row::{Board, Goal, Options, Search};

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// Tell who wins, not when, as with `plyzero solve --wdl`.
    #[arg(long)]
    wdl: bool,
    /// Of each set at most so many positions, from its first on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Solve the empty board too, which takes minutes.
    #[arg(long)]
    empty_board: bool,
    /// MiB of the table.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    table: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What the positions of a set cost.
#[derive(Serialize)]
struct Cost {
    set: &'static str,
    positions: usize,
    /// Microseconds a position.
    median_us: f64,
    mean_us: f64,
    median_nodes: u64,
    mean_nodes: f64,
    nodes_per_second: f64,
    /// Scores that are not the shipped ones.
    wrong: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let goal = if arguments.wdl { Goal::Class } else { Goal::Score };
    check_room(arguments.table as usize)?;
    let mut search = Search::new(Options::table(arguments.table as usize));
    let mut costs = Vec::new();
    let most = arguments.positions.map_or(usize::MAX, |most| most as usize);
    for set in Set::ALL {
        let solved = load(Half::Test, set)?;
        let positions: Vec<(Board, i32)> = solved.iter().take(most).map(|one| (one.position.board, one.score())).collect();
        costs.push(measure(set.name(), &positions, goal, &mut search));
    }
    if arguments.empty_board {
        costs.push(measure("empty board", &[(Board::default(), 1)], goal, &mut search));
    }
    Ok(say(if arguments.json { serde_json::to_string_pretty(&costs)? } else { describe(&costs) })?)
}

/// Solves `positions`, given with their scores.
fn measure(set: &'static str, positions: &[(Board, i32)], goal: Goal, search: &mut Search) -> Cost {
    let reporter = Reporter::new();
    let (mut times, mut nodes, mut wrong) = (Vec::new(), Vec::new(), 0);
    for &(board, score) in positions {
        search.forget();
        let (begun, before) = (Instant::now(), search.nodes());
        let found = search.solve(board, goal);
        times.push(1e6 * begun.elapsed().as_secs_f64());
        nodes.push(search.nodes() - before);
        wrong += usize::from(found != Some(goal.of(score)));
        reporter.show(set, times.len() as u64, positions.len() as u64);
    }
    reporter.finish();
    let (time, visited): (f64, u64) = (times.iter().sum(), nodes.iter().sum());
    times.sort_by(f64::total_cmp);
    nodes.sort_unstable();
    let count = positions.len().max(1) as f64;
    Cost {
        set,
        positions: positions.len(),
        median_us: times.get(times.len() / 2).copied().unwrap_or(0.0),
        mean_us: time / count,
        median_nodes: nodes.get(nodes.len() / 2).copied().unwrap_or(0),
        mean_nodes: visited as f64 / count,
        nodes_per_second: 1e6 * visited as f64 / time.max(f64::MIN_POSITIVE),
        wrong,
    }
}

/// A table for people.
fn describe(costs: &[Cost]) -> String {
    let head = format!(
        "{:<14}{:>10}{:>12}{:>12}{:>15}{:>15}{:>13}{:>7}",
        "set", "positions", "median", "mean", "median nodes", "mean nodes", "nodes/s", "wrong"
    );
    let row = |cost: &Cost| {
        let Cost { set, positions, median_nodes, mean_nodes, nodes_per_second, wrong, .. } = cost;
        let (median, mean) = (duration(cost.median_us), duration(cost.mean_us));
        let speed = format!("{:.1} M", nodes_per_second / 1e6);
        format!("{set:<14}{positions:>10}{median:>12}{mean:>12}{median_nodes:>15}{mean_nodes:>15.0}{speed:>13}{wrong:>7}")
    };
    std::iter::once(head).chain(costs.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn duration(microseconds: f64) -> String {
    match microseconds {
        ..1e3 => format!("{microseconds:.1} us"),
        1e3..1e6 => format!("{:.2} ms", microseconds / 1e3),
        _ => format!("{:.2} s", microseconds / 1e6),
    }
}
