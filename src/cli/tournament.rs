//! `plyzero tournament`

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::error::CliError;
use super::evaluate::check_opening_plies;
use super::output::{caution, file_word, program, remark, say, shell_word};
use super::progress::Reporter;
use super::signals::stop_flag;
use super::{PATIENCE, TournamentArguments, standings, threads};
use crate::agent::{AgentError, Builder, Contender, Spec};
use crate::arena::openings;
use crate::arena::sprt::{InvalidSprt, Sprt};
use crate::arena::{Archive, CrossTable, Entrant, Format, Terms, Tournament};
use crate::game::{Entry, Game, Games, Visit};
use crate::net::open_device;
use crate::storage::{StorageError, System, rest};
use crate::train::Observer as _;

/// Arguments that make no tournament.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidTournament {
    #[error("--agents names {0} twice; an agent plays against others")]
    Twice(String),
    #[error("--anchor {anchor} does not play; --agents names {agents}")]
    Anchor { anchor: String, agents: String },
    #[error("--sprt tests the first of two agents against the second, and --agents names {0}")]
    Sprt(usize),
    #[error("--sprt, --alpha and --beta: {0}")]
    Test(InvalidSprt),
}

/// A tournament and what came of it: what `--json` prints.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) terms: Terms,
    /// Whether every agent's moves are a function of the seed.
    pub(super) reproducible: bool,
    /// The agents whose moves a clock bounds.
    pub(super) bounded_by_time: Vec<String>,
    /// The agent whose rating is 0.
    pub(super) anchor: String,
    pub(super) openings: Supply,
    #[serde(flatten)]
    pub(super) table: CrossTable,
}

/// The openings there were.
#[derive(Serialize)]
pub(super) struct Supply {
    /// Openings that were played.
    pub(super) count: usize,
    /// Openings with which none would come twice.
    pub(super) wanted: usize,
    /// Whether these are all the game has, by enumeration, and not a draw.
    pub(super) complete: bool,
}

struct Play<'a>(&'a TournamentArguments);

pub(super) fn run(games: &impl Games, arguments: &TournamentArguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Play(arguments))?
}

impl Visit for Play<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        check_opening_plies(self.0.opening_plies, entry.game.facts())?;
        let device = open_device(&self.0.device)?;
        let stop = stop_flag(|| caution("stopping; everything but the games in hand is kept. Again to quit at once"));
        let builder = Builder { entry, device: &device, stop: Some(&stop) };
        let contenders: Vec<Contender<G>> = self.0.agents.iter().map(|text| builder.contender(text)).collect::<Result<_, _>>()?;
        let anchor = anchor(&contenders, self.0.anchor.as_deref())?;
        let terms = self.terms(entry, &contenders)?;
        let openings = openings::find(&entry.game, terms.games / 2, terms.opening_plies, terms.seed);
        // Everything else that can be wrong has been found before the file is made.
        let path = self.0.out.clone().unwrap_or_else(|| default_path(&terms));
        let mut archive = Archive::open(&System, &path, &terms)?;
        if !archive.games().is_empty() {
            remark(format_args!("{} games of this tournament are there already", archive.games().len()));
        }
        let factories: Vec<_> = contenders.iter().map(|contender| Arc::clone(&contender.factory)).collect();
        let (agents, positions, threads) = (&factories, &openings.positions, threads(self.0.threads));
        let reporter = Reporter::new();
        let on_game = |done, total| reporter.show("games", done as u64, total as u64);
        let on_full = |error: &StorageError| {
            reporter.warn(&format!("{error}; make room, and the tournament goes on (Ctrl-C ends it in order)"));
            rest(PATIENCE, || stop.load(Ordering::Relaxed))
        };
        let tournament = Tournament { terms: &terms, agents, openings: positions, threads, on_full: &on_full };
        let played = tournament.play(&mut archive, &stop, &on_game);
        reporter.finish();
        let file = shell_word(&path.display().to_string());
        let is_stopped = stop.load(Ordering::Relaxed);
        let Some(records) = played.or_else(|error| if is_stopped { Ok(None) } else { Err(error) })? else {
            remark(format_args!("the games so far are in {file}; the same command goes on with them"));
            return Err(CliError::Interrupted);
        };
        remark(format_args!("the games are in {file}; `{} play --replay {file}` shows them", program()));
        let report = Report {
            reproducible: contenders.iter().all(|contender| !contender.is_timed),
            bounded_by_time: contenders.iter().filter(|contender| contender.is_timed).map(|timed| timed.name.clone()).collect(),
            anchor: contenders[anchor].name.clone(),
            openings: Supply { count: positions.len(), wanted: terms.games / 2, complete: openings.complete },
            table: CrossTable::of(&terms, positions.len(), &records, anchor),
            terms,
        };
        let text = if self.0.json { serde_json::to_string_pretty(&report)? } else { standings::describe(&report) };
        Ok(say(text.trim_end())?)
    }
}

impl Play<'_> {
    fn terms<G: Game>(&self, entry: &Entry<G>, contenders: &[Contender<G>]) -> Result<Terms, CliError> {
        let sprt = match self.0.sprt {
            Some(_) if contenders.len() != 2 => return Err(InvalidTournament::Sprt(contenders.len()).into()),
            Some((elo0, elo1)) => Some(Sprt::new(elo0, elo1, self.0.alpha, self.0.beta).map_err(InvalidTournament::Test)?),
            None => None,
        };
        let entrant = |contender: &Contender<G>| Entrant { name: contender.name.clone(), network: contender.network.clone() };
        Ok(Terms {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: entry.game.facts().id.clone(),
            agents: contenders.iter().map(entrant).collect(),
            format: if self.0.gauntlet { Format::Gauntlet } else { Format::RoundRobin },
            games: self.0.games,
            opening_plies: self.0.opening_plies,
            seed: self.0.seed,
            sprt,
            device: self.0.device.clone(),
        })
    }
}

/// The place of the agent whose rating is 0, if all are different and it is one of them.
fn anchor<G: Game>(contenders: &[Contender<G>], asked: Option<&str>) -> Result<usize, CliError> {
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    if let Some((_, twice)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        return Err(InvalidTournament::Twice((*twice).to_owned()).into());
    }
    let Some(asked) = asked else { return Ok(0) };
    let name = asked.parse::<Spec>().map_err(AgentError::from)?.to_string();
    let unknown = || InvalidTournament::Anchor { anchor: asked.to_owned(), agents: names.join(" ") };
    Ok(names.iter().position(|known| *known == name).ok_or_else(unknown)?)
}

/// Where the games of a tournament are kept unless something else is said: the same tournament finds them again.
fn default_path(terms: &Terms) -> PathBuf {
    PathBuf::from("tournaments").join(format!("{}-{}.games", file_word(&terms.game), terms.digest()))
}

/// Reads `elo0,elo1`.
pub(super) fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(elo0, elo1)| Some((elo0.trim().parse().ok()?, elo1.trim().parse().ok()?)));
    numbers.ok_or_else(|| "it must be two differences in Elo points, such as 0,10".to_owned())
}

/// Reads a number of games to be played in pairs.
pub(super) fn even(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|games: &usize| (2..=1_000_000).contains(games) && games.is_multiple_of(2));
    number.ok_or_else(|| "it must be an even number from 2 to 1000000, for every opening is played from both sides".to_owned())
}
