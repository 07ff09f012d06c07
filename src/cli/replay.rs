//! `plyzero play --replay`: the games of a file, whichever command wrote them, in the one form that is shown.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::output::say;
use crate::arena::{Archive, Archived, Ending, GameRecord, Remark, Terms};
use crate::game::{Entry, Game, Games, Step, Visit};
use crate::play::pgn;
use crate::play::replay::{Recorded, RecordedEnding, RecordedPly, Searched, UnknownPlay, list, show};
use crate::storage::{Kind, StorageError};
use crate::train::{self, GamesFile};

/// A replay that was asked for and cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidReplay {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("{} holds no games: --replay takes a file of a tournament or of a run's games folder", .0.display())]
    NoGames(PathBuf),
    #[error("{} holds games of {found}, not of {asked}", path.display())]
    Another { path: PathBuf, found: String, asked: String },
    #[error("{} has no game {number}; it holds {held}", path.display())]
    Number { path: PathBuf, number: u64, held: String },
    #[error("game {number} of {} cannot be shown: {source}", path.display())]
    Unknown { path: PathBuf, number: u64, source: UnknownPlay },
}

/// Games of a file.
struct Collection {
    /// Which game they are of.
    game: String,
    /// What they are, in a line.
    title: String,
    games: Vec<Recorded>,
}

struct Show<'a> {
    path: &'a Path,
    recorded: &'a Recorded,
}

struct Write<'a> {
    path: &'a Path,
    collection: &'a Collection,
    number: Option<u64>,
}

/// Lists the games of a file, or shows the one with this number.
pub(super) fn run(games: &impl Games, path: &Path, game: Option<&str>, number: Option<u64>) -> Result<(), CliError> {
    let game = game.map(|name| games.canonical(name)).transpose()?;
    let collection = read(path, game.as_deref())?;
    let Some(number) = number else {
        let text = format!("{}: {}\n{}", collection.game, collection.title, list(&collection.games));
        return Ok(say(text.trim_end())?);
    };
    games.dispatch(&collection.game, &mut Show { path, recorded: collection.game(path, number)? })?
}

/// Writes the games of a file, or the one with this number, as PGN to standard output.
pub(super) fn print_pgn(games: &impl Games, path: &Path, game: Option<&str>, number: Option<u64>) -> Result<(), CliError> {
    let game = game.map(|name| games.canonical(name)).transpose()?;
    let collection = read(path, game.as_deref())?;
    let text = games.dispatch(&collection.game, &mut Write { path, collection: &collection, number })??;
    Ok(say(text.trim_end())?)
}

/// The games of a file as PGN.
pub(super) fn pgn<G: Game>(entry: &Entry<G>, path: &Path) -> Result<String, CliError> {
    let collection = read(path, Some(&entry.game.facts().id))?;
    Write { path, collection: &collection, number: None }.visit(entry)
}

impl Collection {
    /// Which numbers there are, in words.
    fn held(&self) -> String {
        match (self.games.first(), self.games.last()) {
            (Some(first), Some(last)) => format!("{} games, from {} to {}", self.games.len(), first.number, last.number),
            _ => "none".to_owned(),
        }
    }

    fn game(&self, path: &Path, number: u64) -> Result<&Recorded, InvalidReplay> {
        let missing = || InvalidReplay::Number { path: path.to_owned(), number, held: self.held() };
        self.games.iter().find(|recorded| recorded.number == number).ok_or_else(missing)
    }
}

impl Visit for Write<'_> {
    type Output = Result<String, CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Self::Output {
        let Some(notation) = &entry.notation else {
            return Err(CliError::NoNotation {
                asked: "--pgn",
                game: entry.game.facts().id.clone(),
                instead: "leave it out, and the games are shown on the board",
            });
        };
        let games = match self.number {
            Some(number) => std::slice::from_ref(self.collection.game(self.path, number)?),
            None => &self.collection.games,
        };
        let write = |recorded: &Recorded| {
            let unknown = |source| InvalidReplay::Unknown { path: self.path.to_owned(), number: recorded.number, source };
            pgn::write(entry, notation.as_ref(), recorded, &self.collection.title).map_err(unknown)
        };
        let texts = games.iter().map(write).collect::<Result<Vec<String>, _>>()?;
        Ok(texts.join("\n"))
    }
}

