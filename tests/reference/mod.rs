//! Tree search as the papers print it: recursive, in double precision, one simulation after the other. It shares no line with
//! the search it judges. For games without chance.

use plyzero::eval::{Evaluation, Evaluator};
use plyzero::game::{Action, Game, Player, Turn};
use plyzero::search::mcts::Rule;

use crate::common::{actions, after};

/// A node with the statistics of the edge that leads to it.
pub struct Reference<S> {
    state: S,
    prior: f64,
    pub visits: u32,
    pub sum: [f64; 2],
    /// Empty until the node was evaluated.
    pub children: Vec<(Action, Reference<S>)>,
    /// The first of them that wins on the spot, which PUCT plays without asking anybody.
    win: Option<usize>,
}

impl<S> Reference<S> {
    /// A node not yet visited.
    pub fn new(state: S, prior: f64) -> Self {
        Self { state, prior, visits: 0, sum: [0.0; 2], children: Vec::new(), win: None }
    }

    /// The mean utility of `player` here.
    pub fn mean(&self, player: Player) -> f64 {
        self.sum[player.index()] / f64::from(self.visits)
    }

    /// One simulation through this node; what it found.
    pub fn simulate<G: Game<State = S>>(&mut self, game: &G, rule: Rule, evaluator: &mut dyn Evaluator<G>) -> [f64; 2] {
        let found = match game.turn(&self.state) {
            Turn::Over(payoff) => payoff.0.map(f64::from),
            Turn::Chance => panic!("the reference knows no chance"),
            Turn::Move(mover) if self.visits == 0 => {
                let child = |action| (action, Reference::new(after(game, &self.state, action), 0.0));
                self.children = actions(game, &self.state).into_iter().map(child).collect();
                let end = |child: &Self| match game.turn(&child.state) {
                    Turn::Over(payoff) if payoff.of(mover) == 1.0 && matches!(rule, Rule::Puct { .. }) => Some(payoff),
                    _ => None,
                };
                self.win = self.children.iter().position(|(_, child)| end(child).is_some());
                let evaluation = match self.win {
                    Some(win) => {
                        let priors = (0..self.children.len()).map(|at| if at == win { 1.0 } else { 0.0 }).collect();
                        Evaluation { priors, payoff: end(&self.children[win].1).unwrap(), chances: None }
                    }
                    None => evaluator.evaluate_one(&self.state),
                };
                self.children.iter_mut().zip(evaluation.priors).for_each(|((_, child), prior)| child.prior = prior.into());
                evaluation.payoff.0.map(f64::from)
            }
            Turn::Move(mover) => {
                let best = self.win.unwrap_or_else(|| self.select(rule, mover));
                self.children[best].1.simulate(game, rule, evaluator)
            }
        };
        self.visits += 1;
        self.sum = [self.sum[0] + found[0], self.sum[1] + found[1]];
        found
    }

    fn select(&self, rule: Rule, mover: Player) -> usize {
        let scores: Vec<f64> = self.children.iter().map(|(_, child)| self.score(rule, mover, child)).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter().position(|&score| score == best).unwrap()
    }

    /// The rule for a node like any other: the reduction at the root is not known here.
    fn score(&self, rule: Rule, mover: Player, child: &Self) -> f64 {
        let visits = f64::from(child.visits);
        match rule {
            Rule::Puct { c_puct, fpu_reduction, .. } => {
                let tried: f64 = self.children.iter().filter(|(_, child)| child.visits > 0).map(|(_, child)| child.prior).sum();
                let first_play = self.mean(mover) - f64::from(fpu_reduction) * tried.sqrt();
                let value = if child.visits > 0 { child.mean(mover) } else { first_play };
                value + f64::from(c_puct) * child.prior * f64::from(self.visits).sqrt() / (1.0 + visits)
            }
            Rule::Ucb1 { .. } if child.visits == 0 => f64::INFINITY,
            Rule::Ucb1 { c } => {
                let reward = f64::midpoint(child.mean(mover), 1.0);
                reward + f64::from(c) * (f64::from(self.visits - 1).ln() / visits).sqrt()
            }
        }
    }
}
