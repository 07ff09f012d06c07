//! Hand-written judgement of positions, where a game has any.

use super::sample::Sample;
use super::{Property, Test, ensure};
use crate::game::{Game, Payoff, Player};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![Property {
        name: "heuristics",
        law: "estimates lie strictly between a loss and a win, sum to 0 where payoffs do, and do not notice symmetries",
        test: Test::Position(heuristics),
    }]
}

fn heuristics<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let (game, Some(knowledge), Some(_)) = (sample.game(), &sample.entry.knowledge, sample.mover(state)) else { return Ok(()) };
    let payoff = knowledge.heuristic(state);
    ensure(payoff.0.iter().all(|utility| utility.abs() < 1.0), || format!("the estimate {:?} is a decided game's", payoff.0))?;
    let zero_sum = Payoff::zero_sum(Player::First, payoff.of(Player::First));
    ensure(game.facts().sum != (0.0, 0.0) || payoff == zero_sum, || format!("the estimate {:?} does not sum to 0", payoff.0))?;
    for symmetry in game.symmetries() {
        let (index, image) = (symmetry.index, game.transform(state, symmetry));
        let estimate = knowledge.heuristic(&image);
        ensure(estimate == payoff, || format!("under symmetry {index} the estimate {:?} is {:?}", payoff.0, estimate.0))?;
        let is_threatened = knowledge.is_threatened(state);
        ensure(knowledge.is_threatened(&image) == is_threatened, || format!("symmetry {index} changes who is threatened"))?;
        let differs = |&action: &_| knowledge.ordering(&image, symmetry.action(action)) != knowledge.ordering(state, action);
        let moved = sample.actions(state).into_iter().find(differs);
        ensure(moved.is_none(), || format!("symmetry {index} changes how promising {moved:?} is"))?;
    }
    Ok(())
}
