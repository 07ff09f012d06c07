//! Alpha-beta on several threads that share a transposition table.
//!
//! Rule: every thread searches the whole position, each with an order of its own of equal moves; what one finds, the others find in the
//! table, and so come deeper (lazy SMP; T. Östlund, "Cheese", 2014, and others). The first thread decides. With one thread the answer depends on the position
//! and the searches before alone, with several on time too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::{Limits, Thinker, Thought};
use crate::game::{Game, Known, Position};
use crate::rng;
use crate::search::alpha_beta::{AlphaBeta, Options, Request};
use crate::search::{Budget, Decision, Unsuited};

/// Alpha-beta that keeps its table from search to search.
pub struct Parallel<G: Game> {
    search: AlphaBeta<G>,
    threads: usize,
    seed: u64,
}

impl<G: Game> Parallel<G> {
    /// A search on so many threads, with a table of so many MiB.
    ///
    /// # Errors
    /// When the game does not suit alpha-beta.
    pub fn new(
        game: &Arc<G>,
        knowledge: Option<Known<G::State>>,
        threads: usize,
        table_mib: usize,
        seed: u64,
    ) -> Result<Self, Unsuited> {
        let options = Options { table_mib, keep_table: true, ..Options::play() };
        Ok(Self { search: AlphaBeta::new(game, knowledge, options)?, threads, seed })
    }
}

impl<G: Game> Thinker<G> for Parallel<G> {
    fn think(&mut self, position: &Position<G>, limits: &Limits, watch: &mut dyn FnMut(&Thought) -> bool) -> Thought {
        let Self { search, threads, seed } = self;
        search.start();
        let filled = search.gauge();
        let helpers: Vec<_> = (1..*threads).map(|_| search.companion()).collect();
        // Nodes of each helper, as far as it has told.
        let told: Vec<AtomicU64> = helpers.iter().map(|_| AtomicU64::new(0)).collect();
        let halt = Arc::new(AtomicBool::new(false));
        let others = || told.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum::<u64>();
        let thought = |decision: Decision, deepest| {
            let nodes = decision.nodes + others();
            Thought { decision, deepest, nodes, filled: filled(), moves: Vec::new() }
        };
        thread::scope(|scope| {
            for (number, (mut helper, nodes)) in helpers.into_iter().zip(&told).enumerate() {
                let budget = Budget { stop: Some(Arc::clone(&halt)), depth: limits.budget.depth, ..Budget::default() };
                let mut rng = rng::stream(*seed, "helpers", number as u64);
                scope.spawn(move || {
                    let mut tell = |decision: &Decision, _| {
                        nodes.store(decision.nodes, Ordering::Relaxed);
                        true
                    };
                    let request = Request { lines: 1, moves: limits.moves.as_deref(), watch: &mut tell };
                    let decision = helper.answer(position.state(), &budget, &mut rng, request);
                    nodes.store(decision.nodes, Ordering::Relaxed);
                });
            }
            // However this ends, the others must not go on.
            let _halt = HaltAtEnd(&halt);
            let mut last = 0;
            let mut tell = |decision: &Decision, deepest| {
                last = deepest;
                watch(&thought(decision.clone(), deepest))
            };
            let request = Request { lines: limits.lines, moves: limits.moves.as_deref(), watch: &mut tell };
            let mut rng = rng::stream(*seed, "search", 0);
            let decision = search.answer(position.state(), &limits.budget, &mut rng, request);
            thought(decision, last)
        })
    }

    fn forget(&mut self) {
        self.search.clear_table();
    }
}

/// Raises a flag when it goes.
struct HaltAtEnd<'a>(&'a AtomicBool);

impl Drop for HaltAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
