//! `plyzero tournament`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::error::CliError;
use super::evaluate::check_opening_plies;
use super::openings::Collection;
use super::output::{caution, file_word, program, remark, say, shell_word};
use super::progress::Reporter;
use super::signals::stop_flag;
use super::{PATIENCE, TournamentArguments, replay, standings, threads};
use crate::agent::{AgentError, Builder, Contender, Spec};
use crate::arena::openings::{self, Openings};
use crate::arena::sprt::{InvalidSprt, Sprt};
use crate::arena::{Adjudication, Agreement, Archive, CrossTable, Entrant, Format, OpeningSource, Terms, Tournament};
use crate::game::{Entry, Game, Games, Visit};
use crate::net::open_device;
use crate::storage::{StorageError, System, rest, write_atomic};
use crate::train::Observer as _;

/// Random plies of openings, unless something else is said.
const DEFAULT_PLIES: usize = 4;

/// Arguments that make no tournament.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidTournament {
    #[error("--agents names {0} twice; an agent plays against others")]
    Twice(String),
    #[error("--anchor {anchor} does not play; --agents names {agents}")]
    Anchor { anchor: String, agents: String },
    #[error("--sprt tests the first of two agents against the second, and --agents names {0}")]
    Sprt(usize),
    #[error("--resign and --draw: {0} knows more than wins, draws and losses; leave them out")]
    Adjudication(String),
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
        let device = open_device(&self.0.device)?;
        let stop = stop_flag(|| caution("stopping; everything but the games in hand is kept. Again to quit at once"));
        let builder = Builder { entry, device: &device, stop: Some(&stop) };
        let contenders: Vec<Contender<G>> = self.0.agents.iter().map(|text| builder.contender(text)).collect::<Result<_, _>>()?;
        let anchor = anchor(&contenders, self.0.anchor.as_deref())?;
        let (source, openings) = self.openings(entry)?;
        let terms = self.terms(entry, &contenders, source)?;
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
        let notation = entry.notation.as_deref();
        let tournament = Tournament { terms: &terms, agents, openings: positions, notation, threads, on_full: &on_full };
        let played = tournament.play(&mut archive, &stop, &on_game);
        reporter.finish();
        // A file that cannot be written hides no result.
        let written = self.write_pgn(entry, &path);
        let file = shell_word(&path.display().to_string());
        let is_stopped = stop.load(Ordering::Relaxed);
        let Some(records) = played.or_else(|error| if is_stopped { Ok(None) } else { Err(error) })? else {
            remark(format_args!("the games so far are in {file}; the same command goes on with them"));
            return written.and(Err(CliError::Interrupted));
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
        say(text.trim_end())?;
        written
    }
}

impl Play<'_> {
    /// Writes the games of the file at `path` as PGN, where that is asked for.
    fn write_pgn<G: Game>(&self, entry: &Entry<G>, path: &Path) -> Result<(), CliError> {
        let Some(target) = &self.0.pgn else { return Ok(()) };
        write_atomic(&System, target, replay::pgn(entry, path)?.as_bytes())?;
        remark(format_args!("as PGN they are in {}", shell_word(&target.display().to_string())));
        Ok(())
    }

    /// The openings, as many as there are pairs of games, and where they come from.
    fn openings<G: Game>(&self, entry: &Entry<G>) -> Result<(OpeningSource, Openings<G>), CliError> {
        let (wanted, plies) = (self.0.games / 2, self.0.opening_plies);
        let Some(path) = &self.0.openings else {
            let plies = plies.unwrap_or(DEFAULT_PLIES);
            check_opening_plies(plies, entry.game.facts())?;
            return Ok((OpeningSource::Random { plies }, openings::find(&entry.game, wanted, plies, self.0.seed)));
        };
        let Collection { mut positions, sha256 } = super::openings::read(entry, path, plies)?;
        let complete = positions.len() < wanted;
        positions.truncate(wanted);
        Ok((OpeningSource::File { sha256, plies }, Openings { positions, complete }))
    }

    fn terms<G: Game>(&self, entry: &Entry<G>, contenders: &[Contender<G>], openings: OpeningSource) -> Result<Terms, CliError> {
        let adjudication = Adjudication { resign: self.0.resign, draw: self.0.draw };
        if adjudication != Adjudication::default() && !entry.game.facts().wdl {
            return Err(InvalidTournament::Adjudication(entry.game.facts().id.clone()).into());
        }
        if self.0.pgn.is_some() && entry.notation.is_none() {
            return Err(CliError::NoNotation {
                asked: "--pgn",
                game: entry.game.facts().id.clone(),
                instead: "leave it out; play --replay shows the games",
            });
        }
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
            openings,
            adjudication,
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

/// Reads `score,moves`.
pub(super) fn resignation(text: &str) -> Result<Agreement, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let [score, moves] = words[..] else { return Err("it must be a utility and a number of moves, such as 0.5,4".to_owned()) };
    agreement(score, moves, "0")
}

/// Reads `score,moves,plies`.
pub(super) fn draw(text: &str) -> Result<Agreement, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let [score, moves, plies] = words[..] else {
        return Err("it must be a utility, a number of moves and the ply from which it holds, such as 0.01,8,80".to_owned());
    };
    agreement(score, moves, plies)
}

fn agreement(score: &str, moves: &str, plies: &str) -> Result<Agreement, String> {
    let score = score.parse().ok().filter(|score| (0.0..=1.0).contains(score)).ok_or("its utility must lie between 0 and 1")?;
    let moves = moves.parse().ok().filter(|&moves| moves > 0).ok_or("its number of moves must be 1 at least")?;
    let plies = plies.parse().map_err(|_| "its last number must count plies")?;
    Ok(Agreement { score, moves, plies })
}

/// Reads a number of games to be played in pairs.
pub(super) fn even(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|games: &usize| (2..=1_000_000).contains(games) && games.is_multiple_of(2));
    number.ok_or_else(|| "it must be an even number from 2 to 1000000, for every opening is played from both sides".to_owned())
}
