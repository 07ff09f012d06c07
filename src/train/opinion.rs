//! What a search thought of a position beside the move it chose: what targets, weights and starts of games are made of.

use serde::{Deserialize, Serialize};

use crate::eval::Forecast;
use crate::game::{Action, Game, Player};
use crate::search::mcts::{Tree, most_probable};

/// What a search thought of the position it began at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// The position's value: the mean of everything backed up, or what is proven.
    pub value: Forecast,
    /// What was expected of the move that counted most.
    pub best: Forecast,
    /// How far the search's policy was from the network's priors: the relative entropy, in nats; 0 where the network was not asked.
    pub surprise: f32,
    /// By how much `best` differed from the value that the network alone gave the position, for the one who was to move, in utilities; 0 where
    /// the network was not asked.
    pub gap: f32,
    /// Plies until the game ends by what was proven of the position, where it was.
    pub proven: Option<u32>,
    /// Whether the ply gave away more than [`Opinion::MARGIN`] of `best`: what came after it says less about the position.
    pub exploratory: bool,
}

impl Opinion {
    /// Utility that a move may give away and still count as one of the best.
    pub const MARGIN: f32 = 0.03;

    /// What the search of `tree` thought, `mover` being to move at its root and playing `action`.
    pub(super) fn of<G: Game>(tree: &Tree<G>, mover: Player, action: Action) -> Option<Self> {
        let value = tree.forecast()?;
        let policy = tree.policy();
        let forecasts: Vec<Option<Forecast>> = tree.forecasts().collect();
        let expected = |of: Action| policy.iter().zip(&forecasts).find(|((listed, _), _)| *listed == of)?.1.as_ref().copied();
        let favourite = most_probable(&policy);
        let best = expected(favourite).unwrap_or(value);
        let given_away = expected(action).map(|played| best.payoff.of(mover) - played.payoff.of(mover));
        let (surprise, gap) = tree.evaluated().map_or((0.0, 0.0), |network| {
            let gap = best.payoff.of(mover) - network.forecast.payoff.of(mover);
            (relative_entropy(&policy, &network.priors), gap.abs())
        });
        Some(Self {
            value,
            best,
            surprise,
            gap,
            proven: tree.proof().map(|proof| proof.plies),
            exploratory: action != favourite && given_away.is_none_or(|utility| utility > Self::MARGIN),
        })
    }
}

/// Of a policy from priors of the same moves, in nats.
fn relative_entropy(policy: &[(Action, f32)], priors: &[f32]) -> f32 {
    let part = |(&(_, share), &prior): (&(Action, f32), &f32)| {
        // A prior that rounding made nothing surprises as much as the least number does.
        if share > 0.0 { share * (share / prior.max(f32::MIN_POSITIVE)).ln() } else { 0.0 }
    };
    policy.iter().zip(priors).map(part).sum::<f32>().max(0.0)
}
