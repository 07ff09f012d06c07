//! `plyzero solve`: perfect play of one position, or of every line of standard input.

mod columns;
mod words;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;

use super::crew::in_order;
use super::error::CliError;
use super::output::{caution, say};
use super::signals::stop_flag;
use super::threads;
use crate::game::{Entry, Game, Games, Visit};
use crate::solver::Exhaustive;
use crate::solver::four_in_a_row::{Cache, Goal, Options, Search};
use crate::storage::{StorageError, System};
use columns::Columns;
use words::Words;

#[derive(clap::Args)]
#[command(after_help = FORMAT)]
pub(super) struct Arguments {
    /// The game; `plyzero games` lists them.
    game: String,
    /// The moves that lead to the position, such as 4455 in Connect Four or "b2 a1" in tic-tac-toe; none is the initial position
    /// [default: a position for each line of standard input].
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Tell what the position is worth, not what each move is.
    #[arg(long)]
    score_only: bool,
    /// Tell who wins, not when: the signs of the scores, in less time.
    #[arg(long)]
    wdl: bool,
    /// Compare with the score, and the scores of the columns if they are there, that follow the moves of each line; answer with the
    /// lines that differ.
    #[arg(long, conflicts_with_all = ["moves", "score_only"])]
    check: bool,
    /// Threads that solve lines [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// MiB of the tables of all threads together; a position early in a game wants 1024.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    table: u32,
    /// Keep the scores of early positions in this file [default: four_in_a_row.solved in plyzero's folder of the user's cache].
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Neither read nor write a file of solved positions.
    #[arg(long)]
    no_cache: bool,
}

/// What is read and told, for `--help`.
const FORMAT: &str = "Connect Four is told in scores: 22 minus the stones that the winner has played when he wins, below 0 where the mover
loses, 0 for a draw. Each answer is the moves and the scores of columns 1 to 7, a dot where one is full; with --score-only the score alone.
A line may carry a score after the moves, as in published lists of positions. Games small enough to visit every position are told in
words: class and plies to the end, of each move.";

/// What stands for the moves of the initial position.
const NO_MOVES: &str = "-";
/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Positions that a search may visit before what it found out is saved.
const WORTH_SAVING: u64 = 1 << 26;

/// Input that cannot be solved.
#[derive(Debug, thiserror::Error)]
pub(super) enum SolveError {
    #[error(
        "no solver plays {game}: it is no small game of wins, draws and losses without chance, and no other solver was made for it"
    )]
    NoSolver { game: String },
    #[error("--check compares scores of the literature, which {game} does not have")]
    NoScores { game: String },
    #[error("--table {mib}: there is no memory for so many MiB; give it less")]
    NoRoom { mib: usize },
    #[error("--moves: {0}")]
    Moves(String),
    #[error("line {number} of standard input: {fault}")]
    Line { number: u64, fault: String },
    #[error("{source}; remove it, choose another --cache FILE, or say --no-cache")]
    Cache { source: StorageError },
    #[error("{source}; choose another --cache FILE, or say --no-cache")]
    Unsaved { source: StorageError },
}

/// Answers questions about positions of one game.
trait Answers: Send {
    /// The answer to a line that names a position.
    ///
    /// # Errors
    /// What is wrong with the line.
    fn answer(&mut self, line: &str) -> Result<Answer, String>;
}

/// What there is to say of a position.
struct Answer {
    /// Nothing where a comparison went well.
    text: Option<String>,
    /// Whether it differs from what the line said.
    differs: bool,
    /// Positions visited.
    nodes: u64,
}

struct Solve<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Solve(arguments))?
}

/// Why `entry`, which has no solver, cannot be solved.
pub(super) fn unsolvable<G: Game>(entry: &Entry<G>) -> CliError {
    SolveError::NoSolver { game: entry.game.facts().id.clone() }.into()
}

/// Checks that there is memory for tables of `mib` MiB together.
pub(super) fn check_room(mib: usize) -> Result<(), SolveError> {
    if Search::has_room(mib) { Ok(()) } else { Err(SolveError::NoRoom { mib }) }
}

/// A search a thread, with tables of `table_mib` MiB together: no more threads than MiB. They give up once `stop` is raised.
pub(super) fn searches(
    threads: usize,
    table_mib: usize,
    cache: Option<&Arc<Cache>>,
    stop: Option<&Arc<AtomicBool>>,
) -> Result<Vec<Search>, SolveError> {
    check_room(table_mib)?;
    let threads = threads.min(table_mib);
    let options = Options { cache: cache.cloned(), stop: stop.cloned(), ..Options::table(table_mib / threads) };
    Ok((0..threads).map(|_| Search::new(options.clone())).collect())
}

