//! `plyzero epd`: test suites, and what an agent misses of them.

mod record;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::AGENTS;
use super::error::CliError;
use super::output::say;
use super::progress::Reporter;
use super::signals::stop_flag;
use crate::agent::{Builder, decide_legally};
use crate::game::{Action, Entry, Game, Games, Notation, Position, Visit};
use crate::net::open_device;
use crate::rng;
use crate::storage::read_capped;
use record::{Fault, Record};

/// Bytes of the longest file.
const CAP: u64 = 1 << 26;

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
pub(super) struct Arguments {
    /// A file of positions with the moves that are best in them (bm) or to be avoided (am), a position a line.
    file: PathBuf,
    /// The game.
    #[arg(long, value_name = "ID", default_value = "chess")]
    game: String,
    /// The time for a position, such as 1s or 100ms, where the agent is not named.
    #[arg(long, value_name = "T", default_value = "1s", conflicts_with = "agent")]
    time: String,
    /// Who is to find the moves, such as alpha-beta:nodes=100000.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Of the file at most so many positions, from its first on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// The seed of the agent's random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where a network runs: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What came of a suite.
#[derive(Serialize)]
struct Outcome {
    agent: String,
    positions: usize,
    solved: usize,
    missed: Vec<Missed>,
}

/// A position in which the agent chose something else.
#[derive(Serialize)]
struct Missed {
    id: String,
    chosen: String,
    best: Vec<String>,
    avoid: Vec<String>,
    position: String,
}

struct Epd<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let outcome = games.dispatch(&arguments.game, &mut Epd(arguments))??;
    Ok(say(if arguments.json { serde_json::to_string_pretty(&outcome)? } else { describe(&outcome) })?)
}

impl Visit for Epd<'_> {
    type Output = Result<Outcome, CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Self::Output {
        let arguments = self.0;
        let Some(notation) = &entry.notation else {
            return Err(CliError::NoNotation { asked: "--game", game: entry.game.facts().id.clone(), instead: "take chess" });
        };
        let records = self.records::<G>(notation.as_ref())?;
        let device = open_device(&arguments.device)?;
        let stop = stop_flag(|| {});
        let builder = Builder { entry, device: &device, stop: Some(&stop) };
        let agent = arguments.agent.clone().unwrap_or_else(|| format!("alpha-beta:time={}", arguments.time));
        let factory = builder.factory(&agent)?;
        let (mut missed, reporter) = (Vec::new(), Reporter::new());
        for (number, record) in records.iter().enumerate() {
            let position = Position::at(&entry.game, record.state.clone());
            let mut rng = rng::stream(arguments.seed, "epd", number as u64);
            let chosen = decide_legally(factory().as_mut(), &position, &mut rng)?.action;
            if stop.load(Ordering::Relaxed) {
                return Err(CliError::Interrupted);
            }
            if !record.is_solved_by(chosen) {
                missed.push(Missed::new(notation.as_ref(), record, chosen));
            }
            reporter.show("positions", number as u64 + 1, records.len() as u64);
        }
        reporter.finish();
        Ok(Outcome { agent, positions: records.len(), solved: records.len() - missed.len(), missed })
    }
}

impl Epd<'_> {
    fn records<G: Game>(&self, notation: &dyn Notation<State = G::State>) -> Result<Vec<Record<G>>, CliError> {
        let bytes = read_capped(&self.0.file, CAP)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let read = |(at, line): (usize, &str)| {
            let fault = |fault: Fault| CliError::Line { file: self.0.file.clone(), line: at + 1, fault: fault.to_string() };
            Record::read(notation, line, at + 1).map_err(fault)
        };
        lines.take(self.0.positions.map_or(usize::MAX, |most| most as usize)).map(read).collect()
    }
}

impl Missed {
    fn new<G: Game>(notation: &dyn Notation<State = G::State>, record: &Record<G>, chosen: Action) -> Self {
        let name = |&action: &_| notation.short(&record.state, action);
        Self {
            id: record.id.clone(),
            chosen: name(&chosen),
            best: record.best.iter().map(name).collect(),
            avoid: record.avoid.iter().map(name).collect(),
            position: notation.write(&record.state),
        }
    }
}

/// For people.
fn describe(outcome: &Outcome) -> String {
    let Outcome { agent, positions, solved, missed } = outcome;
    let mut text = format!("{agent} solves {solved} of {positions} positions.");
    for Missed { id, chosen, best, avoid, position } in missed {
        let wanted = if best.is_empty() { format!("not {}", avoid.join(" ")) } else { best.join(" ") };
        let _ = write!(text, "\n{id}: {chosen} instead of {wanted}  {position}");
    }
    text
}
