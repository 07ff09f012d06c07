//! The one rule that agents are held to wherever they play: the move they choose is legal.

use super::{Agent, Forfeit};
use crate::game::{Game, Position};
use crate::rng::Rng;
use crate::search::Decision;

/// What `agent` decides in `position`, where a player is to move; the move of the decision is legal.
///
/// # Errors
/// When the agent gives up, or chooses a move that is not legal, which is the same.
pub fn decide_legally<G: Game>(agent: &mut dyn Agent<G>, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit> {
    let decision = agent.decide(position, rng)?;
    if position.actions().contains(&decision.action) {
        Ok(decision)
    } else {
        let reason = format!("it chose action {}, which is not legal there", decision.action.0);
        Err(Forfeit { agent: agent.name().to_owned(), reason })
    }
}
