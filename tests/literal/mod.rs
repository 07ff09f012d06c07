//! A game that is written down as a tree, so that a test can state every position, payoff and probability.

use std::sync::Arc;

use plyzero::game::{Action, Facts, Game, Outcome, Payoff, Player, Symmetry, Turn};

/// A position is what can still happen.
pub type State = Arc<Node>;

/// What can happen from here on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The player chooses; action `a` leads to place `a`.
    Move(Player, Vec<State>),
    /// Chance draws outcome `o` with its weight over the sum of weights.
    Chance(Vec<(u32, State)>),
    /// The utilities of both players, in quarters.
    Over([i32; 2]),
}

/// The rules that make a tree a game.
#[derive(Debug)]
pub struct Literal {
    facts: Facts,
    symmetries: Vec<Symmetry>,
    initial: State,
}

impl Literal {
    pub fn new(initial: State) -> Arc<Self> {
        let facts = Facts {
            id: "literal".into(),
            actions: 8,
            planes: [1, 1, 1],
            chance: true,
            sum: (-2.0, 2.0),
            max_plies: 100,
            wdl: false,
        };
        Arc::new(Self { facts, symmetries: vec![Symmetry::new(0, 8, |action| action)], initial })
    }
}

/// `player` chooses among these.
pub fn choice(player: Player, replies: Vec<State>) -> State {
    Arc::new(Node::Move(player, replies))
}

/// The game is over with these utilities, in quarters.
pub fn over(first: i32, second: i32) -> State {
    Arc::new(Node::Over([first, second]))
}

impl Game for Literal {
    type State = State;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> State {
        Arc::clone(&self.initial)
    }

    fn turn(&self, state: &State) -> Turn {
        match state.as_ref() {
            Node::Move(player, _) => Turn::Move(*player),
            Node::Chance(_) => Turn::Chance,
            Node::Over(quarters) => Turn::Over(Payoff(quarters.map(|quarters| quarters as f32 / 4.0))),
        }
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        if let Node::Move(_, replies) = state.as_ref() {
            out.extend((0..replies.len()).map(|action| Action(action as u16)));
        }
    }

    fn outcomes(&self, state: &State, out: &mut Vec<(Outcome, f32)>) {
        if let Node::Chance(drawn) = state.as_ref() {
            let total: u32 = drawn.iter().map(|(weight, _)| weight).sum();
            out.extend(drawn.iter().zip(0..).map(|((weight, _), outcome)| (Outcome(outcome), *weight as f32 / total as f32)));
        }
    }

    fn play(&self, state: &mut State, action: Action) {
        let Node::Move(_, replies) = state.as_ref() else { panic!("nobody moves in {state:?}") };
        *state = Arc::clone(&replies[action.index()]);
    }

    fn roll(&self, state: &mut State, outcome: Outcome) {
        let Node::Chance(drawn) = state.as_ref() else { panic!("chance does not act in {state:?}") };
        *state = Arc::clone(&drawn[usize::from(outcome.0)].1);
    }

    fn encode(&self, _: &State, planes: &mut [f32]) {
        planes.fill(1.0);
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &State, _: &Symmetry) -> State {
        Arc::clone(state)
    }

    /// One key for all: nothing may rest on keys being different.
    fn key(&self, _: &State) -> u64 {
        7
    }

    fn draw(&self, state: &State) -> String {
        format!("{state:?}\n")
    }

    fn label(&self, _: &State, action: Action) -> String {
        action.0.to_string()
    }
}
