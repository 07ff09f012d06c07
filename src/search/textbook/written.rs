//! A tree that is written down: `max([min([worth(0.5), worth(0.25)]), worth(0.0)])`.

use std::sync::Arc;

use crate::game::{Action, Facts, Game, Outcome, Payoff, Player, Turn};

/// What can happen from here on.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// The player chooses among these.
    Move(Player, Vec<Node>),
    /// Chance draws one of these, with these probabilities.
    Chance(Vec<(f32, Node)>),
    /// The game is over.
    Over(Payoff),
}

/// The first player chooses: in a zero-sum game the one who maximises.
pub fn max(children: impl IntoIterator<Item = Node>) -> Node {
    Node::Move(Player::First, children.into_iter().collect())
}

/// The second player chooses: in a zero-sum game the one who minimises.
pub fn min(children: impl IntoIterator<Item = Node>) -> Node {
    Node::Move(Player::Second, children.into_iter().collect())
}

/// Chance draws, with these probabilities.
pub fn chance(children: impl IntoIterator<Item = (f32, Node)>) -> Node {
    Node::Chance(children.into_iter().collect())
}

/// The end of a zero-sum game, with this utility for the first player.
#[must_use]
pub fn worth(utility: f32) -> Node {
    Node::Over(Payoff::zero_sum(Player::First, utility))
}

/// The end of a game, with these utilities of the first and the second player.
#[must_use]
pub fn pair(first: f32, second: f32) -> Node {
    Node::Over(Payoff([first, second]))
}

/// A written tree as a game. A position is the number of a node, counted from the root in the order of writing; the action or
/// outcome `i` leads to child `i`.
#[derive(Debug)]
pub struct Written {
    facts: Facts,
    nodes: Vec<Placed>,
}

/// A node, its children known by their numbers.
#[derive(Debug)]
struct Placed {
    turn: Turn,
    /// The probability of each, where chance acts; else 0.
    children: Vec<(f32, usize)>,
}

impl Written {
    /// The game that starts at `root`. Its facts are those of the tree, its sum that of the leaves.
    #[must_use]
    pub fn new(root: &Node) -> Arc<Self> {
        Self::with_sum(root, (f32::INFINITY, f32::NEG_INFINITY))
    }

    /// The same game, whose facts say that sums may also reach these bounds (lowest, highest).
    #[must_use]
    pub fn with_sum(root: &Node, sum: (f32, f32)) -> Arc<Self> {
        let facts =
            Facts { id: "written_tree".to_owned(), actions: 1, planes: [1, 1, 1], chance: false, sum, max_plies: 1, wdl: false };
        let mut game = Self { facts, nodes: Vec::new() };
        game.place(root, 0);
        Arc::new(game)
    }

    /// Adds `node`, `plies` from the root, and all below it; its number.
    fn place(&mut self, node: &Node, plies: usize) -> usize {
        let number = self.nodes.len();
        let (turn, children): (Turn, Vec<(f32, &Node)>) = match node {
            Node::Move(mover, children) => (Turn::Move(*mover), children.iter().map(|child| (0.0, child)).collect()),
            Node::Chance(children) => (Turn::Chance, children.iter().map(|(chance, child)| (*chance, child)).collect()),
            Node::Over(payoff) => (Turn::Over(*payoff), Vec::new()),
        };
        if let Turn::Over(payoff) = turn {
            let sum = payoff.of(Player::First) + payoff.of(Player::Second);
            self.facts.sum = (self.facts.sum.0.min(sum), self.facts.sum.1.max(sum));
        }
        self.facts.chance |= turn == Turn::Chance;
        self.facts.actions = self.facts.actions.max(children.len());
        self.facts.max_plies = self.facts.max_plies.max(plies);
        self.nodes.push(Placed { turn, children: Vec::new() });
        self.nodes[number].children =
            children.into_iter().map(|(probability, child)| (probability, self.place(child, plies + 1))).collect();
        number
    }

    fn child(&self, state: usize, at: u16) -> usize {
        self.nodes[state].children[usize::from(at)].1
    }
}

impl Game for Written {
    type State = usize;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> usize {
        0
    }

    fn turn(&self, state: &usize) -> Turn {
        self.nodes[*state].turn
    }

    fn actions(&self, state: &usize, out: &mut Vec<Action>) {
        if let Turn::Move(_) = self.turn(state) {
            out.extend((0..).map(Action).take(self.nodes[*state].children.len()));
        }
    }

    fn outcomes(&self, state: &usize, out: &mut Vec<(Outcome, f32)>) {
        if self.turn(state) == Turn::Chance {
            out.extend((0..).map(Outcome).zip(self.nodes[*state].children.iter().map(|(probability, _)| *probability)));
        }
    }

    fn play(&self, state: &mut usize, action: Action) {
        *state = self.child(*state, action.0);
    }

    fn roll(&self, state: &mut usize, outcome: Outcome) {
        *state = self.child(*state, outcome.0);
    }

    /// The number of the position.
    fn encode(&self, state: &usize, planes: &mut [f32]) {
        planes.fill(*state as f32);
    }

    fn draw(&self, state: &usize) -> String {
        format!("node {state}\n")
    }

    /// The place of the child.
    fn label(&self, _: &usize, action: Action) -> String {
        action.0.to_string()
    }
}
