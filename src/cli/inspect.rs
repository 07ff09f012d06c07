//! `plyzero inspect`: what a file or a run is, without using it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::InspectArguments;
use super::error::CliError;
use super::output::say;
use crate::arena::{Archive, Terms};
use crate::config::read_file;
use crate::game::Player;
use crate::net::Header;
use crate::solver::four_in_a_row::Cache;
use crate::storage::{Kind, Lock, read_capped, sha256};
use crate::train::{Ending, Folder, GameRecord, GamesFile, Next, Progress, Saved, TrainError};

/// What is told, a name and a value a line, in order.
struct Facts(Vec<(&'static str, Value)>);

impl Facts {
    fn new(facts: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        Self(facts.into_iter().collect())
    }

    fn and(mut self, facts: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        self.0.extend(facts);
        self
    }
}

impl IntoIterator for Facts {
    type Item = (&'static str, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(super) fn run(arguments: &InspectArguments) -> Result<(), CliError> {
    let path = &arguments.path;
    let facts = if path.is_dir() { folder(path)? } else { file(path)? };
    let text = if arguments.json { serde_json::to_string_pretty(&facts)? } else { describe(path, &facts) };
    Ok(say(text)?)
}

fn describe(path: &Path, Facts(facts): &Facts) -> String {
    let mut text = path.display().to_string();
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in facts {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text += &format!("\n  {:<width$}  {value}", name.replace('_', " "));
    }
    text
}

fn file(path: &Path) -> Result<Facts, CliError> {
    let facts = match Kind::of(path)? {
        None => network(&Header::read(path)?),
        Some(Kind::Games) => games("games of an iteration", &GamesFile::read(path)?.0),
        Some(Kind::Playing) => {
            let (file, dropped) = GamesFile::read(path)?;
            games("games of an iteration that is still being played", &file).and([("torn_bytes", dropped.into())])
        }
        Some(Kind::State) => {
            let saved = Saved::read(path)?;
            Facts::new([("kind", "state of a run".into())]).and(progress(&saved.progress)).and([("kernel", saved.kernel.into())])
        }
        Some(Kind::Tournament) => {
            let (terms, games) = Archive::read(path)?;
            tournament(&terms, games.len())
        }
        Some(Kind::Solved) => Facts::new([
            ("kind", "scores of positions that a solver found out".into()),
            ("positions", Cache::open(path)?.len().into()),
        ]),
    };
    let bytes = read_capped(path, u64::MAX)?;
    Ok(facts.and([("bytes", bytes.len().into()), ("sha256", sha256(&bytes).into())]))
}

fn network(header: &Header) -> Facts {
    let shape = &header.architecture;
    let [planes, height, width] = shape.planes;
    Facts::new([
        ("kind", "network".into()),
        ("game", shape.game.as_str().into()),
        ("sizes", shape.network.to_string().into()),
        ("numbers", shape.parameters().into()),
        ("inputs", format!("{planes} planes of {height}x{width}").into()),
        ("actions", shape.actions.into()),
        ("value_head", json!(shape.value)),
        ("seed", header.seed.into()),
        ("iteration", header.iteration.into()),
        ("games", header.games.into()),
        ("steps", header.steps.into()),
        ("version", header.version.as_str().into()),
    ])
    .and(header.parent.as_deref().map(|parent| ("parent", parent.into())))
    .and((!header.notes.is_empty()).then(|| ("notes", json!(header.notes))))
}

fn games(kind: &'static str, GamesFile { origin, records }: &GamesFile) -> Facts {
    let plies: usize = records.iter().map(|record| record.plies.len()).sum();
    let searched = records.iter().flat_map(|record| &record.plies).filter(|ply| !ply.visits.is_empty()).count();
    let ids: BTreeSet<u64> = records.iter().map(|record| record.id).collect();
    let count = |holds: fn(f32) -> bool| {
        let ended = |record: &&GameRecord| record.ending.payoff().is_some_and(|payoff| holds(payoff.of(Player::First)));
        records.iter().filter(ended).count()
    };
    Facts::new([
        ("kind", kind.into()),
        ("game", origin.game.as_str().into()),
        ("seed", origin.seed.into()),
        ("network", origin.network.into()),
        ("games", records.len().into()),
        ("first_number", json!(ids.first())),
        ("last_number", json!(ids.last())),
        ("plies", plies.into()),
        ("positions", searched.into()),
        ("first_wins", count(|utility| utility > 0.0).into()),
        ("draws", count(|utility| utility == 0.0).into()),
        ("second_wins", count(|utility| utility < 0.0).into()),
        ("proven", records.iter().filter(|record| matches!(record.ending, Ending::Proven(_))).count().into()),
        ("unfinished", records.iter().filter(|record| record.ending.payoff().is_none()).count().into()),
    ])
}

fn tournament(terms: &Terms, games: usize) -> Facts {
    Facts::new([
        ("kind", "games of a tournament".into()),
        ("game", terms.game.as_str().into()),
        ("format", terms.format.to_string().into()),
        ("agents", json!(terms.agents.iter().map(|agent| &agent.name).collect::<Vec<_>>())),
        ("games_a_pairing", terms.games.into()),
        ("openings", terms.openings.to_string().into()),
        ("seed", terms.seed.into()),
        ("games", games.into()),
        ("version", terms.version.as_str().into()),
    ])
}

fn progress(progress: &Progress) -> Facts {
    let next = match progress.next {
        Next::Iteration { progress } => format!("an iteration, at {:.1} % of the run", 100.0 * progress),
        Next::Evaluation => "an evaluation".to_owned(),
        Next::End => "nothing: the run has ended".to_owned(),
    };
    Facts::new([
        ("iteration", progress.iteration.into()),
        ("games", progress.games.into()),
        ("positions", progress.positions.into()),
        ("steps", progress.steps.into()),
        ("next", next.into()),
        ("window_iterations", json!(progress.window.iter().map(|chunk| chunk.iteration).collect::<Vec<_>>())),
        ("minutes", tenths(progress.seconds / 60.0).into()),
        ("cpu_minutes", tenths(progress.core_seconds / 60.0).into()),
    ])
    .and(
        progress.best.into_iter().flat_map(|best| [("best_iteration", best.iteration.into()), ("best_share", best.share.into())]),
    )
    .and(progress.parent.as_deref().map(|parent| ("parent", parent.into())))
}

fn tenths(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}

fn folder(path: &Path) -> Result<Facts, CliError> {
    if !Folder::holds_run(path) {
        return Err(TrainError::Missing(path.to_owned()).into());
    }
    let config = read_file(&path.join("config.toml"))?;
    let named = |key: &str| json!(config.get("train").and_then(|train| train.get(key)));
    let count = |part: &str, end: &str| {
        let entries = fs::read_dir(path.join(part)).into_iter().flatten().flatten();
        // Iterations are named by number; copies such as the best have names.
        let is_numbered = |name: &str| name.strip_suffix(end).is_some_and(|number| number.parse::<u32>().is_ok());
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_numbered)).count()
    };
    let facts = Facts::new([
        ("kind", "run".into()),
        ("game", named("game")),
        ("seed", named("seed")),
        ("iterations_planned", named("iterations")),
    ]);
    let facts = match Saved::read(&path.join("state").join("run.state")) {
        Ok(saved) => facts.and(progress(&saved.progress)).and([("kernel", saved.kernel.into())]),
        Err(error) if error.is_missing() => facts.and([("next", "its beginning".into())]),
        Err(error) => return Err(error.into()),
    };
    Ok(facts.and([
        ("networks", count("nets", ".safetensors").into()),
        ("game_files", count("games", ".games").into()),
        ("in_use", Lock::is_held(path)?.into()),
    ]))
}
