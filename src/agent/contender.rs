//! An agent about to be measured: with its maker, what a measurement must know of it.

use std::path::Path;

use super::{AgentError, AgentFactory, Builder, Spec};
use crate::game::Game;
use crate::net::Checkpoint;
use crate::storage::{StorageError, read_capped, sha256};

/// A maker of agents, and what they are.
pub struct Contender<G: Game> {
    /// The specification, written in one way.
    pub name: String,
    /// The maker.
    pub factory: AgentFactory<G>,
    /// Whether a clock bounds its moves, so that they are no function of the seed.
    pub is_timed: bool,
    /// The SHA-256 of its network file, where it has one.
    pub network: Option<String>,
}

impl<G: Game> Builder<'_, G> {
    /// The contender that `text` specifies.
    ///
    /// # Errors
    /// As [`Builder::factory`].
    pub fn contender(&self, text: &str) -> Result<Contender<G>, AgentError> {
        let mut spec: Spec = text.parse()?;
        let name = spec.to_string();
        let is_timed = spec.take("time").is_some();
        // Before the maker reads the network. Were the file replaced in between, the maker would have the newer one; games begun
        // with it and gone on with later would then be refused, where the other way round they would be mixed with those of the
        // older one.
        let network = spec.take("net").or_else(|| spec.take(Spec::PATH)).map(|path| checksum(Path::new(&path)));
        let factory = self.factory(text)?;
        let unreadable = |source: StorageError| AgentError::Network { spec: name.clone(), source: source.into() };
        Ok(Contender { factory, is_timed, network: network.transpose().map_err(unreadable)?, name })
    }
}

fn checksum(path: &Path) -> Result<String, StorageError> {
    Ok(sha256(&read_capped(path, Checkpoint::CAP)?))
}
