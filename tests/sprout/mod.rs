//! Random trees, written down: every shape a search may meet, with leaves on a coarse grid, so that many are equal.

use plyzero::game::Player;
use plyzero::rng::Rng;
use plyzero::search::textbook::{Node, chance, pair};
use rand::RngExt as _;

/// What random trees look like.
#[derive(Clone, Copy, Debug)]
pub struct Sprout {
    /// Plies, at most.
    pub depth: u32,
    /// Bounds of the sum of both utilities.
    pub sum: (f32, f32),
    /// Utilities are multiples of this, a power of two.
    pub grid: f32,
    /// How many in ten positions are chance's.
    pub chance: u32,
}

impl Sprout {
    /// A tree with at most so many plies; at least one, and a player is to move at the root.
    pub fn grow(&self, rng: &mut Rng) -> Node {
        Node::Move(Player::First, self.children(self.depth, rng))
    }

    fn children(&self, depth: u32, rng: &mut Rng) -> Vec<Node> {
        (0..rng.random_range(1..=4)).map(|_| self.node(depth - 1, rng)).collect()
    }

    fn node(&self, depth: u32, rng: &mut Rng) -> Node {
        if depth == 0 || rng.random_range(0..10) == 0 {
            return self.leaf(rng);
        }
        if rng.random_range(0..10) < self.chance {
            let probabilities = [&[1.0][..], &[0.25, 0.75], &[0.5, 0.25, 0.25], &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]];
            let drawn = probabilities[rng.random_range(0..4)];
            return chance(drawn.iter().map(|&probability| (probability, self.node(depth - 1, rng))).collect::<Vec<_>>());
        }
        Node::Move(Player::BOTH[rng.random_range(0..2)], self.children(depth, rng))
    }

    fn leaf(&self, rng: &mut Rng) -> Node {
        let mut on_grid =
            |lo: f32, hi: f32| rng.random_range((lo / self.grid) as i32..=(hi / self.grid) as i32) as f32 * self.grid;
        let sum = on_grid(self.sum.0, self.sum.1);
        // Both utilities lie in [-1, 1].
        let first = on_grid(f32::max(-1.0, sum - 1.0), f32::min(1.0, sum + 1.0));
        pair(first, sum - first)
    }
}
