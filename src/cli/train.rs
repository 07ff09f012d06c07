//! `plyzero train`

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::error::CliError;
use super::judges::{AccuracyJudge, MatchJudge, Matches, PerfectPlay};
use super::output::{caution, file_word, program, say, shell_word};
use super::progress::Reporter;
use super::signals::stop_flag;
use super::{PATIENCE, TrainArguments, threads};
use crate::agent::{Builder, Spec};
use crate::config::{Layers, read_file};
use crate::game::{Entry, Game, Games, Visit};
use crate::games::DEFAULT_CONFIG;
use crate::net::{Checkpoint, Device, Header, open_device};
use crate::solver::four_in_a_row::sets::Half;
use crate::storage::{Disk, StorageError, System};
use crate::train::{Config, Folder, Judge, Limits, Run, Start, Summary, TrainError};

/// Positions of each solved set in which a run compares its networks with perfect play, always the same.
const SAMPLE: usize = 10;

struct Train<'a> {
    arguments: &'a TrainArguments,
    /// A configuration that changes some keys of the shipped one, with its name.
    file: Option<(String, toml::Table)>,
    /// The network to begin with.
    from: Option<Header>,
}

pub(super) fn run(games: &impl Games, arguments: &TrainArguments) -> Result<(), CliError> {
    let resumed = arguments.resume.as_ref().map(|folder| folder.join("config.toml"));
    if let Some(folder) = arguments.resume.as_ref().filter(|folder| !Folder::holds_run(folder)) {
        return Err(TrainError::Missing(folder.clone()).into());
    }
    let file = match resumed.as_ref().or(arguments.config.as_ref()) {
        Some(path) => Some((path.display().to_string(), read_file(path)?)),
        None => None,
    };
    let from = arguments.from.as_ref().map(|path| Header::read(path)).transpose()?;
    let in_file = file.as_ref().and_then(|(_, table)| game_in(table));
    let in_network = from.as_ref().map(|header| header.architecture.game.as_str());
    let named = arguments.game.as_deref().or(in_file).or(in_network).map(str::to_owned);
    let name = named.or_else(|| games.ids().into_iter().next()).unwrap_or_default();
    games.dispatch(&name, &mut Train { arguments, file, from })?
}

impl Visit for Train<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let layers = self.layers(entry)?;
        let config: Config = layers.read()?;
        config.validate(entry.game.facts())?;
        let device = open_device(&config.train.device)?;
        let threads = threads(self.arguments.threads);
        let stop = stop_flag(|| caution("stopping; everything but the games in hand is kept. Again to quit at once"));
        // Everything that can be wrong is found before the folder is made.
        if let Some(path) = &self.arguments.from {
            let sizes = Checkpoint::load(path, entry.game.facts(), &device)?.header.architecture.network;
            if sizes != config.network {
                return Err(TrainError::Shape(sizes).into());
            }
        }
        let judges = judges(entry, &config, &device, threads, &stop)?;
        let folder = self.folder(&entry.game.facts().id)?;
        let reporter =
            Reporter::headed(format!("training {} in {} on {threads} threads", config.train.game, folder.path().display()));
        let run = Run {
            game: &entry.game,
            config: &config,
            text: &format!("# plyzero {}\n{layers}", env!("CARGO_PKG_VERSION")),
            folder: &folder,
            start: self.arguments.from.clone().map_or(Start::Fresh, Start::From),
            device: &device,
            threads,
            limits: Limits { minutes: self.arguments.minutes, cpu_minutes: self.arguments.cpu_minutes },
            allow_kernel_change: self.arguments.allow_kernel_change,
            judges,
            observer: &reporter,
            stop: &stop,
            patience: PATIENCE,
        };
        let ended = run.run();
        reporter.finish();
        match ended {
            // Before its configuration is there, there is nothing to go on with.
            Err(TrainError::Interrupted) if !Folder::holds_run(folder.path()) => Err(CliError::Interrupted),
            Err(TrainError::Interrupted) => {
                let folder = shell_word(&folder.path().display().to_string());
                let _ = say(format_args!("\ngo on with:  {} train --resume {folder}", program()));
                Err(CliError::Interrupted)
            }
            ended => conclude(&config, &ended?),
        }
    }
}

