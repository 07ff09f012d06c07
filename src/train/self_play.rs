//! Games of a network against itself. Each worker thread steps many games in lockstep, one inference batch at a time; each
//! game draws from its own random stream. So a game is a function of the seed, its number and the network, whichever worker
//! plays it and beside whatever other games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, ScopedJoinHandle};

use rand::{Rng as _, RngExt as _};

use super::record::{Ending, GameRecord, Ply};
use super::starts::{Starts, follow, random_prefix};
use super::{Config, Opinion, TrainError, WorkerPanic};
use crate::eval::{Cached, Evaluator, Recalls};
use crate::game::{Game, Position, Step, Turn};
use crate::net::{Frozen, NetworkEvaluator};
use crate::rng::{self, Rng};
use crate::search::mcts::{Leaf, Tree, next_leaf};

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
    /// Where games begin that do not begin by the rules or at random.
    pub starts: &'a Starts,
}

impl<G: Game> SelfPlay<'_, G> {
    /// Plays the games with these numbers on `threads` threads. `on_game` takes each as it ends, in any order, on the calling thread.
    /// Returns what came of the workers' memories of evaluations.
    ///
    /// # Errors
    /// When `stop` is raised, `on_game` fails or a worker panics: games in hand are then given up.
    pub fn play(
        &self,
        ids: &[u64],
        threads: usize,
        stop: &AtomicBool,
        on_game: &mut dyn FnMut(GameRecord) -> Result<(), TrainError>,
    ) -> Result<Recalls, TrainError> {
        let (next, halt) = (AtomicUsize::new(0), AtomicBool::new(false));
        let goes_on = || !halt.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed);
        let deal = || ids.get(next.fetch_add(1, Ordering::Relaxed)).copied().filter(|_| goes_on());
        let (sender, receiver) = mpsc::channel();
        let recalls = thread::scope(|scope| {
            let work = |done: Sender<GameRecord>| {
                let _guard = HaltOnPanic(&halt);
                Worker::new(self, done).play(&deal, &goes_on)
            };
            let workers: Vec<_> = (0..threads.clamp(1, ids.len().max(1)))
                .map(|_| {
                    let done = sender.clone();
                    scope.spawn(move || work(done))
                })
                .collect();
            drop(sender);
            let taken = receiver.iter().try_for_each(on_game);
            halt.fetch_or(taken.is_err(), Ordering::Relaxed);
            // All are joined before the first failure is told.
            let joined: Vec<_> = workers.into_iter().map(ScopedJoinHandle::join).collect();
            let mut recalls = Recalls::default();
            for result in joined {
                recalls += result.map_err(|cause| WorkerPanic::new("self-play", &*cause))?;
            }
            taken.map(|()| recalls)
        })?;
        if stop.load(Ordering::Relaxed) { Err(TrainError::Interrupted) } else { Ok(recalls) }
    }

    /// Sets up a game; it may be over before anybody moved, where chance opens it.
    fn begin(&self, id: u64) -> Begun<G> {
        let mut rng = rng::stream(self.config.train.seed, "selfplay", id);
        let mut position = Position::initial(self.game);
        position.settle(&mut rng);
        let play = &self.config.self_play;
        if let Some(steps) = self.starts.get(&id) {
            position = Position::initial(self.game);
            follow(&mut position, steps);
        } else if rng.random::<f32>() < play.random_share {
            let plies = rng.random_range(1..=play.random_plies);
            random_prefix(&mut position, plies, play.random_safe, &mut rng);
        }
        let plies = position.steps().iter().map(|&step| Ply::unsearched(step)).collect();
        let record = GameRecord { id, network: self.iteration, plies, ending: Ending::Unfinished };
        match position.turn() {
            Turn::Over(payoff) => Begun::Over(GameRecord { ending: Ending::Over(payoff), ..record }),
            _ if position.steps().len() >= self.game.facts().max_plies => Begun::Over(record),
            _ => {
                let tree = Tree::new(self.game, self.config.search.rule(), position.state().clone(), rng.next_u64());
                let mut slot = Slot { record, position, rng, tree, simulations: play.simulations, is_fast: false };
                self.open_root(&mut slot);
                Begun::Open(Box::new(slot))
            }
        }
    }

    /// Plays the move that the finished search of `slot` suggests. Returns whether the game goes on.
    fn play_move(&self, slot: &mut Slot<G>) -> bool {
        let proof = slot.tree.proof().filter(|_| self.config.self_play.end_proven);
        let action = self.choose(slot, proof.is_some());
        let opinion = match slot.position.turn() {
            Turn::Move(mover) => Opinion::of(&slot.tree, mover, action),
            Turn::Chance | Turn::Over(_) => None,
        };
        let visits = if slot.is_fast { Vec::new() } else { slot.tree.weights() };
        slot.record.plies.push(Ply { step: Step::Move(action), visits, opinion });
        slot.position.play(action);
        let played = slot.position.steps().len();
        slot.position.settle(&mut slot.rng);
        let chance = slot.position.steps()[played..].iter().map(|&step| Ply::unsearched(step));
        slot.record.plies.extend(chance);
        let ended = match (slot.position.turn(), proof) {
            (Turn::Over(payoff), _) => Some(Ending::Over(payoff)),
            // The proven position gives a sample too: its best moves and its value are as true as can be.
            (_, Some(proof)) => Some(Ending::Proven(proof.payoff)),
            _ => None,
        };
        match ended {
            Some(ending) => {
                slot.record.ending = ending;
                false
            }
            None if slot.position.steps().len() >= self.game.facts().max_plies => false,
            None => {
                // Afresh: what the last search found out would drown the noise.
                slot.tree.restart(slot.position.state().clone(), slot.rng.next_u64());
                self.open_root(slot);
                true
            }
        }
    }
}

