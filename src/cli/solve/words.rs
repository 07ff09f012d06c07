//! Answers in words, for games small enough to visit every position: class and plies to the end.

use std::sync::Arc;

use super::{Answer, Answers, NO_MOVES};
use crate::cli::place::words;
use crate::game::{Action, Game, Position, Turn};
use crate::play::wording::plies;
use crate::solver::four_in_a_row::Goal;
use crate::solver::{Exhaustive, Solver as _, Verdict};

/// Answers questions about a small game.
pub(super) struct Words<G: Game> {
    pub(super) game: Arc<G>,
    pub(super) solver: Exhaustive<G>,
    pub(super) goal: Goal,
    /// Whether to tell what the position is worth, and nothing of its moves.
    pub(super) score_only: bool,
}

impl<G: Game> Answers for Words<G> {
    fn answer(&mut self, line: &str) -> Result<Answer, String> {
        let mut position = Position::initial(&self.game);
        let mut moves = Vec::new();
        let ended = |count: usize| format!("the game is over after {}: nobody is to move", plies(count));
        for word in words(line).filter(|&word| word != NO_MOVES) {
            if !matches!(position.turn(), Turn::Move(_)) {
                return Err(ended(moves.len()));
            }
            let action = self.game.parse(position.state(), word).map_err(|error| format!("move {}: {error}", moves.len() + 1))?;
            moves.push(self.game.label(position.state(), action));
            position.play(action);
        }
        let verdicts = self.solver.moves(position.state());
        let best = verdicts.iter().map(|&(_, verdict)| verdict).max().ok_or_else(|| ended(moves.len()))?;
        let told = |(action, verdict): (Action, Verdict)| {
            format!("{} {}", self.game.label(position.state(), action), self.told(verdict))
        };
        let text = if self.score_only {
            self.told(best)
        } else {
            let verdicts: Vec<String> = verdicts.into_iter().map(told).collect();
            let name = if moves.is_empty() { NO_MOVES.to_owned() } else { moves.join(" ") };
            format!("{name}: {}", verdicts.join(", "))
        };
        Ok(Answer { text: Some(text), differs: false, nodes: 0 })
    }
}

impl<G: Game> Words<G> {
    fn told(&self, Verdict { outcome, plies }: Verdict) -> String {
        let class = outcome.name();
        if self.goal == Goal::Class { class.to_owned() } else { format!("{class} in {plies}") }
    }
}
