//! `plyzero analyze`

use super::AGENTS;
use super::analysis::Report;
use super::error::CliError;
use super::output::{caution, say};
use crate::agent::Builder;
use crate::game::{Entry, Game, Games, ParseMoveError, Position, Turn, Visit};
use crate::net::open_device;
use crate::play::wording::plies;
use crate::rng;
use crate::solver::{self, four_in_a_row};

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
pub(super) struct Arguments {
    /// The game, perhaps with options, as in hex:size=5; `plyzero games` lists them.
    game: String,
    /// The moves that lead to the position, separated by blanks or commas; none is the initial position. A result of chance is
    /// its number behind a #.
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
    /// Who analyses, such as puct:net=checkpoints/tic_tac_toe-1/nets/best.safetensors,sims=400 [default: alpha-beta, or expectimax or
    /// maxn where it does not suit the game].
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
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

/// Moves that lead to no position in which somebody is to move.
#[derive(Debug, thiserror::Error)]
pub(super) enum MovesError {
    /// A word that is no legal move.
    #[error("--moves: move {number}: {source}")]
    Illegal {
        /// The place of the word, from 1.
        number: usize,
        source: ParseMoveError,
    },
    /// A move after the end.
    #[error("--moves: the game is over after {}; leave out {text:?} and what follows", plies(*.played))]
    AfterTheEnd { played: usize, text: String },
    /// Nothing to analyse.
    #[error("the game is over after {}: nobody is to move; leave out the last of --moves", plies(*.played))]
    Over { played: usize },
    /// A word that is no result of chance.
    #[error("--moves: move {number}: {text:?} is no result of chance, which is to act here; its results are {results}")]
    Impossible { number: usize, text: String, results: String },
    /// Nobody is to move yet.
    #[error("chance is to act after {}: end --moves with one of its results, {results}", plies(*.played))]
    Chance { played: usize, results: String },
}

/// Positions that a solver may visit, a second's worth or so: what takes longer is left to `plyzero solve`.
const SOLVED_WITHIN: u64 = 4_000_000;

struct Analyze<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Analyze(arguments))?
}

impl Visit for Analyze<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let (position, moves) = position(entry, &self.0.moves)?;
        let device = open_device(&self.0.device)?;
        let builder = Builder { entry, device: &device, stop: None };
        let mut agent = builder.factory(self.0.agent.as_deref().unwrap_or(builder.suited()))?();
        let analysis = agent.analyse(&position, &mut rng::stream(self.0.seed, "analyze", 0))?;
        let options = four_in_a_row::Options { nodes: Some(SOLVED_WITHIN), ..four_in_a_row::Options::table(64) };
        let perfect = solver::of(entry, options).map(|mut solver| solver.moves(position.state()));
        if perfect.as_ref().is_some_and(Vec::is_empty) {
            caution("perfect play here takes longer than a second or so; `plyzero solve` finds it");
        }
        let perfect = perfect.filter(|moves| !moves.is_empty());
        let report = Report::new(&position, moves, agent.name(), &analysis, perfect.as_deref());
        let text = if self.0.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
        Ok(say(text)?)
    }
}

/// The words of `text`, which blanks or commas separate.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty())
}

/// The position that `moves` lead to, and their labels. Columns of four in a row need nothing between them.
pub(super) fn position<G: Game>(entry: &Entry<G>, moves: &[String]) -> Result<(Position<G>, Vec<String>), MovesError> {
    let words = moves.iter().flat_map(|text| words(text));
    let words: Vec<&str> = match entry.four_in_a_row {
        Some(_) => words.flat_map(|columns| columns.split("").filter(|column| !column.is_empty())).collect(),
        None => words.collect(),
    };
    let (mut position, mut labels) = (Position::initial(&entry.game), Vec::new());
    for word in words {
        let played = labels.len();
        let (number, text) = (played + 1, word.to_owned());
        match position.turn() {
            Turn::Move(_) => {
                let illegal = |source| MovesError::Illegal { number, source };
                let action = entry.game.parse(position.state(), word).map_err(illegal)?;
                labels.push(entry.game.label(position.state(), action));
                position.play(action);
            }
            Turn::Chance => {
                let outcome = position.outcomes().into_iter().find(|outcome| outcome.to_string() == word);
                let impossible = || MovesError::Impossible { number, text, results: results(&position) };
                let outcome = outcome.ok_or_else(impossible)?;
                labels.push(outcome.to_string());
                position.roll(outcome);
            }
            Turn::Over(_) => return Err(MovesError::AfterTheEnd { played, text }),
        }
    }
    match position.turn() {
        Turn::Move(_) => Ok((position, labels)),
        Turn::Over(_) => Err(MovesError::Over { played: labels.len() }),
        Turn::Chance => Err(MovesError::Chance { played: labels.len(), results: results(&position) }),
    }
}

/// The results of chance that are possible, separated by blanks.
fn results<G: Game>(position: &Position<G>) -> String {
    position.outcomes().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