/// A game set up.
enum Begun<G: Game> {
    Open(Box<Slot<G>>),
    Over(GameRecord),
}

/// A game in progress.
pub(super) struct Slot<G: Game> {
    record: GameRecord,
    pub(super) position: Position<G>,
    pub(super) rng: Rng,
    pub(super) tree: Tree<G>,
    /// Of the move that is searched.
    pub(super) simulations: u32,
    /// Whether that search is a fast one, whose policy is not learned.
    pub(super) is_fast: bool,
}

struct Worker<'a, G: Game> {
    job: &'a SelfPlay<'a, G>,
    evaluator: Cached<G, NetworkEvaluator<G>>,
    slots: Vec<Box<Slot<G>>>,
    done: Sender<GameRecord>,
}

impl<'a, G: Game> Worker<'a, G> {
    fn new(job: &'a SelfPlay<'a, G>, done: Sender<GameRecord>) -> Self {
        let network = NetworkEvaluator::new(job.game, job.network.clone());
        let evaluator = Cached::new(job.game, network, job.config.self_play.cache);
        Self { job, evaluator, slots: Vec::new(), done }
    }

    fn play(mut self, deal: &impl Fn() -> Option<u64>, goes_on: &impl Fn() -> bool) -> Recalls {
        while self.slots.len() < self.job.config.self_play.lockstep
            && let Some(slot) = self.open(deal)
        {
            self.slots.push(slot);
        }
        let (mut states, mut evaluations) = (Vec::new(), Vec::new());
        while !self.slots.is_empty() && goes_on() {
            let leaves = self.gather(deal);
            states.clear();
            states.extend(leaves.iter().map(|leaf| leaf.state.clone()));
            evaluations.clear();
            self.evaluator.evaluate(&states, &mut evaluations);
            for ((slot, leaf), evaluation) in self.slots.iter_mut().zip(leaves).zip(&evaluations) {
                slot.tree.absorb(leaf, evaluation);
            }
        }
        self.evaluator.recalls()
    }

    /// The next game in which somebody moves.
    fn open(&self, deal: &impl Fn() -> Option<u64>) -> Option<Box<Slot<G>>> {
        loop {
            match self.job.begin(deal()?) {
                Begun::Open(slot) => return Some(slot),
                Begun::Over(record) => self.hand_in(record),
            }
        }
    }

    fn hand_in(&self, record: GameRecord) {
        // Whoever waited for it has given up, and will raise the flag that ends this worker.
        let _ = self.done.send(record);
    }

    /// Advances every game until it waits for an evaluation: one leaf a game. Finished games make room for new ones.
    fn gather(&mut self, deal: &impl Fn() -> Option<u64>) -> Vec<Leaf<G::State>> {
        let (mut leaves, mut at) = (Vec::with_capacity(self.slots.len()), 0);
        while at < self.slots.len() {
            let slot = &mut self.slots[at];
            if let Some(leaf) = next_leaf(&mut slot.tree, &self.evaluator, slot.simulations) {
                leaves.push(leaf);
                at += 1;
            } else if !self.job.play_move(slot) {
                let ended = match self.open(deal) {
                    Some(next) => std::mem::replace(&mut self.slots[at], next),
                    // Keeps the order, on which the pairing of slots and leaves rests.
                    None => self.slots.remove(at),
                };
                self.hand_in(ended.record);
            }
        }
        leaves
    }
}

/// Raises the flag when its thread unwinds, so that the others do not go on with a lost cause.
struct HaltOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
