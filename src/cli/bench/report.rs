//! What was measured, as tables for people and as JSON.

use std::fmt;

use serde::Serialize;

use crate::play::wording::{columns, grouped, utility};

/// Everything measured.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub(super) subject: Subject,
    /// Empty where a game was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) uniform: Vec<UniformRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) dice: Vec<Dice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) maxn: Vec<Saving>,
}

/// A position, and what each technique makes of it.
#[derive(Serialize)]
pub(super) struct Subject {
    pub(super) game: String,
    pub(super) moves: Vec<String>,
    pub(super) depth: u32,
    pub(super) rows: Vec<Row>,
}

#[derive(Serialize)]
pub(super) struct Row {
    pub(super) technique: String,
    pub(super) nodes: u64,
    /// False where it was given up after so many nodes.
    pub(super) finished: bool,
    pub(super) seconds: f64,
    pub(super) nodes_per_second: f64,
    /// The effective branching factor.
    pub(super) branching: Option<f64>,
    /// The utilities of both players.
    pub(super) value: Option<[f32; 2]>,
}

/// Nodes on a uniform tree.
#[derive(Serialize)]
pub(super) struct UniformRow {
    pub(super) branching: usize,
    pub(super) depth: usize,
    pub(super) best_first: u64,
    pub(super) least: u64,
    pub(super) worst_first: u64,
    pub(super) most: u64,
}

/// Nodes of expectimax on random trees with chance.
#[derive(Serialize)]
pub(super) struct Dice {
    pub(super) branching: usize,
    /// Results of chance after each move.
    pub(super) results: usize,
    /// Moves a game.
    pub(super) depth: usize,
    pub(super) all: u64,
    pub(super) windows: u64,
    /// With windows and star1.
    pub(super) star1: u64,
    /// With windows, star1 and star2.
    pub(super) star2: u64,
}

/// Leaves of max-n on random trees.
#[derive(Serialize)]
pub(super) struct Saving {
    pub(super) epsilon: f32,
    pub(super) all: u64,
    pub(super) coordinate: u64,
    pub(super) pair: u64,
    /// With ties drawn, where both tests are strict.
    pub(super) pair_strict: u64,
}

/// The lines of a table under a head.
pub(super) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let head = head.iter().map(|&cell| cell.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    columns(&rows)
}

fn number(number: u64) -> String {
    grouped(number.into())
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let unknown = || "-".to_owned();
        let nodes = number(self.nodes);
        vec![
            if self.finished { nodes } else { format!("over {nodes}") },
            format!("{:.1} ms", 1e3 * self.seconds),
            number(self.nodes_per_second as u64),
            self.branching.map_or_else(unknown, |branching| format!("{branching:.2}")),
            self.value.map_or_else(unknown, |[first, second]| format!("{} {}", utility(first), utility(second))),
        ]
    }
}

impl Saving {
    fn cells(&self) -> Vec<String> {
        let saved = |leaves: u64| format!("{} ({:.1} % saved)", number(leaves), 100.0 - 100.0 * leaves as f64 / self.all as f64);
        vec![self.epsilon.to_string(), number(self.all), saved(self.coordinate), saved(self.pair), saved(self.pair_strict)]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { game, moves, depth, rows } = &self.subject;
        let path = if moves.is_empty() { String::new() } else { format!(" after {}", moves.join(" ")) };
        writeln!(formatter, "{game}{path}, {depth} plies deep\n")?;
        let figures = table(&["nodes", "time", "nodes/s", "branching", "value"], rows.iter().map(Row::cells));
        let names = std::iter::once("technique").chain(rows.iter().map(|row| row.technique.as_str()));
        figures.iter().zip(names).try_for_each(|(figures, name)| writeln!(formatter, "{figures}  {name}"))?;
        if !self.uniform.is_empty() {
            writeln!(formatter, "\nNodes of alpha-beta on uniform trees (b moves, m plies), beside those of theory\n")?;
            let row = |row: &UniformRow| {
                let sizes = [row.branching as u64, row.depth as u64, row.best_first, row.least, row.worst_first, row.most];
                sizes.map(number).to_vec()
            };
            let head = ["b", "m", "best first", "theory", "worst first", "theory"];
            writeln!(formatter, "{}", table(&head, self.uniform.iter().map(row)).join("\n"))?;
        }
        if !self.dice.is_empty() {
            writeln!(
                formatter,
                "\nNodes of expectimax on 200 random trees (b moves, n results of chance after each, m moves a game)\n"
            )?;
            let head = ["b", "n", "m", "all", "windows", "and star1", "and star2"];
            let row = |row: &Dice| {
                let shape = [row.branching, row.results, row.depth].map(|size| size.to_string());
                shape.into_iter().chain([row.all, row.windows, row.star1, row.star2].map(number)).collect()
            };
            writeln!(formatter, "{}", table(&head, self.dice.iter().map(row)).join("\n"))?;
        }
        if !self.maxn.is_empty() {
            writeln!(
                formatter,
                "\nLeaves of max-n on 200 random trees of 4 moves and 6 plies, sums at most epsilon from zero\n"
            )?;
            let head = ["epsilon", "all", "coordinate test", "pair test", "pair test, ties drawn"];
            writeln!(formatter, "{}", table(&head, self.maxn.iter().map(Saving::cells)).join("\n"))?;
        }
        Ok(())
    }
}
