//! The networks of a run compared: a table, and a chart of each way to measure them.

use std::fmt::Write as _;

use super::{Measured, Report};
use crate::arena::agreement::Agreement;
use crate::cli::chart::{self, Point};

/// One way to measure every network of a run.
struct Series {
    name: String,
    points: Vec<Point>,
}

/// The report for people.
pub(super) fn describe(reports: &[Report]) -> String {
    let all: Vec<Series> = series(reports);
    let mut text = String::new();
    for (number, series) in all.iter().enumerate() {
        let _ = writeln!(text, "({}) {}", number + 1, series.name);
    }
    text += "\niteration";
    for number in 1..=all.len() {
        let _ = write!(text, "  {:>22}", format!("({number})"));
    }
    for (row, report) in reports.iter().enumerate() {
        let _ = write!(text, "\n{:>9}", report.iteration);
        for series in &all {
            let _ = write!(text, "  {:>22}", series.points.get(row).map(cell).unwrap_or_default());
        }
    }
    for (number, series) in all.iter().enumerate() {
        let _ = write!(text, "\n\n({}) {}\n{}", number + 1, series.name, chart::draw(&series.points, "iterations"));
    }
    text
}

fn cell(point: &Point) -> String {
    match point.interval {
        Some((low, high)) => format!("{:.1} % ({:.1} to {:.1})", 100.0 * point.share, 100.0 * low, 100.0 * high),
        None => format!("{:.2} %", 100.0 * point.share),
    }
}

/// Every measure that the networks were put to, in the order of the reports.
fn series(reports: &[Report]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for report in reports {
        let searched = report.search.iter().map(|search| (format!("{} simulations", search.sims), &search.measured));
        let measures = std::iter::once(("raw network".to_owned(), &report.raw)).chain(searched);
        for (name, point) in measures.flat_map(|(player, measured)| points(&player, report.iteration, measured)) {
            match all.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => all.push(Series { name, points: vec![point] }),
            }
        }
    }
    all
}

/// What one player showed, by measure.
fn points(player: &str, at: u32, measured: &Measured) -> Vec<(String, Point)> {
    let accuracy = measured.agreement.iter().map(|Agreement { accuracy, .. }| {
        let name = format!("{player}: keeps the value, of positions where it can be lost");
        (name, Point { at, share: accuracy.value_preserving_critical, interval: None })
    });
    let matches = measured.matches.iter().filter_map(|played| {
        let share = played.result.share?;
        let name = format!("{player} against {}: share of the points (95 %)", played.opponent);
        Some((name, Point { at, share: share.value, interval: Some((share.low, share.high)) }))
    });
    accuracy.chain(matches).collect()
}
