//! A solver as an agent: it never loses what a position is worth, wins as soon and loses as late as possible, and draws at random among
//! moves that are equally good.

use rand::RngExt as _;

use super::{Agent, Forfeit, Random};
use crate::game::{Action, Game, Payoff, Player, Position, Turn};
use crate::rng::Rng;
use crate::search::{Candidate, Decision};
use crate::solver::{Class, Solver, Verdict};

/// Perfect play.
pub(super) struct Perfect<G: Game> {
    pub(super) name: String,
    pub(super) solver: Box<dyn Solver<G>>,
}

impl<G: Game> Agent<G> for Perfect<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit> {
        let mut moves = self.solver.moves(position.state());
        // Stable, so that the order of the rules decides among equals.
        moves.sort_by(|(_, a), (_, b)| b.cmp(a));
        let (Some(&(_, best)), Turn::Move(mover)) = (moves.first(), position.turn()) else {
            // It was told to stop, and nobody counts what it says then.
            return Random.decide(position, rng);
        };
        let strongest: Vec<Action> =
            moves.iter().filter(|(_, verdict)| verdict.is_as_strong_as(best)).map(|&(action, _)| action).collect();
        let action = strongest[rng.random_range(0..strongest.len())];
        let candidate =
            |&(action, verdict): &(Action, Verdict)| Candidate { value: Some(payoff(verdict, mover)), ..Candidate::new(action) };
        Ok(Decision {
            action,
            candidates: moves.iter().map(candidate).collect(),
            principal_variation: vec![action],
            value: Some(payoff(best, mover)),
            nodes: 0,
            depth: Some(best.plies),
        })
    }
}

fn payoff(verdict: Verdict, mover: Player) -> Payoff {
    match verdict.outcome {
        Class::Win => Payoff::win(mover),
        Class::Draw => Payoff::DRAW,
        Class::Loss => Payoff::win(mover.other()),
    }
}
