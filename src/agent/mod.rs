//! Players: anything that can be asked for a move, named by one string.
//!
//! | specification | agent |
//! |---|---|
//! | `random` | uniformly random legal moves |
//! | `minimax[:depth=N]` | plain minimax; without a depth to the end, where all positions can be visited |
//! | `alpha-beta[:depth=N,nodes=N,time=T,table=MIB,PART=false]` | alpha-beta; without a limit to the end or 8 plies; a PART of [`Selective`] |
//! | `expectimax[:depth=N]` | minimax through chance; without a depth to the end or 3 moves |
//! | `maxn[:depth=N]` | each player for itself, where sums are general; without a depth to the end or 4 moves |
//! | `uct[:sims=N,time=T,c=X,reuse=true]` | tree search with rollouts; 1000 simulations unless said otherwise |
//! | `net:PATH` | the most probable move of a network, without search |
//! | `solver[:cache=FILE,table=MIB]` | perfect play, at random among equally good moves, for games with a solver |
//! | `uci:CMD`, `uci:cmd=CMD[,args="A B",time=T,depth=N,nodes=N,patience=T,OPTION=VALUE]` | another program that speaks UCI; 100 ms a move |
//! | `puct[:net=PATH,sims=N,time=T,c_puct=X,fpu=X,gather=N,reuse=true]` | tree search with a network, in a game that is shipped with one that one; 400 simulations |
//!
//! A value that holds a comma stands in double quotes; [`Spec`] has the grammar.
//!
//! [`Selective`]: crate::search::alpha_beta::Selective

mod analysis;
mod build;
mod classical;
mod contender;
mod external;
mod kept;
mod options;
mod perfect;
mod referee;
mod spec;
pub mod thinker;
mod tree;

pub use analysis::{Analysis, RawMove, RawNetwork};
pub use build::{AgentError, Builder};
pub use contender::Contender;
pub use options::puct_rule;
pub use referee::decide_legally;
pub use spec::{Spec, SpecError};
pub use tree::{RawAgent, TreeAgent, TreeOptions};

use std::sync::Arc;

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use crate::game::{Game, Position};
use crate::rng::Rng;
use crate::search::{Candidate, Decision};

/// A player of game `G`.
pub trait Agent<G: Game>: Send {
    /// The specification that made it, such as `alpha-beta:depth=4`.
    fn name(&self) -> &str;

    /// Chooses a move where a player is to move. All randomness comes from `rng`.
    ///
    /// # Errors
    /// When the agent cannot go on, which loses it the game.
    fn decide(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit>;

    /// Decides as for a game, and tells as much of every legal move as can be known: what a search leaves out in play to save
    /// time, and what a network thinks by itself. An agent whose decisions hold all it knows need not say more.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    fn analyse(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Analysis, Forfeit> {
        Ok(Analysis { decision: self.decide(position, rng)?, network: None })
    }
}

/// Makes agents, one for each game.
pub type AgentFactory<G> = Arc<dyn Fn() -> Box<dyn Agent<G>> + Send + Sync>;

/// Why an agent gave up a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{agent} forfeits: {reason}")]
pub struct Forfeit {
    /// Who.
    pub agent: String,
    /// Why.
    pub reason: String,
}

/// Plays every legal move with the same probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Agent<G> for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn decide(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit> {
        let actions = position.actions();
        let action = actions[rng.random_range(0..actions.len())];
        let even = |&action| Candidate { prior: Some(1.0 / actions.len() as f32), ..Candidate::new(action) };
        Ok(Decision {
            action,
            candidates: actions.iter().map(even).collect(),
            principal_variation: vec![action],
            value: None,
            nodes: 0,
            depth: None,
        })
    }
}