impl Visit for Show<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let (path, number) = (self.path.to_owned(), self.recorded.number);
        let text = show(entry, self.recorded).map_err(|source| InvalidReplay::Unknown { path, number, source })?;
        Ok(say(text)?)
    }
}

fn read(path: &Path, asked: Option<&str>) -> Result<Collection, InvalidReplay> {
    let collection = match Kind::of(path)? {
        Some(Kind::Tournament) => {
            let (terms, games) = Archive::read(path)?;
            tournament(&terms, games)
        }
        Some(Kind::Games | Kind::Playing) => self_play(GamesFile::read(path)?.0),
        Some(Kind::State | Kind::Solved) | None => return Err(InvalidReplay::NoGames(path.to_owned())),
    };
    match asked.filter(|asked| *asked != collection.game) {
        Some(asked) => Err(InvalidReplay::Another { path: path.to_owned(), found: collection.game, asked: asked.to_owned() }),
        None => Ok(collection),
    }
}

fn tournament(terms: &Terms, games: Vec<Archived>) -> Collection {
    // Who meets in a game does not depend on the number of openings.
    let schedule = terms.schedule(usize::MAX);
    let recorded = |Archived { number, opening, record, remarks }| {
        let seating = schedule.game(number);
        let players = schedule.seats(number).map(|agent| terms.agents[agent].name.clone());
        let place = format!("pairing {}, game {}", seating.pairing + 1, seating.place + 1);
        let GameRecord { start, steps, ending } = record;
        let mut remarks = remarks.into_iter();
        let ply = |(at, step)| {
            let remark = if at < opening || matches!(step, Step::Chance(_)) { None } else { remarks.next() };
            let searched = |Remark { depth, plies_to_end, millis, .. }| Searched { depth, plies_to_end, millis };
            let value = remark.and_then(|remark| remark.value);
            RecordedPly { step, visits: Vec::new(), value, search: remark.map(searched) }
        };
        let plies = steps.into_iter().enumerate().map(ply).collect();
        let ending = match ending {
            Ending::Over(payoff) => RecordedEnding::Over(payoff),
            Ending::Adjudicated(payoff) => RecordedEnding::Adjudicated(payoff),
            Ending::Forfeited { loser, forfeit } => RecordedEnding::Forfeited(loser, forfeit.to_string()),
            Ending::Unfinished => RecordedEnding::Unfinished,
        };
        Recorded { number: number as u64 + 1, place, players, opening, start, plies, ending }
    };
    let title = format!("{} of {} agents, seed {}", terms.format, terms.agents.len(), terms.seed);
    Collection { game: terms.game.clone(), title, games: games.into_iter().map(recorded).collect() }
}

fn ply(ply: train::Ply) -> RecordedPly {
    RecordedPly { step: ply.step, value: ply.value(), visits: ply.visits, search: None }
}

fn self_play(GamesFile { origin, records }: GamesFile) -> Collection {
    let recorded = |record: train::GameRecord| Recorded {
        number: record.id,
        place: "self-play".to_owned(),
        start: None,
        players: std::array::from_fn(|_| format!("network {}", record.network)),
        opening: record.plies.iter().take_while(|ply| ply.opinion.is_none()).count(),
        ending: match record.ending {
            train::Ending::Unfinished => RecordedEnding::Unfinished,
            train::Ending::Over(payoff) => RecordedEnding::Over(payoff),
            train::Ending::Proven(payoff) => RecordedEnding::Proven(payoff),
        },
        plies: record.plies.into_iter().map(ply).collect(),
    };
    Collection {
        game: origin.game,
        title: format!("self-play of network {}", origin.network),
        games: records.into_iter().map(recorded).collect(),
    }
}
