//! Openings that somebody wrote down: in games with a notation positions in EPD or FEN, one a line, or the first moves of games in PGN; in others moves, a line an opening.

use std::collections::HashSet;
use std::path::Path;

use super::error::CliError;
use super::place::lead;
use crate::game::{Entry, Game, Notation, Position, Turn};
use crate::play::pgn;
use crate::storage::{read_capped, sha256};

/// Bytes of the longest file.
const CAP: u64 = 1 << 28;

/// The openings of a file.
pub(super) struct Collection<G: Game> {
    /// Each position once.
    pub(super) positions: Vec<Position<G>>,
    /// The SHA-256 of the file.
    pub(super) sha256: String,
}

/// The openings of the file at `path`, of moves and of games in PGN at most `plies` plies each.
pub(super) fn read<G: Game>(entry: &Entry<G>, path: &Path, plies: Option<usize>) -> Result<Collection<G>, CliError> {
    let bytes = read_capped(path, CAP)?;
    let text = String::from_utf8_lossy(&bytes);
    let fault = |line: usize, fault: String| CliError::Line { file: path.to_owned(), line, fault };
    let is_pgn = entry.notation.is_some() && text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '1', '{', ';']);
    let most = plies.unwrap_or(usize::MAX);
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
    let positions: Result<Vec<_>, _> = match entry.notation.as_deref() {
        Some(notation) if is_pgn => {
            let games = pgn::read(&text).map_err(|error| fault(error.line, error.problem.to_owned()))?;
            games.iter().map(|game| opening(entry, notation, game, most)).collect()
        }
        Some(notation) => {
            lines.map(|(line, number)| Ok((number, Position::at(&entry.game, position::<G>(notation, line, number)?)))).collect()
        }
        None => lines.try_fold(Vec::new(), |mut found, (line, number)| {
            let led = lead(entry, Position::initial(&entry.game), &[line], most);
            found.push((number, led.map_err(|error| (number, error.to_string()))?.0));
            Ok(found)
        }),
    };
    let positions = positions.map_err(|(line, problem)| fault(line, problem))?;
    if positions.is_empty() {
        return Err(fault(1, "there is no opening".to_owned()));
    }
    if let Some((line, _)) = positions.iter().find(|(_, position)| matches!(position.turn(), Turn::Over(_))) {
        let shorter = if is_pgn { "; --opening-plies N plays the first N plies alone" } else { "" };
        return Err(fault(*line, format!("the game is over there{shorter}")));
    }
    let mut seen = HashSet::new();
    let fresh = positions.into_iter().map(|(_, position)| position).filter(|position| seen.insert(position.state().clone()));
    Ok(Collection { positions: fresh.collect(), sha256: sha256(&bytes) })
}

/// The position of a line: the first fields of EPD, or all those of FEN.
fn position<G: Game>(notation: &dyn Notation<State = G::State>, line: &str, number: usize) -> Result<G::State, (usize, String)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let counters = fields.iter().skip(4).take(2).take_while(|field| field.parse::<u32>().is_ok()).count();
    let length = if counters == 2 { 6 } else { fields.len().min(4) };
    notation.read(&fields[..length].join(" ")).map_err(|error| (number, error.to_string()))
}

/// Where the first moves of a game lead, with its line.
fn opening<G: Game>(
    entry: &Entry<G>,
    notation: &dyn Notation<State = G::State>,
    game: &pgn::Game,
    most: usize,
) -> Result<(usize, Position<G>), (usize, String)> {
    let start = game.tag("FEN").map(|text| notation.read(text)).transpose().map_err(|error| (game.line, error.to_string()))?;
    let mut position = start.map_or_else(|| Position::initial(&entry.game), |state| Position::at(&entry.game, state));
    for (line, text) in game.moves.iter().take(most) {
        position.play_text(text).map_err(|error| (*line, error.to_string()))?;
    }
    Ok((game.line, position))
}
