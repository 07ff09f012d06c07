//! What a search finds, as lines of the protocol.

use std::time::Duration;

use crate::agent::thinker::{Judged, Thought};
use crate::game::{Action, Game, Notation, Player};
use crate::search::Candidate;

/// How things are written.
pub(super) struct Report<'a, G: Game> {
    pub(super) notation: &'a dyn Notation<State = G::State>,
    pub(super) state: &'a G::State,
    pub(super) mover: Player,
    pub(super) chess960: bool,
}

impl<G: Game> Report<'_, G> {
    /// A move of the position, as it is sent.
    pub(super) fn sent(&self, action: Action) -> String {
        self.notation.sent(self.state, action, self.chess960)
    }

    /// The moves of a line from the position.
    pub(super) fn line(&self, moves: &[Action]) -> String {
        let mut state = self.state.clone();
        let mut text = |&action: &Action| {
            let text = self.notation.sent(&state, action, self.chess960);
            self.notation.play(&mut state, action);
            text
        };
        moves.iter().map(&mut text).collect::<Vec<_>>().join(" ")
    }

    /// An `info` line for each of the best moves, the best first.
    pub(super) fn info(&self, thought: &Thought, lines: usize, elapsed: Duration) -> Vec<String> {
        let decision = &thought.decision;
        let depth = decision.depth.unwrap_or(decision.principal_variation.len() as u32);
        let millis = elapsed.as_millis();
        let speed = thought.nodes as u128 * 1000 / millis.max(1);
        let common = format!("nodes {} nps {speed} hashfull {} time {millis}", thought.nodes, thought.filled);
        let valued = decision.candidates.iter().filter_map(|candidate| Some((candidate, self.score(candidate)?)));
        let line = |(number, (candidate, score)): (usize, (&Candidate, String))| {
            let line = self.line(&candidate.principal_variation);
            let deepest = thought.deepest.max(depth);
            format!("info depth {depth} seldepth {deepest} multipv {} score {score} {common} pv {line}", number + 1)
        };
        valued.take(lines).enumerate().map(line).collect()
    }

    /// A value of a move, in hundredths of a pawn or in moves to the mate.
    fn score(&self, candidate: &Candidate) -> Option<String> {
        let value = candidate.value?.of(self.mover);
        Some(match candidate.plies_to_end {
            Some(plies) if value > 0.0 => format!("mate {}", plies.div_ceil(2)),
            Some(plies) if value < 0.0 => format!("mate -{}", plies / 2),
            // Farther than any value of pieces, nearer than a mate.
            _ => format!("cp {}", self.notation.hundredths(value).clamp(-20_000.0, 20_000.0).round() as i32),
        })
    }

    /// What a tree search thinks of each move, the most visited last, in the form that viewers of Leela Chess Zero read.
    pub(super) fn moves(&self, thought: &Thought) -> Vec<String> {
        let mut moves = thought.moves.clone();
        moves.sort_by_key(|judged| judged.visits);
        let line = |judged: Judged| {
            let Judged { action, visits, prior, value, bonus, network } = judged;
            let network = network.map_or_else(|| " -.----".to_owned(), |value| format!("{value:7.4}"));
            format!(
                "info string {:<5} ({:>4}) N: {visits:>7} (+ 0) (P: {:5.2}%) (Q: {value:8.5}) (U: {bonus:7.5}) (S: {:8.5}) (V: {network})",
                self.sent(action),
                action.0,
                100.0 * prior,
                value + bonus,
            )
        };
        moves.into_iter().map(line).collect()
    }
}
