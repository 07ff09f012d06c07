//! Those who judge networks: perfect play where it can be had, and classical opponents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::agent::{AgentFactory, RawAgent, TreeAgent, TreeOptions};
use crate::arena::{Match, accuracy, choices, openings};
use crate::eval::{Cached, Evaluator};
use crate::game::{Entry, Game};
use crate::net::{Architecture, Device, Frozen, Network, NetworkEvaluator};
use crate::search::mcts::Rule;
use crate::search::{Budget, Unsuited};
use crate::solver::Exhaustive;
use crate::train::{Config, Finding, Judge};

/// Positions an inference, where many positions are judged.
pub(super) const BATCH: usize = 32;

/// Compares a network with perfect play in every position of a small game.
pub(super) struct PerfectPlay<G: Game> {
    game: Arc<G>,
    solver: Exhaustive<G>,
    positions: Vec<G::State>,
}

impl<G: Game> PerfectPlay<G> {
    pub(super) fn new(game: &Arc<G>) -> Result<Self, Unsuited> {
        let solver = Exhaustive::new(game)?;
        let positions = solver.undecided_positions();
        Ok(Self { game: Arc::clone(game), solver, positions })
    }

    /// How often the network alone, or with a search of so many simulations, agrees with perfect play.
    pub(super) fn measure(&mut self, network: &Frozen, search: Option<(Rule, u32)>) -> accuracy::Accuracy {
        let network = NetworkEvaluator::new(&self.game, network.clone());
        let mut evaluator = Cached::new(&self.game, network, self.positions.len());
        let evaluator: &mut dyn Evaluator<G> = &mut evaluator;
        let choices = match search {
            None => choices::raw(self.game.as_ref(), evaluator, &self.positions),
            Some((rule, simulations)) => choices::searched(&self.game, evaluator, &self.positions, rule, simulations),
        };
        accuracy::measure(&mut self.solver, &self.positions, &choices)
    }
}

/// [`PerfectPlay`] during a run: the raw network and the network with search.
pub(super) struct AccuracyJudge<G: Game> {
    pub(super) perfect: PerfectPlay<G>,
    pub(super) rule: Rule,
    pub(super) simulations: u32,
    pub(super) device: Device,
}

impl<G: Game> Judge for AccuracyJudge<G> {
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        _: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String> {
        let frozen = Frozen::new(network, architecture, BATCH, &self.device);
        let mut finding = |player, search| Finding::Accuracy { player, accuracy: self.perfect.measure(&frozen, search) };
        let searched = Some((self.rule, self.simulations));
        Ok(vec![finding("net".to_owned(), None), finding(format!("puct:sims={}", self.simulations), searched)])
    }
}

/// Plays matches against classical opponents during a run.
pub(super) struct MatchJudge<G: Game> {
    pub(super) entry: Entry<G>,
    pub(super) config: Config,
    pub(super) opponents: Vec<(String, AgentFactory<G>)>,
    pub(super) device: Device,
    pub(super) threads: usize,
}

impl<G: Game> Judge for MatchJudge<G> {
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String> {
        let evaluation = &self.config.evaluation;
        let player = format!("puct:sims={}", evaluation.simulations);
        let network = Frozen::new(network, architecture, 1, &self.device);
        let challenger = challenger(&self.entry, &network, self.config.search.play_rule(), Some(evaluation.simulations));
        let seed = self.config.train.seed;
        let openings = openings::distinct(&self.entry.game, evaluation.games.div_ceil(2), evaluation.opening_plies, seed);
        let total = (evaluation.games * self.opponents.len()) as u64;
        let done = AtomicU64::new(0);
        let on_game = |_| progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        let mut findings = Vec::new();
        for (name, opponent) in &self.opponents {
            let games = evaluation.games;
            let game = Match { openings: &openings, games, challenger: &challenger, opponent, seed, threads: self.threads };
            let result = game.play(&on_game).map_err(|error| error.to_string())?;
            findings.push(Finding::Match { player: player.clone(), opponent: name.clone(), result });
        }
        Ok(findings)
    }
}

/// The network as a player: with so many simulations a move, or its most probable move. `network` answers single positions.
pub(super) fn challenger<G: Game>(entry: &Entry<G>, network: &Frozen, rule: Rule, simulations: Option<u32>) -> AgentFactory<G> {
    let (game, network) = (Arc::clone(&entry.game), network.clone());
    match simulations {
        None => Arc::new(move || Box::new(RawAgent::new("net", &game, network.clone()))),
        Some(simulations) => {
            let options = TreeOptions { rule, simulations, gather: 1, reuse: true, budget: Budget::default() };
            Arc::new(move || Box::new(TreeAgent::puct("puct", &game, network.clone(), options.clone())))
        }
    }
}
