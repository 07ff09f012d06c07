//! An agent about to be measured: with its maker, what a measurement must know of it.

use super::{AgentError, AgentFactory, Builder, Spec};
use crate::game::Game;
use crate::storage::{StorageError, sha256};

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
        let network = self.named_network(&mut spec).map(|path| Ok(sha256(&self.network_file(&path)?)));
        let factory = self.factory(text)?;
        let unreadable = |source: StorageError| AgentError::Network { spec: name.clone(), source: source.into() };
        Ok(Contender { factory, is_timed, network: network.transpose().map_err(unreadable)?, name })
    }

    /// The network that an agent plays with, if it is one that does.
    fn named_network(&self, spec: &mut Spec) -> Option<String> {
        match spec.kind() {
            "net" => spec.take(Spec::PATH),
            // Where none is named and none is shipped, the maker refuses.
            "puct" => self.take_network(spec).ok(),
            _ => None,
        }
    }
}
