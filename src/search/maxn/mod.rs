//! Max-n for two players: each maximises its own utility, whatever that does to the other's. A position is worth a pair, that
//! of the move its mover prefers; where chance acts, the mean of its results.
//!
//! Pruning uses that sums are bounded. Let u1 + u2 lie within [lo, hi] at every end of a game. In a position where B is to move
//! and which A may avoid by a move already valued, worth alpha to A, let (x, y) be the best for B so far, y being B's part. B
//! will end with v >= y, so A with u <= hi - v <= hi - y. Hence
//!
//! - the pair test: once `hi - y <= alpha`, the position's other moves need no search, for A keeps its earlier move;
//! - the coordinate test: once `x + (hi - lo) <= alpha`, likewise, since hi - y <= hi - (lo - x). It is weaker and looks at A's
//!   part alone. With half of `hi - lo` it would be wrong.
//!
//! Such a position has no value: its parent drops the move, and nothing exact is made of it. Bounds go one move down and no
//! further, and none through chance: what A could have elsewhere does not bind B's choices between other moves. At lo = hi = 0
//! the pair test is alpha-beta's shallow cut.
//!
//! With [`Ties::First`] that is all. With [`Ties::Drawn`] a move just as good as the earlier one counts too, so both tests are
//! strict; but where lo = hi only for the moves of the root, since equal utilities are equal pairs there and any of them says as
//! much as their mean. Means are rounded, so with chance or means of ties the tests keep a margin far above all rounding. Where
//! ties are drawn, the order of moves decides nothing, and those that look best are tried first.
//!
//! Hypotheses: two players; chance and general sums are welcome; the facts bound the sums. An estimate whose sum lies
//! outside is moved inside, both parts alike, with pruning or without. Depth counts moves of players, chance is free. Cost: b^d
//! positions at most; memory d. C. Luckhardt and K. Irani, "An algorithmic solution of n-person games", 1986; R. Korf,
//! "Multi-player alpha-beta pruning", 1991 (why bounds go one move down alone).

mod node;
mod worth;

use std::sync::Arc;

use rand::RngExt as _;

use super::buffers::Buffers;
use super::variations::Variations;
use super::{Budget, Candidate, Decision, Meter, Unsuited};
use crate::game::{Action, Game, Known, Player, Turn};
use crate::rng::Rng;
use node::Found;
use worth::{Bounds, Choice, Worth};

/// Which positions are left before all their moves are searched. None changes the pair of the root nor the moves to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// None.
    Off,
    /// Those that the other player's utility of the best move so far condemns.
    Coordinate,
    /// Those that the mover's utility of the best move so far condemns: never fewer.
    Pair,
}

/// What happens to moves that are equally good for their mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The first one listed is played.
    First,
    /// Each is played with the same probability: the position is worth the mean of their pairs.
    Drawn,
}

/// Max-n for game `G`.
pub struct MaxN<G: Game> {
    game: Arc<G>,
    knowledge: Option<Known<G::State>>,
    pruning: Pruning,
    ties: Ties,
    bounds: Bounds,
    /// Legal moves, a buffer for each ply of the path.
    moves: Buffers<Vec<Action>>,
    lines: Variations,
    meter: Meter,
    leaves: u64,
}

/// A root move, with the pair of its position where that was found, and the play expected after it.
struct RootMove {
    action: Action,
    worth: Option<Worth>,
    line: Vec<Action>,
}

impl<G: Game> MaxN<G> {
    /// A search of `game`. Positions at the depth limit are valued by `knowledge`, or as draws without it.
    ///
    /// # Errors
    /// When the facts of the game do not bound its sums.
    pub fn new(game: &Arc<G>, knowledge: Option<Known<G::State>>, pruning: Pruning, ties: Ties) -> Result<Self, Unsuited> {
        let facts = game.facts();
        let rounds = facts.chance || ties == Ties::Drawn && facts.sum.0 < facts.sum.1;
        let unsuited = Unsuited { search: "max-n", needs: "a game with finite bounds of its sums", game: facts.id.clone() };
        let bounds = Bounds::new(facts.sum, rounds).ok_or(unsuited)?;
        let (game, meter) = (Arc::clone(game), Budget::default().start());
        Ok(Self {
            game,
            knowledge,
            pruning,
            ties,
            bounds,
            moves: Buffers::default(),
            lines: Variations::default(),
            meter,
            leaves: 0,
        })
    }

    /// Chooses a best move of `state`, in which a player must be to move: by [`Ties`] among equal ones, which stand first in
    /// [`Decision::candidates`] with their pairs. Moves known to be no better have no value there. The depth of the budget counts
    /// moves of players. A budget that ends early leaves the moves not finished without a value.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn search(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.decide(state, budget, rng, false)
    }

    /// As [`MaxN::search`], with the pair of every legal move.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn analyse(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.decide(state, budget, rng, true)
    }

    /// The leaves of the last search: ends of games and estimates.
    #[must_use]
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    fn decide(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng, every: bool) -> Decision {
        (self.meter, self.leaves) = (budget.start(), 0);
        let depth = budget.depth_within(self.game.facts().max_plies);
        let mover = match self.game.turn(state) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let mut actions = Vec::new();
        self.game.actions(state, &mut actions);
        let mut moves: Vec<_> = actions.iter().map(|&action| RootMove { action, worth: None, line: vec![action] }).collect();
        let mut choice = Choice::new(mover, self.ties);
        let complete = self.value_all(state, depth, &mut moves, &mut choice, every).is_some();
        // Best first; moves without a pair are last, in the order of the rules.
        let key = |entry: &RootMove| entry.worth.map_or(f64::NEG_INFINITY, |worth| worth.of(mover));
        moves.sort_by(|a, b| key(b).total_cmp(&key(a)));
        let ties = match self.ties {
            Ties::First => 1,
            Ties::Drawn => moves.iter().filter(|entry| entry.worth.is_some() && key(entry) == key(&moves[0])).count().max(1),
        };
        let chosen = rng.random_range(0..ties);
        moves[..=chosen].rotate_right(1);
        let candidate = |entry: RootMove| Candidate {
            value: entry.worth.map(Worth::payoff),
            principal_variation: entry.line,
            ..Candidate::new(entry.action)
        };
        let candidates = moves.into_iter().map(candidate).collect();
        let value = choice.worth().map(Worth::payoff);
        Decision::for_first(candidates, value, self.meter.nodes(), complete.then_some(depth))
    }

    /// Fills in the pairs; `None` when the budget ends first.
    fn value_all(
        &mut self,
        state: &G::State,
        depth: u32,
        moves: &mut [RootMove],
        choice: &mut Choice,
        every: bool,
    ) -> Option<()> {
        self.meter.spend().then_some(())?;
        self.put_promising_first(state, choice.mover(), depth, moves, |entry| entry.action);
        for entry in moves {
            let mut next = state.clone();
            self.game.play(&mut next, entry.action);
            let held = choice.held().filter(|_| !every);
            if let Found::Exact(worth) = self.visit(&next, 1, depth - 1, held)? {
                entry.worth = Some(worth);
                entry.line = self.lines.after_root_move(entry.action);
                choice.offer(worth);
            }
        }
        Some(())
    }
}
