//! `plyzero positions`: draws and solves the sets of positions by which solvers and networks are measured.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::{Compression, GzBuilder};

use super::crew::in_order;
use super::error::CliError;
use super::output::say;
use super::progress::Reporter;
use super::solve::{searches, unsolvable};
use super::threads;
use crate::game::{Entry, Game, Games, Visit};
use crate::solver::four_in_a_row::sets::{Drawn, Half, Set, Solved, Stage, draw};
use crate::solver::four_in_a_row::{Goal, Search};
use crate::storage::{Disk as _, StorageError, System, write_atomic};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The game; it must have a solver of its own.
    game: String,
    /// The folder of the sets: test and development, a file a class in each.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed of the random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Stages to draw positions of; those of the first take an hour or so [default: all].
    #[arg(long, value_name = "STAGE", num_args = 1.., value_parser = Stage::ALL.map(Stage::name))]
    stage: Vec<String>,
    /// Positions of each class in each half.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Worker threads [default: one a core]. They change the time it takes, not the result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// MiB of the tables of all threads together.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    table: u32,
}

struct Positions<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Positions(arguments))?
}

impl Visit for Positions<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        if entry.four_in_a_row.is_none() {
            return Err(unsolvable(entry));
        }
        let Arguments { out, seed, count, table, .. } = self.0;
        for half in Half::BOTH {
            let folder = out.join(half.name());
            System.create_folder(&folder).map_err(StorageError::io("create", &folder))?;
        }
        let mut searches = searches(threads(self.0.threads), *table as usize, None, None)?;
        let wanted = Half::BOTH.len() * *count as usize;
        // Late positions are solved in no time, so they are there first.
        let is_wanted = |stage: &Stage| self.0.stage.is_empty() || self.0.stage.iter().any(|name| name == stage.name());
        for stage in Stage::ALL.into_iter().rev().filter(is_wanted) {
            for (set, solved) in collect(stage, *seed, wanted, &mut searches) {
                for (at, half) in Half::BOTH.into_iter().enumerate() {
                    let part: Vec<&Solved> = solved.iter().skip(at).step_by(Half::BOTH.len()).collect();
                    let path = out.join(half.name()).join(format!("{}.txt.gz", set.name()));
                    write(&path, &part)?;
                    say(format_args!("{}: {} positions", path.display(), part.len()))?;
                }
            }
        }
        Ok(())
    }
}

/// The first positions of each class of `stage`, `wanted` of each.
fn collect(stage: Stage, seed: u64, wanted: usize, searches: &mut [Search]) -> Vec<(Set, Vec<Solved>)> {
    let sets: Vec<Set> = Set::ALL.into_iter().filter(|set| set.stage() == stage).collect();
    let found: Mutex<Vec<Vec<Solved>>> = Mutex::new(vec![Vec::new(); sets.len()]);
    let found = || found.lock().unwrap_or_else(PoisonError::into_inner);
    let reporter = Reporter::new();
    // A class that is full when a position is solved is still full when its turn comes.
    let solve = |search: &mut Search, position: Drawn| {
        let score = search.solve(position.board, Goal::Score)?;
        let place = sets.iter().position(|&set| set == Set::of(position.board.plies(), score))?;
        let is_full = found()[place].len() == wanted;
        let columns = if is_full { None } else { search.solve_columns(position.board, Goal::Score) };
        Some((place, Solved { columns: columns?, position }))
    };
    let keep = |solved: Option<(usize, Solved)>| {
        let mut found = found();
        if let Some((place, solved)) = solved
            && found[place].len() < wanted
        {
            found[place].push(solved);
        }
        let done: usize = found.iter().map(Vec::len).sum();
        reporter.show("positions", done as u64, (wanted * sets.len()) as u64);
        done < wanted * sets.len()
    };
    in_order(searches, draw(stage, seed), solve, keep);
    reporter.finish();
    let found = std::mem::take(&mut *found());
    sets.iter().copied().zip(found).collect()
}

/// Writes a line a position, compressed: the same bytes for the same positions.
fn write(path: &Path, positions: &[&Solved]) -> Result<(), CliError> {
    let mut compressed = GzBuilder::new().write(Vec::new(), Compression::best());
    positions.iter().try_for_each(|solved| writeln!(compressed, "{solved}"))?;
    Ok(write_atomic(&System, path, &compressed.finish()?)?)
}
