//! Perfect play by looking at everything once: the value of a position is the best of its successors' (backward
//! induction), and each position's is remembered by the state itself, so that no two are ever confused.
//!
//! Hypotheses: two players, zero-sum, no chance, results that are wins, draws and losses, no position that leads back to
//! itself, and few enough positions to hold. Cost: time and memory in the number of reachable positions.
//! E. Zermelo, "Über eine Anwendung der Mengenlehre auf die Theorie des Schachspiels", 1913.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Class, Solver, Verdict, successors};
use crate::game::{Action, Game, Payoff, Player, Turn};
use crate::search::Unsuited;

/// Perfect play of a small game.
pub struct Exhaustive<G: Game> {
    game: Arc<G>,
    /// For the mover of each undecided position seen so far.
    known: HashMap<G::State, Verdict>,
}

impl<G: Game> Exhaustive<G> {
    /// A solver of `game`; positions are solved as they are asked for.
    ///
    /// # Errors
    /// When the game has chance, is not zero-sum or knows more than wins, draws and losses.
    pub fn new(game: &Arc<G>) -> Result<Self, Unsuited> {
        let facts = game.facts();
        if facts.chance || facts.sum != (0.0, 0.0) || !facts.wdl {
            let needs = "a zero-sum game of wins, draws and losses without chance";
            return Err(Unsuited { search: "the exhaustive solver", needs, game: facts.id.clone() });
        }
        Ok(Self { game: Arc::clone(game), known: HashMap::new() })
    }

    /// Every position that can be reached and in which somebody is to move; see [`super::undecided_positions`].
    #[must_use]
    pub fn undecided_positions(&self) -> Vec<G::State> {
        super::undecided_positions(self.game.as_ref())
    }

    /// What `state` is worth to its mover. Where the game is over and nobody is to move: to the first player.
    pub fn verdict(&mut self, state: &G::State) -> Verdict {
        let viewer = mover(self.game.turn(state));
        self.worth(state, viewer)
    }

    /// What `state` is worth to `viewer`.
    fn worth(&mut self, state: &G::State, viewer: Player) -> Verdict {
        match self.game.turn(state) {
            Turn::Over(payoff) => Verdict { outcome: class(payoff, viewer), plies: 0 },
            Turn::Move(mover) if mover == viewer => self.best(state, mover),
            // Chance never acts in the games that `new` accepts.
            Turn::Move(_) | Turn::Chance => self.best(state, viewer.other()).for_other(),
        }
    }

    /// What `state` is worth to `mover`, who is to move.
    fn best(&mut self, state: &G::State, mover: Player) -> Verdict {
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let mut best = Verdict { outcome: Class::Loss, plies: 0 };
        for (_, next) in successors(self.game.as_ref(), state) {
            best = best.max(self.worth(&next, mover).a_ply_before());
        }
        self.known.insert(state.clone(), best);
        best
    }
}

impl<G: Game> Solver<G> for Exhaustive<G> {
    fn moves(&mut self, state: &G::State) -> Vec<(Action, Verdict)> {
        let mover = mover(self.game.turn(state));
        let after = successors(self.game.as_ref(), state);
        after.into_iter().map(|(action, next)| (action, self.worth(&next, mover).a_ply_before())).collect()
    }
}

/// The one who sees a position: its mover, and the first player where there is none.
fn mover(turn: Turn) -> Player {
    match turn {
        Turn::Move(player) => player,
        Turn::Chance | Turn::Over(_) => Player::First,
    }
}

fn class(payoff: Payoff, viewer: Player) -> Class {
    match payoff.of(viewer) {
        utility if utility > 0.0 => Class::Win,
        utility if utility < 0.0 => Class::Loss,
        _ => Class::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::TicTacToe;

    #[test]
    fn tic_tac_toe_is_drawn_after_nine_plies() -> Result<(), Unsuited> {
        let game = Arc::new(TicTacToe::new());
        let mut solver = Exhaustive::new(&game)?;
        assert_eq!(solver.verdict(&game.initial()), Verdict { outcome: Class::Draw, plies: 9 });
        assert_eq!(solver.moves(&game.initial()).len(), 9);
        Ok(())
    }

    #[test]
    fn a_finished_game_is_seen_by_the_first_player() -> Result<(), Unsuited> {
        let game = Arc::new(TicTacToe::new());
        let mut state = game.initial();
        // X takes a column in the corner, O in the middle: the second player completes b1-b2-b3.
        for action in [0, 1, 3, 4, 8, 7] {
            game.play(&mut state, Action(action));
        }
        let mut solver = Exhaustive::new(&game)?;
        assert_eq!(solver.verdict(&state), Verdict { outcome: Class::Loss, plies: 0 });
        assert!(solver.moves(&state).is_empty());
        Ok(())
    }
}
