//! `plyzero evaluate`: how strong a network is, or those of a run one after the other.

mod course;
mod table;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::error::CliError;
use super::judges::{BATCH, Matches, PerfectPlay};
use super::output::say;
use super::progress::Reporter;
use super::{EvaluateArguments, report, threads};
use crate::agent::Builder;
use crate::arena::MatchResult;
use crate::arena::agreement::Agreement;
use crate::game::{Entry, Facts, Game, Games, Visit};
use crate::net::{Checkpoint, Device, Frozen, Header, open_device};
use crate::search::mcts::Rule;
use crate::solver::four_in_a_row::sets::Half;
use crate::train::{Observer as _, Phase};

/// The opponent where perfect play cannot be had, and the one of games that it does not suit.
const DEFAULT_OPPONENTS: [&str; 2] = ["alpha-beta:depth=4", "uct:sims=400"];

/// Solved positions of each set that a network is compared in, unless said otherwise: few, so that it takes no longer than a short match.
const POSITIONS: usize = 50;

/// What `--json` prints of a network; of a run it prints a list.
#[derive(Serialize)]
struct Report {
    net: String,
    game: String,
    iteration: u32,
    /// The half of the solved sets, where the game has such sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    half: Option<&'static str>,
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
    /// Against perfect play, where the game is small enough or has solved positions.
    #[serde(flatten)]
    agreement: Option<Agreement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<Played>,
}

#[derive(Serialize)]
struct Played {
    opponent: String,
    #[serde(flatten)]
    result: MatchResult,
}

struct Evaluate<'a> {
    arguments: &'a EvaluateArguments,
    /// The networks to measure, oldest first.
    nets: Vec<PathBuf>,
}

pub(super) fn run(games: &impl Games, arguments: &EvaluateArguments) -> Result<(), CliError> {
    let nets = if arguments.net.is_dir() { of_run(&arguments.net, arguments.nets)? } else { vec![arguments.net.clone()] };
    let header = Header::read(&nets[0])?;
    games.dispatch(&header.architecture.game, &mut Evaluate { arguments, nets })?
}

/// At most `most` networks of a run, evenly spread from its first to its latest; at least one.
fn of_run(folder: &Path, most: u32) -> Result<Vec<PathBuf>, CliError> {
    let missing = || CliError::NoNetworks(folder.to_owned());
    let entries = fs::read_dir(folder.join("nets")).map_err(|_| missing())?;
    // Iterations are named by number; copies such as the best have names.
    let iteration = |path: &Path| path.file_name()?.to_str()?.strip_suffix(".safetensors")?.parse().ok();
    let numbered = |path: PathBuf| Some((iteration(&path)?, path));
    let mut nets: Vec<(u32, PathBuf)> = entries.filter_map(|entry| numbered(entry.ok()?.path())).collect();
    nets.sort();
    let last = nets.len().checked_sub(1).ok_or_else(missing)?;
    let count = nets.len().min(most as usize);
    Ok((0..count).map(|place| nets[place * last / (count - 1).max(1)].1.clone()).collect())
}

impl Visit for Evaluate<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let device = open_device(&self.arguments.device)?;
        check_opening_plies(self.arguments.opening_plies, entry.game.facts())?;
        let mut bench = Bench::new(self.arguments, entry, &device)?;
        let mut reports =
            self.nets.iter().map(|net| self.report(net, entry, &device, &mut bench)).collect::<Result<Vec<_>, _>>()?;
        // What a file says of itself counts, not its name.
        reports.sort_by_key(|report| report.iteration);
        let is_run = self.arguments.net.is_dir();
        let text = match (&reports[..], self.arguments.json) {
            ([report], true) if !is_run => serde_json::to_string_pretty(report)?,
            (_, true) => serde_json::to_string_pretty(&reports)?,
            ([report], false) if !is_run => describe(report),
            (_, false) => course::describe(&reports),
        };
        Ok(say(text.trim_end())?)
    }
}

impl Evaluate<'_> {
    fn report<G: Game>(&self, net: &Path, entry: &Entry<G>, device: &Device, bench: &mut Bench<G>) -> Result<Report, CliError> {
        let checkpoint = Checkpoint::load(net, entry.game.facts(), device)?;
        let frozen = |batch| Frozen::new(&checkpoint.network, &checkpoint.header.architecture, batch, device);
        let player = Player { many: frozen(BATCH), single: frozen(1) };
        let raw = bench.measure(&player, None)?;
        let searched = |&sims: &u32| Ok(Searched { sims, measured: bench.measure(&player, Some(sims))? });
        let search = self.arguments.sims.iter().map(searched).collect::<Result<_, CliError>>()?;
        let header = checkpoint.header;
        let (net, game) = (net.display().to_string(), header.architecture.game);
        Ok(Report { net, game, iteration: header.iteration, half: bench.half.map(Half::name), raw, search })
    }
}

