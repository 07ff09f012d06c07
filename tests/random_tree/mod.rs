//! A game made to break searches: players do not alternate, results have several sizes, and the same position is reached
//! by paths of different lengths, so that a table must mind both the depth searched and the distance to the end.

use plyzero::game::{Action, Facts, Game, Knowledge, Outcome, Payoff, Player, Symmetry, Turn};
use plyzero::rng::mix;

/// Positions a level; few, so that paths meet.
const WIDTH: u64 = 24;
const LEVELS: u64 = 9;

/// A random game: each position's mover, moves and result are functions of a seed.
pub struct RandomTree {
    facts: Facts,
    symmetries: Vec<Symmetry>,
    seed: u64,
    /// Whether positions share keys though they differ.
    colliding: bool,
}

/// A node; moves lead one or two levels down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    level: u64,
    place: u64,
}

impl RandomTree {
    pub fn new(seed: u64) -> Self {
        Self::with(seed, false, |_| ())
    }

    /// The same game, of which other facts may be claimed, and in which most positions may share their key with others.
    pub fn with(seed: u64, colliding: bool, claim: impl Fn(&mut Facts)) -> Self {
        let mut facts = Facts {
            id: "random_tree".into(),
            actions: 4,
            planes: [1, 1, 2],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: LEVELS as usize,
            wdl: false,
        };
        claim(&mut facts);
        Self { facts, symmetries: vec![Symmetry::new(0, 4, |action| action)], seed, colliding }
    }

    /// A random word of `node`, one for each `question`.
    fn word(&self, node: &Node, question: u64) -> u64 {
        mix(mix(mix(self.seed).wrapping_add(node.level)).wrapping_add(node.place)).wrapping_add(mix(question + 1)).rotate_left(17)
            % 1_000_003
    }
}

impl Game for RandomTree {
    type State = Node;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Node {
        Node { level: 0, place: 0 }
    }

    fn turn(&self, node: &Node) -> Turn {
        let ends = node.level >= LEVELS || node.level > 2 && self.word(node, 0).is_multiple_of(6);
        let result = [-1.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.0][(self.word(node, 1) % 7) as usize];
        let mover = Player::BOTH[(self.word(node, 2) % 2) as usize];
        if ends { Turn::Over(Payoff::zero_sum(Player::First, result)) } else { Turn::Move(mover) }
    }

    fn actions(&self, node: &Node, out: &mut Vec<Action>) {
        if let Turn::Move(_) = self.turn(node) {
            // Not every action is legal everywhere, so that a move of another position may be illegal here.
            out.extend((0..4).filter(|action| self.word(node, 3) % 4 != *action).map(|action| Action(action as u16)));
        }
    }

    fn outcomes(&self, _: &Node, _: &mut Vec<(Outcome, f32)>) {}

    fn play(&self, node: &mut Node, action: Action) {
        let mut legal = Vec::new();
        self.actions(node, &mut legal);
        assert!(legal.contains(&action), "{action:?} is illegal in {node:?}");
        let word = self.word(node, 4 + u64::from(action.0));
        *node = Node { level: (node.level + 1 + word % 2).min(LEVELS), place: word / 2 % WIDTH };
    }

    fn roll(&self, _: &mut Node, _: Outcome) {}

    fn encode(&self, node: &Node, planes: &mut [f32]) {
        planes.copy_from_slice(&[node.level as f32, node.place as f32]);
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, node: &Node, _: &Symmetry) -> Node {
        node.clone()
    }

    fn key(&self, node: &Node) -> u64 {
        if self.colliding { node.place % 3 } else { mix(node.level * WIDTH + node.place + 1) }
    }

    fn draw(&self, node: &Node) -> String {
        format!("{node:?}\n")
    }

    fn label(&self, _: &Node, action: Action) -> String {
        action.0.to_string()
    }
}

impl Knowledge for RandomTree {
    fn heuristic(&self, node: &Node) -> Payoff {
        Payoff::zero_sum(Player::First, (self.word(node, 9) % 15) as f32 / 8.0 - 0.875)
    }

    fn ordering(&self, node: &Node, action: Action) -> i32 {
        (self.word(node, 10 + u64::from(action.0)) % 3) as i32
    }
}