/// The file of solved positions, unless the user wants none or has no place for it.
pub(super) fn cache(file: Option<&PathBuf>, no_cache: bool) -> Result<Option<Arc<Cache>>, CliError> {
    let path = file.cloned().or_else(default_cache).filter(|_| !no_cache);
    let open = |path: PathBuf| Cache::open(&path).map(Arc::new).map_err(|source| SolveError::Cache { source }.into());
    path.map(open).transpose()
}

/// The file of solved positions in the user's cache folder.
fn default_cache() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache"))).or_else(|| named("LOCALAPPDATA"))?;
    Some(folder.join("plyzero").join("four_in_a_row.solved"))
}

impl Visit for Solve<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let arguments = self.0;
        let goal = if arguments.wdl { Goal::Class } else { Goal::Score };
        if entry.four_in_a_row.is_some() {
            let threads = if arguments.moves.is_some() { 1 } else { threads(arguments.threads) };
            let cache = cache(arguments.cache.as_ref(), arguments.no_cache)?;
            let stop = stop_flag(|| caution("stopping; what was found out is kept. Again to quit at once"));
            let searches = searches(threads, arguments.table as usize, cache.as_ref(), Some(&stop))?;
            let columns = |search| Columns { search, goal, score_only: arguments.score_only, check: arguments.check };
            let mut workers: Vec<Columns> = searches.into_iter().map(columns).collect();
            let answered = self.answer(&mut workers, cache.as_deref());
            return if stop.load(Ordering::SeqCst) { Err(CliError::Interrupted) } else { answered };
        }
        let solver = Exhaustive::new(&entry.game).ok().filter(|_| entry.enumerable).ok_or_else(|| unsolvable(entry))?;
        if arguments.check {
            return Err(SolveError::NoScores { game: entry.game.facts().id.clone() }.into());
        }
        let words = Words { game: Arc::clone(&entry.game), solver, goal, score_only: arguments.score_only };
        self.answer(&mut [words], None)
    }
}

impl Solve<'_> {
    /// Answers what was asked, and keeps what was found out.
    fn answer<A: Answers>(&self, workers: &mut [A], cache: Option<&Cache>) -> Result<(), CliError> {
        let answered = match (&self.0.moves, workers.first_mut()) {
            (Some(moves), Some(worker)) => one(worker, moves),
            _ => self.every_line(workers, cache),
        };
        match cache.map_or(Ok(()), |cache| cache.save(&System)) {
            Err(source) if self.0.cache.is_some() => answered.and(Err(SolveError::Unsaved { source }.into())),
            // Nobody asked for this file; without it the next run takes longer, and that is all.
            Err(source) => {
                caution(&SolveError::Unsaved { source }.to_string());
                answered
            }
            Ok(()) => answered,
        }
    }

    /// Answers every line of standard input, in order, until one is wrong.
    fn every_line<A: Answers>(&self, workers: &mut [A], cache: Option<&Cache>) -> Result<(), CliError> {
        let (mut lines, mut differ, mut nodes) = (0, 0, 0);
        let mut result = Ok(());
        let give = |answer: io::Result<Result<Answer, String>>| {
            lines += 1;
            result = match answer {
                Ok(Ok(answer)) => {
                    differ += u64::from(answer.differs);
                    nodes += answer.nodes;
                    if nodes >= WORTH_SAVING {
                        nodes = 0;
                        // What cannot be saved now is told when the last attempt fails too.
                        let _ = cache.map(|cache| cache.save(&System));
                    }
                    let place = if answer.differs { format!("line {lines}: ") } else { String::new() };
                    answer.text.map_or(Ok(()), |text| say(format_args!("{place}{text}"))).map_err(CliError::from)
                }
                Ok(Err(fault)) => Err(SolveError::Line { number: lines, fault }.into()),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Err(SolveError::Line { number: lines, fault: "it is not UTF-8".to_owned() }.into())
                }
                Err(error) => Err(error.into()),
            };
            result.is_ok()
        };
        // Read by whoever is free, so that an answer does not wait for lines that come later.
        let input = io::BufReader::new(io::stdin()).lines();
        in_order(workers, input, |worker, line| line.map(|line| worker.answer(line.trim_start_matches(BYTE_ORDER_MARK))), give);
        result?;
        match (self.0.check, differ) {
            (true, 0) => Ok(say(format_args!("{lines} lines, none differs"))?),
            (true, _) => Err(CliError::Differ { differ, lines }),
            (false, _) => Ok(()),
        }
    }
}

/// Answers one question, with a sign of life on a terminal.
fn one(worker: &mut impl Answers, moves: &str) -> Result<(), CliError> {
    let spinner = io::stderr().is_terminal().then(|| ProgressBar::new_spinner().with_message("solving"));
    if let Some(spinner) = &spinner {
        spinner.enable_steady_tick(Duration::from_millis(250));
    }
    let answer = worker.answer(moves).map_err(SolveError::Moves);
    if let Some(spinner) = spinner {
        spinner.finish_and_clear();
    }
    Ok(answer?.text.map_or(Ok(()), say)?)
}