/// Openings must leave something to play.
pub(super) fn check_opening_plies(plies: usize, facts: &Facts) -> Result<(), CliError> {
    let longest = facts.max_plies;
    if plies < longest { Ok(()) } else { Err(CliError::OpeningPlies { plies, longest }) }
}

/// A network compiled for many positions at once, and for one.
struct Player {
    many: Frozen,
    single: Frozen,
}

/// Everything a network is measured with.
struct Bench<G: Game> {
    perfect: Option<PerfectPlay<G>>,
    /// Where the positions come from, where they are of solved sets.
    half: Option<Half>,
    matches: Matches<G>,
    /// How it searches.
    rule: Rule,
    reporter: Reporter,
}

impl<G: Game> Bench<G> {
    fn new(arguments: &EvaluateArguments, entry: &Entry<G>, device: &Device) -> Result<Self, CliError> {
        let half = chosen_half(arguments, entry)?;
        let count = arguments.positions.map_or(POSITIONS, |count| count as usize);
        let perfect = match half {
            Some(half) => PerfectPlay::sampled(entry, half, count)?,
            None if entry.enumerable => PerfectPlay::whole(&entry.game).ok(),
            None => None,
        };
        let builder = Builder { entry, device, stop: None };
        let mut names = arguments.against.clone();
        if names.is_empty() && !(entry.enumerable && perfect.is_some()) {
            let suits = |agent: &&str| builder.factory(agent).is_ok();
            names.extend(DEFAULT_OPPONENTS.iter().copied().find(suits).map(str::to_owned));
        }
        let matches = Matches {
            entry: entry.clone(),
            opponents: builder.opponents(&names)?,
            games: arguments.games as usize,
            opening_plies: arguments.opening_plies,
            seed: arguments.seed,
            threads: threads(arguments.threads),
            stop: Arc::default(),
        };
        let rule = arguments.search.unwrap_or(Rule::PLAY);
        Ok(Self { perfect, half, matches, rule, reporter: Reporter::new() })
    }

    /// Measures a network without search, or with so many simulations.
    fn measure(&mut self, player: &Player, sims: Option<u32>) -> Result<Measured, CliError> {
        let search = sims.map(|sims| (self.rule, sims));
        let agreement = self.perfect.as_mut().map(|perfect| perfect.measure(&player.many, search, &AtomicBool::new(false)));
        let progress = |done, total| self.reporter.progress(Phase::Evaluation, done, total);
        let played = self.matches.play(&player.single, self.rule, sims, &progress);
        self.reporter.finish();
        let matches = played?.into_iter().map(|(opponent, result)| Played { opponent, result }).collect();
        Ok(Measured { agreement, matches })
    }
}

/// The half of the solved sets to take positions from; none where the game has no such sets, which then nobody may choose from.
fn chosen_half<G: Game>(arguments: &EvaluateArguments, entry: &Entry<G>) -> Result<Option<Half>, CliError> {
    if entry.four_in_a_row.is_some() {
        let named = |name: &String| Half::BOTH.into_iter().find(|half| half.name() == name);
        return Ok(Some(arguments.set.as_ref().and_then(named).unwrap_or(Half::Development)));
    }
    let chosen = [("--set", arguments.set.is_some()), ("--positions", arguments.positions.is_some())];
    match chosen.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(CliError::NoSets { option, game: entry.game.facts().id.clone() }),
        None => Ok(None),
    }
}

/// The report for people.
fn describe(report: &Report) -> String {
    let mut text = format!("{}: {}, iteration {}", report.net, report.game, report.iteration);
    text += &report.half.map(|half| format!(", {half} sets")).unwrap_or_default();
    text.push('\n');
    let mut add = |player: &str, measured: &Measured| {
        if let Some(agreement) = &measured.agreement {
            text += &format!("{}\n{}", report::accuracy(player, &agreement.accuracy), table::of(agreement));
        }
        for played in &measured.matches {
            let _ = writeln!(text, "{}", report::contest(player, &played.opponent, &played.result));
        }
    };
    add("raw", &report.raw);
    for searched in &report.search {
        add(&format!("{} simulations", searched.sims), &searched.measured);
    }
    if report.raw.agreement.is_some() {
        text += table::LEGEND;
    }
    text
}