impl Train<'_> {
    /// The shipped configuration, then the sizes of the network to begin with, then the file, then the command line.
    fn layers<G: Game>(&self, entry: &Entry<G>) -> Result<Layers, CliError> {
        let id = &entry.game.facts().id;
        let named = format!("train.game={id}");
        let mut layers = Layers::base(&format!("the shipped configuration of {id}"), entry.config.unwrap_or(DEFAULT_CONFIG))?;
        layers.set(&named)?;
        if let Some(header) = &self.from {
            for (key, value) in header.architecture.network.settings() {
                layers.set(&format!("network.{key}={value}"))?;
            }
        }
        if let Some((path, table)) = &self.file {
            layers.overlay(path, table)?;
            // It chose this game, perhaps in other words than the canonical ones.
            if game_in(table).is_some() {
                layers.set(&named)?;
            }
        }
        for text in &self.arguments.set {
            layers.set(text)?;
        }
        Ok(layers)
    }

    fn folder(&self, id: &str) -> Result<Folder, CliError> {
        let disk = Arc::new(System);
        let folder = match (&self.arguments.resume, &self.arguments.run) {
            (Some(path), _) => Folder::open(path, disk),
            (None, Some(path)) => Folder::create(path, disk),
            (None, None) => unused_folder(id, &disk),
        };
        folder.map_err(CliError::Folder)
    }
}

fn judges<G: Game>(
    entry: &Entry<G>,
    config: &Config,
    device: &Device,
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Judge>>, CliError> {
    let (evaluation, rule) = (&config.evaluation, config.search.play_rule());
    let matches = Matches {
        entry: entry.clone(),
        opponents: Builder { entry, device, stop: Some(stop) }.opponents(&evaluation.opponents)?,
        games: evaluation.games,
        opening_plies: evaluation.opening_plies,
        seed: config.train.seed,
        threads,
        stop: Arc::clone(stop),
    };
    let (simulations, device) = (evaluation.simulations, device.clone());
    let mut judges: Vec<Box<dyn Judge>> = vec![Box::new(MatchJudge { matches, rule, simulations, device: device.clone() })];
    // Of solved sets the network alone sees a few positions, which costs next to nothing.
    let (perfect, search) = if entry.enumerable {
        (PerfectPlay::whole(&entry.game).ok(), Some((rule, simulations)))
    } else {
        (PerfectPlay::sampled(entry, Half::Development, SAMPLE)?, None)
    };
    if let Some(perfect) = perfect {
        judges.push(Box::new(AccuracyJudge { perfect, search, device, stop: Arc::clone(stop) }));
    }
    Ok(judges)
}

/// The game that a configuration names.
fn game_in(table: &toml::Table) -> Option<&str> {
    table.get("train")?.get("game")?.as_str()
}

/// The first of `checkpoints/<id>-1`, `-2`, ... that nobody has.
fn unused_folder(id: &str, disk: &Arc<System>) -> Result<Folder, TrainError> {
    let mut number = 1;
    loop {
        let path = PathBuf::from("checkpoints").join(format!("{}-{number}", file_word(id)));
        match Folder::create(&path, Arc::clone(disk) as Arc<dyn Disk>) {
            Err(TrainError::Exists(_) | TrainError::Storage(StorageError::Locked(_))) => number += 1,
            folder => return folder,
        }
    }
}

/// Where the networks are, and what to do with them: commands that run as they stand.
fn conclude(config: &Config, summary: &Summary) -> Result<(), CliError> {
    let (game, simulations) = (&config.train.game, config.evaluation.simulations);
    let best = summary.best.as_ref().unwrap_or(&summary.latest).display().to_string();
    if !summary.went_on {
        say("this run has ended; --set train.iterations=N makes it longer")?;
    }
    say(format_args!("\nlatest network: {}", summary.latest.display()))?;
    if let Some(best) = &summary.best {
        say(format_args!("best network:   {}", best.display()))?;
    }
    let program = program();
    let agent = Spec::new("puct", &[("net", &best), ("sims", "400")]).to_string();
    say(format_args!("\nplay against it:  {program} play {game} --agent {}", shell_word(&agent)))?;
    say(format_args!("measure it:       {program} evaluate {} --sims {simulations}", shell_word(&best)))?;
    Ok(())
}
