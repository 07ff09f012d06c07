//! Games of a network against itself. Each worker thread steps many games in lockstep, one inference batch at a time; each
//! game draws from its own random stream. So a game is a function of the seed, its number and the network, whichever worker
//! plays it and beside whatever other games.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::RngExt as _;

use super::record::{GameRecord, Ply};
use super::{Config, WorkerPanic};
use crate::eval::{Cached, Evaluator};
use crate::game::{Game, Position, Step, Turn};
use crate::net::{Frozen, NetworkEvaluator};
use crate::rng::{self, Rng};
use crate::search::mcts::{Leaf, Tree, dirichlet, next_leaf, pick};

/// The making of games with one network.
pub struct SelfPlay<'a, G: Game> {
    /// The rules.
    pub game: &'a Arc<G>,
    /// The run's configuration.
    pub config: &'a Config,
    /// The network that plays.
    pub network: &'a Frozen,
    /// The iteration it comes from.
    pub iteration: u32,
}

impl<G: Game> SelfPlay<'_, G> {
    /// Plays the games with these numbers on `threads` threads; returns them in order. `on_game` is told of each that ends.
    ///
    /// # Errors
    /// When a worker panics: the others stop soon, and the cause is returned.
    pub fn play(&self, ids: Range<u64>, threads: usize, on_game: &(dyn Fn() + Sync)) -> Result<Vec<GameRecord>, WorkerPanic> {
        let (next, stop) = (AtomicU64::new(ids.start), AtomicBool::new(false));
        let deal = || {
            let id = next.fetch_add(1, Ordering::Relaxed);
            (id < ids.end && !stop.load(Ordering::Relaxed)).then_some(id)
        };
        let work = || {
            let _guard = StopOnPanic(&stop);
            Worker::new(self).play(&deal, &stop, on_game)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut records = Vec::new();
        for result in results {
            records.extend(result.map_err(|cause| WorkerPanic::new("self-play", &*cause))?);
        }
        records.sort_by_key(|record| record.id);
        Ok(records)
    }

    fn begin(&self, id: u64) -> Slot<G> {
        let mut rng = rng::stream(self.config.train.seed, "selfplay", id);
        let mut position = Position::initial(self.game);
        position.settle(&mut rng);
        let play = &self.config.self_play;
        if rng.random::<f32>() < play.random_share {
            let plies = rng.random_range(1..=play.random_plies);
            random_prefix(&mut position, plies, &mut rng);
        }
        let plies = position.steps().iter().map(|&step| Ply { step, visits: Vec::new(), value: None }).collect();
        let tree = self.tree(&position, &mut rng);
        Slot { record: GameRecord { id, network: self.iteration, plies, payoff: None }, position, rng, tree }
    }

    /// A fresh tree with fresh noise: a reused one would drown the noise in old visits.
    fn tree(&self, position: &Position<G>, rng: &mut Rng) -> Tree<G> {
        let mut tree = Tree::new(self.game, self.config.search.rule(), position.state().clone());
        let noise = dirichlet(position.actions().len(), self.config.self_play.noise_alpha, rng);
        tree.set_root_noise(noise, self.config.self_play.noise_weight);
        tree
    }

    /// Plays the move that the finished search of `slot` suggests. Returns whether the game goes on.
    fn play_move(&self, slot: &mut Slot<G>) -> bool {
        let play = &self.config.self_play;
        let early = slot.position.steps().len() < play.temperature_plies as usize;
        let temperature = if early { play.temperature } else { play.final_temperature };
        let action = pick(&slot.tree.policy(), temperature, &mut slot.rng);
        let visits = slot.tree.moves().map(|mv| (mv.action, mv.visits)).collect();
        slot.record.plies.push(Ply { step: Step::Move(action), visits, value: slot.tree.value() });
        slot.position.play(action);
        let played = slot.position.steps().len();
        slot.position.settle(&mut slot.rng);
        let chance = slot.position.steps()[played..].iter().map(|&step| Ply { step, visits: Vec::new(), value: None });
        slot.record.plies.extend(chance);
        match slot.position.turn() {
            Turn::Over(payoff) => {
                slot.record.payoff = Some(payoff);
                false
            }
            _ if slot.position.steps().len() >= self.game.facts().max_plies => false,
            _ => {
                slot.tree = self.tree(&slot.position, &mut slot.rng);
                true
            }
        }
    }
}

