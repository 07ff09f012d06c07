//! What an agent can tell of a position beside its decision: the values of all moves, and what its network alone thinks.

use crate::eval::Evaluator;
use crate::game::{Action, Game, Payoff, Position, Turn};
use crate::search::Decision;

/// Everything an agent makes of a position in which a player is to move.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Its decision, with what its search says of the moves.
    pub decision: Decision,
    /// The judgement of its network, where it has one.
    pub network: Option<RawNetwork>,
}

/// A network's judgement without search: nothing is mixed into it, neither visits nor noise.
#[derive(Clone, Debug, PartialEq)]
pub struct RawNetwork {
    /// The value of the position.
    pub value: Payoff,
    /// The legal moves in the order of [`Game::actions`].
    pub moves: Vec<RawMove>,
}

/// A network's judgement of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawMove {
    /// The move.
    pub action: Action,
    /// Its probability in the network's policy.
    pub prior: f32,
    /// The network's value of the position after it: the payoff where the game is over, none where chance acts.
    pub value: Option<Payoff>,
}

impl RawNetwork {
    /// Asks `network` about `position`, in which a player must be to move, and about each position a move leads to.
    pub fn judge<G: Game>(network: &mut dyn Evaluator<G>, position: &Position<G>) -> Self {
        let evaluation = network.evaluate_one(position.state());
        let judge = |(action, prior): (Action, f32)| {
            let mut after = position.clone();
            after.play(action);
            let value = match after.turn() {
                Turn::Over(payoff) => Some(payoff),
                Turn::Move(_) => Some(network.evaluate_one(after.state()).payoff),
                Turn::Chance => None,
            };
            RawMove { action, prior, value }
        };
        let moves = position.actions().into_iter().zip(evaluation.priors).map(judge).collect();
        Self { value: evaluation.payoff, moves }
    }
}
