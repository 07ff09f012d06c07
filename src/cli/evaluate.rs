//! `plyzero evaluate`

use std::fmt::Write as _;

use serde::Serialize;

use super::error::CliError;
use super::judges::{BATCH, PerfectPlay, challenger};
use super::output::say;
use super::{EvaluateArguments, threads};
use crate::agent::{AgentFactory, Builder};
use crate::arena::accuracy::Accuracy;
use crate::arena::{Match, MatchResult, openings};
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Checkpoint, Device, Frozen, Header, open_device};
use crate::search::mcts::Rule;

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

/// Everything a network is measured with.
struct Bench<'a, G: Game> {
    arguments: &'a EvaluateArguments,
    entry: &'a Entry<G>,
    /// The network compiled for many positions at once, and for one.
    many: Frozen,
    single: Frozen,
    perfect: Option<PerfectPlay<G>>,
    opponents: Vec<(String, AgentFactory<G>)>,
}

impl<'a, G: Game> Bench<'a, G> {
    fn new(
        arguments: &'a EvaluateArguments,
        entry: &'a Entry<G>,
        device: &Device,
        checkpoint: &Checkpoint,
    ) -> Result<Self, CliError> {
        let perfect = if entry.enumerable { PerfectPlay::new(&entry.game).ok() } else { None };
        let mut names = arguments.against.clone();
        if names.is_empty() && perfect.is_none() {
            names.push(DEFAULT_OPPONENT.to_owned());
        }
        let builder = Builder { entry, device };
        let mut opponents = Vec::new();
        for name in names {
            let factory = builder.factory(&name)?;
            opponents.push((name, factory));
        }
        let frozen = |batch| Frozen::new(&checkpoint.network, &checkpoint.header.architecture, batch, device);
        Ok(Self { arguments, entry, many: frozen(BATCH), single: frozen(1), perfect, opponents })
    }

    /// Measures the network without search, or with so many simulations.
    fn measure(&mut self, sims: Option<u32>) -> Result<Measured, CliError> {
        let search = sims.map(|sims| (Rule::PLAY, sims));
        let accuracy = self.perfect.as_mut().map(|perfect| perfect.measure(&self.many, search));
        let matches = if self.opponents.is_empty() { Vec::new() } else { self.matches(sims)? };
        Ok(Measured { accuracy, matches })
    }

    fn matches(&self, sims: Option<u32>) -> Result<Vec<Played>, CliError> {
        let arguments = self.arguments;
        let challenger = challenger(self.entry, &self.single, Rule::PLAY, sims);
        let games = arguments.games as usize;
        let openings = openings::distinct(&self.entry.game, games.div_ceil(2), arguments.opening_plies, arguments.seed);
        let mut played = Vec::new();
        for (name, opponent) in &self.opponents {
            let (seed, threads) = (arguments.seed, threads(arguments.threads));
            let contest = Match { openings: &openings, games, challenger: &challenger, opponent, seed, threads };
            played.push(Played { opponent: name.clone(), result: contest.play(&|_| ())? });
        }
        Ok(played)
    }
}

/// The report for people.
fn describe(report: &Report) -> String {
    let mut text = format!("{}: {}, iteration {}\n", report.net, report.game, report.iteration);
    let mut add = |player: &str, measured: &Measured| {
        if let Some(accuracy) = &measured.accuracy {
            text += &super::progress::accuracy(player, accuracy);
            text.push('\n');
        }
        for played in &measured.matches {
            let _ = writeln!(text, "{}", super::progress::contest(player, &played.opponent, &played.result));
        }
    };
    add("raw", &report.raw);
    for searched in &report.search {
        add(&format!("{} simulations", searched.sims), &searched.measured);
    }
    text
}
