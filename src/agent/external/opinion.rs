//! What another program says of a position while it searches.

use crate::game::{Action, Game, Notation, Payoff, Position, Turn};
use crate::search::{Candidate, Decision};

/// What a program has said of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Opinion {
    score: Option<Score>,
    depth: Option<u32>,
    nodes: u64,
}

/// A score of the protocol, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Score {
    /// Hundredths of a pawn.
    Hundredths(i32),
    /// Moves to the mate; 0 and less where the player is mated.
    Mate(i32),
}

impl Opinion {
    /// Takes in a line, if it tells of the best move.
    pub(super) fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.iter().position(|word| *word == name).map(|at| &words[at + 1..]);
        let number = |name: &str| after(name)?.first()?.parse::<u64>().ok();
        if words.first() != Some(&"info") || words.get(1) == Some(&"string") || number("multipv").is_some_and(|line| line != 1) {
            return;
        }
        let score = match after("score") {
            Some([kind, value, rest @ ..]) if !rest.first().is_some_and(|bound| bound.ends_with("bound")) => {
                value.parse().ok().and_then(|value| match *kind {
                    "cp" => Some(Score::Hundredths(value)),
                    "mate" => Some(Score::Mate(value)),
                    _ => None,
                })
            }
            _ => None,
        };
        if score.is_some() {
            self.score = score;
            self.depth = number("depth").and_then(|depth| depth.try_into().ok()).or(self.depth);
        }
        self.nodes = number("nodes").unwrap_or(self.nodes);
    }

    /// The decision for `action` in these words.
    pub(super) fn decision<G: Game>(
        self,
        position: &Position<G>,
        notation: &dyn Notation<State = G::State>,
        action: Action,
    ) -> Decision {
        let utility = self.score.map(|score| match score {
            Score::Hundredths(value) => notation.utility(value as f32),
            Score::Mate(moves) => {
                if moves > 0 {
                    1.0
                } else {
                    -1.0
                }
            }
        });
        let value = match position.turn() {
            Turn::Move(mover) => utility.map(|utility| Payoff::zero_sum(mover, utility)),
            _ => None,
        };
        let plies_to_end = match self.score {
            Some(Score::Mate(moves)) if moves > 0 => Some(moves.unsigned_abs().saturating_mul(2) - 1),
            Some(Score::Mate(moves)) => Some(moves.unsigned_abs().saturating_mul(2)),
            _ => None,
        };
        let candidate = Candidate { value, plies_to_end, ..Candidate::new(action) };
        Decision {
            action,
            candidates: vec![candidate],
            principal_variation: vec![action],
            value,
            nodes: self.nodes,
            depth: self.depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exact_score_of_the_best_line_counts() {
        let mut opinion = Opinion::default();
        for line in [
            "info depth 3 score cp 12 nodes 40 pv e2e4",
            "info depth 4 seldepth 9 multipv 1 score cp -30 nodes 90 time 3",
            "info depth 4 multipv 2 score cp 500",
            "info depth 5 score cp 400 lowerbound nodes 120",
            "info string score cp 900",
            "info depth score cp",
            "id name x",
        ] {
            opinion.hear(line);
        }
        assert_eq!(opinion, Opinion { score: Some(Score::Hundredths(-30)), depth: Some(4), nodes: 120 });
        opinion.hear("info score mate -3 depth 9");
        assert_eq!(opinion, Opinion { score: Some(Score::Mate(-3)), depth: Some(9), nodes: 120 });
    }
}