/// Plays `plies` uniformly random moves. A prefix that would end the game, or reach its longest length, is given up where it
/// stands one ply earlier.
fn random_prefix<G: Game>(position: &mut Position<G>, plies: u32, rng: &mut Rng) {
    for _ in 0..plies {
        let actions = position.actions();
        let mut after = position.clone();
        after.play(actions[rng.random_range(0..actions.len())]);
        after.settle(rng);
        let is_long = after.steps().len() >= after.game().facts().max_plies;
        if is_long || !matches!(after.turn(), Turn::Move(_)) {
            return;
        }
        *position = after;
    }
}

/// A game in progress.
struct Slot<G: Game> {
    record: GameRecord,
    position: Position<G>,
    rng: Rng,
    tree: Tree<G>,
}

struct Worker<'a, G: Game> {
    job: &'a SelfPlay<'a, G>,
    evaluator: Cached<G, NetworkEvaluator<G>>,
    slots: Vec<Slot<G>>,
    done: Vec<GameRecord>,
}

impl<'a, G: Game> Worker<'a, G> {
    fn new(job: &'a SelfPlay<'a, G>) -> Self {
        let network = NetworkEvaluator::new(job.game, job.network.clone());
        let evaluator = Cached::new(job.game, network, job.config.self_play.cache);
        Self { job, evaluator, slots: Vec::new(), done: Vec::new() }
    }

    fn play(mut self, deal: &impl Fn() -> Option<u64>, stop: &AtomicBool, on_game: &(dyn Fn() + Sync)) -> Vec<GameRecord> {
        self.slots.extend((0..self.job.config.self_play.lockstep).map_while(|_| deal()).map(|id| self.job.begin(id)));
        let (mut states, mut evaluations) = (Vec::new(), Vec::new());
        while !self.slots.is_empty() && !stop.load(Ordering::Relaxed) {
            let leaves = self.gather(deal, on_game);
            states.clear();
            states.extend(leaves.iter().map(|leaf| leaf.state.clone()));
            evaluations.clear();
            self.evaluator.evaluate(&states, &mut evaluations);
            for ((slot, leaf), evaluation) in self.slots.iter_mut().zip(leaves).zip(&evaluations) {
                slot.tree.absorb(leaf, evaluation);
            }
        }
        self.done
    }

    /// Advances every game until it waits for an evaluation: one leaf a game. Finished games make room for new ones.
    fn gather(&mut self, deal: &impl Fn() -> Option<u64>, on_game: &(dyn Fn() + Sync)) -> Vec<Leaf<G::State>> {
        let simulations = self.job.config.self_play.simulations;
        let (mut leaves, mut at) = (Vec::with_capacity(self.slots.len()), 0);
        while at < self.slots.len() {
            let slot = &mut self.slots[at];
            if let Some(leaf) = next_leaf(&mut slot.tree, &self.evaluator, simulations, &mut slot.rng) {
                leaves.push(leaf);
                at += 1;
            } else if !self.job.play_move(slot) {
                on_game();
                let next = deal().map(|id| self.job.begin(id));
                let ended = match next {
                    Some(next) => std::mem::replace(slot, next),
                    // Keeps the order, on which the pairing of slots and leaves rests.
                    None => self.slots.remove(at),
                };
                self.done.push(ended.record);
            }
        }
        leaves
    }
}

/// Raises the flag when its thread unwinds, so that the others do not go on with a lost cause.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
