//! The configuration of a game with other values, for what is measured.

use std::fmt::Display;

use crate::cli::error::CliError;
use crate::config::Layers;
use crate::game::{Entry, Game};
use crate::games::DEFAULT_CONFIG;
use crate::train::Config;

/// The shipped configuration of a game, with these keys set.
pub(super) fn with<G: Game>(entry: &Entry<G>, settings: &[(&str, &dyn Display)]) -> Result<Config, CliError> {
    let id = &entry.game.facts().id;
    let mut layers = Layers::base(&format!("the shipped configuration of {id}"), entry.config.unwrap_or(DEFAULT_CONFIG))?;
    layers.set(&format!("train.game={id}"))?;
    for (key, value) in settings {
        layers.set(&format!("{key}={value}"))?;
    }
    let config: Config = layers.read()?;
    config.validate(entry.game.facts())?;
    Ok(config)
}
