//! `plyzero evaluate`

use std::fmt::Write as _;

use serde::Serialize;

use super::error::CliError;
use super::judges::{BATCH, Matches, PerfectPlay};
use super::output::say;
use super::progress::Reporter;
use super::{EvaluateArguments, report, threads};
use crate::agent::Builder;
use crate::arena::MatchResult;
use crate::arena::accuracy::Accuracy;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Checkpoint, Device, Frozen, Header, open_device};
use crate::search::mcts::Rule;
use crate::train::{Observer as _, Phase};

/// The opponent where perfect play cannot be had.
const DEFAULT_OPPONENT: &str = "alpha-beta:depth=4";

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    net: String,
    game: String,
    iteration: u32,
    /// The network without search.
    raw: Measured,
    /// The network with search, an entry a number of simulations.
    search: Vec<Searched>,
}

#[derive(Serialize)]
struct Searched {
    sims: u32,
    #[serde(flatten)]
    measured: Measured,
}

#[derive(Serialize)]
struct Measured {
    /// Against perfect play, where the game is small enough.
    #[serde(flatten)]
    accuracy: Option<Accuracy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<Played>,
}

#[derive(Serialize)]
struct Played {
    opponent: String,
    #[serde(flatten)]
    result: MatchResult,
}

struct Evaluate<'a>(&'a EvaluateArguments);

pub(super) fn run(games: &impl Games, arguments: &EvaluateArguments) -> Result<(), CliError> {
    let header = Header::read(&arguments.net)?;
    games.dispatch(&header.architecture.game, &mut Evaluate(arguments))?
}

impl Visit for Evaluate<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let device = open_device(&self.0.device)?;
        let checkpoint = Checkpoint::load(&self.0.net, entry.game.facts(), &device)?;
        self.check(entry)?;
        let mut bench = Bench::new(self.0, entry, &device, &checkpoint)?;
        let raw = bench.measure(None)?;
        let search = self
            .0
            .sims
            .iter()
            .map(|&sims| Ok(Searched { sims, measured: bench.measure(Some(sims))? }))
            .collect::<Result<_, CliError>>()?;
        let header = &checkpoint.header;
        let net = self.0.net.display().to_string();
        let report = Report { net, game: header.architecture.game.clone(), iteration: header.iteration, raw, search };
        let text = if self.0.json { serde_json::to_string_pretty(&report)? } else { describe(&report) };
        Ok(say(text.trim_end())?)
    }
}

impl Evaluate<'_> {
    /// Openings must leave something to play.
    fn check<G: Game>(&self, entry: &Entry<G>) -> Result<(), CliError> {
        let (plies, longest) = (self.0.opening_plies, entry.game.facts().max_plies);
        if plies < longest { Ok(()) } else { Err(CliError::OpeningPlies { plies, longest }) }
    }
}

/// Everything a network is measured with.
struct Bench<G: Game> {
    /// The network compiled for many positions at once, and for one.
    many: Frozen,
    single: Frozen,
    perfect: Option<PerfectPlay<G>>,
    matches: Matches<G>,
    reporter: Reporter,
}

impl<G: Game> Bench<G> {
    fn new(arguments: &EvaluateArguments, entry: &Entry<G>, device: &Device, checkpoint: &Checkpoint) -> Result<Self, CliError> {
        let perfect = if entry.enumerable { PerfectPlay::new(&entry.game).ok() } else { None };
        let mut names = arguments.against.clone();
        if names.is_empty() && perfect.is_none() {
            names.push(DEFAULT_OPPONENT.to_owned());
        }
        let matches = Matches {
            entry: entry.clone(),
            opponents: Builder { entry, device, stop: None }.opponents(&names)?,
            games: arguments.games as usize,
            opening_plies: arguments.opening_plies,
            seed: arguments.seed,
            threads: threads(arguments.threads),
        };
        let frozen = |batch| Frozen::new(&checkpoint.network, &checkpoint.header.architecture, batch, device);
        Ok(Self { many: frozen(BATCH), single: frozen(1), perfect, matches, reporter: Reporter::new() })
    }

    /// Measures the network without search, or with so many simulations.
    fn measure(&mut self, sims: Option<u32>) -> Result<Measured, CliError> {
        let search = sims.map(|sims| (Rule::PLAY, sims));
        let accuracy = self.perfect.as_mut().map(|perfect| perfect.measure(&self.many, search));
        let progress = |done, total| self.reporter.progress(Phase::Evaluation, done, total);
        let played = self.matches.play(&self.single, Rule::PLAY, sims, &progress);
        self.reporter.finish();
        let matches = played?.into_iter().map(|(opponent, result)| Played { opponent, result }).collect();
        Ok(Measured { accuracy, matches })
    }
}

/// The report for people.
fn describe(report: &Report) -> String {
    let mut text = format!("{}: {}, iteration {}\n", report.net, report.game, report.iteration);
    let mut add = |player: &str, measured: &Measured| {
        if let Some(accuracy) = &measured.accuracy {
            text += &report::accuracy(player, accuracy);
            text.push('\n');
        }
        for played in &measured.matches {
            let _ = writeln!(text, "{}", report::contest(player, &played.opponent, &played.result));
        }
    };
    add("raw", &report.raw);
    for searched in &report.search {
        add(&format!("{} simulations", searched.sims), &searched.measured);
    }
    text
}
