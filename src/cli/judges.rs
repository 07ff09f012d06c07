//! Those who judge networks: perfect play where it can be had, and classical opponents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::agent::{AgentFactory, RawAgent, TreeAgent, TreeOptions};
use crate::arena::accuracy::{Judged, judge, judge_utilities};
use crate::arena::agreement::Agreement;
use crate::arena::{ArenaError, Match, MatchResult, choices, openings};
use crate::eval::{Cached, Chances, Evaluator};
use crate::game::{Action, Entry, Game};
use crate::net::{Architecture, Device, Frozen, Network, NetworkEvaluator};
use crate::search::mcts::Rule;
use crate::search::{Budget, Unsuited};
use crate::solver::four_in_a_row::Known;
use crate::solver::four_in_a_row::sets::{Half, Set};
use crate::solver::four_in_a_row::shipped::{ShippedError, load};
use crate::solver::{Exhaustive, Induction, Solver, undecided_positions};
use crate::train::{Finding, Judge};

/// Positions an inference, where many positions are judged.
pub(super) const BATCH: usize = 32;

/// Compares a network with perfect play: in every position of a small game, or in a sample of solved ones.
pub(super) struct PerfectPlay<G: Game> {
    game: Arc<G>,
    yardstick: Yardstick<G>,
    sets: Vec<Named<G>>,
}

/// What perfect play is known by.
enum Yardstick<G: Game> {
    /// Wins, draws and losses.
    Solver(Box<dyn Solver<G>>),
    /// Utilities of any kind.
    Induction(Induction<G>),
}

impl<G: Game> Yardstick<G> {
    fn judge(&mut self, positions: &[G::State], choices: &[Action], chances: &[Option<Chances>]) -> Vec<Judged> {
        match self {
            Yardstick::Solver(solver) => judge(solver.as_mut(), positions, choices, chances),
            Yardstick::Induction(induction) => judge_utilities(induction, positions, choices),
        }
    }
}

/// A set of positions.
struct Named<G: Game> {
    name: &'static str,
    positions: Vec<G::State>,
}

impl<G: Game> PerfectPlay<G> {
    /// In every position that can be reached and is not over.
    pub(super) fn whole(game: &Arc<G>) -> Result<Self, Unsuited> {
        let yardstick = match Exhaustive::new(game) {
            Ok(solver) => Yardstick::Solver(Box::new(solver)),
            Err(_) => Yardstick::Induction(Induction::new(game)?),
        };
        let sets = vec![Named { name: "undecided", positions: undecided_positions(game.as_ref()) }];
        Ok(Self { game: Arc::clone(game), yardstick, sets })
    }

    /// In the first `count` positions of each solved set of the game, where it has such sets.
    pub(super) fn sampled(entry: &Entry<G>, half: Half, count: usize) -> Result<Option<Self>, ShippedError> {
        if entry.four_in_a_row.is_none() {
            return Ok(None);
        }
        let (mut sample, mut sizes) = (Vec::new(), Vec::new());
        for set in Set::ALL {
            let before = sample.len();
            sample.extend(load(half, set)?.into_iter().take(count));
            sizes.push((set.name(), sample.len() - before));
        }
        let (positions, solver) = Known::of(entry.game.as_ref(), &sample);
        let mut positions = positions.into_iter();
        let named = |(name, size)| Named { name, positions: positions.by_ref().take(size).collect() };
        let sets = sizes.into_iter().map(named).collect();
        Ok(Some(Self { game: Arc::clone(&entry.game), yardstick: Yardstick::Solver(Box::new(solver)), sets }))
    }

    /// What perfect play says of the network alone, or with a search of so many simulations. The network alone has forecasts too.
    pub(super) fn measure(&mut self, network: &Frozen, search: Option<(Rule, u32)>, stop: &AtomicBool) -> Agreement {
        let network = NetworkEvaluator::new(&self.game, network.clone());
        let capacity = self.sets.iter().map(|set| set.positions.len()).sum();
        let mut evaluator = Cached::new(&self.game, network, capacity);
        let mut judged = Vec::with_capacity(self.sets.len());
        for Named { name, positions } in &self.sets {
            let (choices, chances) = match search {
                None => raw(self.game.as_ref(), &mut evaluator, positions),
                Some((rule, simulations)) => {
                    (choices::searched(&self.game, &mut evaluator, positions, rule, simulations, stop), Vec::new())
                }
            };
            judged.push((*name, self.yardstick.judge(positions, &choices, &chances)));
        }
        Agreement::of(&judged)
    }
}

/// The moves that the evaluator finds most probable, and how it thinks that the game ends.
fn raw<G: Game>(game: &G, evaluator: &mut dyn Evaluator<G>, positions: &[G::State]) -> (Vec<Action>, Vec<Option<Chances>>) {
    let evaluations = choices::evaluated(evaluator, positions);
    let chances = evaluations.iter().map(|evaluation| evaluation.chances).collect();
    (choices::preferred(game, positions, &evaluations), chances)
}

/// [`PerfectPlay`] during a run: the raw network, and the network with search where that is asked for.
pub(super) struct AccuracyJudge<G: Game> {
    pub(super) perfect: PerfectPlay<G>,
    /// The rule and the simulations of a search.
    pub(super) search: Option<(Rule, u32)>,
    pub(super) device: Device,
    pub(super) stop: Arc<AtomicBool>,
}

impl<G: Game> Judge for AccuracyJudge<G> {
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        _: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String> {
        let frozen = Frozen::new(network, architecture, BATCH, &self.device);
        let mut finding = |player, search| {
            let Agreement { accuracy, mean, .. } = self.perfect.measure(&frozen, search, &self.stop);
            Finding::Accuracy { player, accuracy, mean: Box::new(mean) }
        };
        let mut findings = vec![finding("net".to_owned(), None)];
        findings.extend(self.search.map(|search| finding(format!("puct:sims={}", search.1), Some(search))));
        Ok(findings)
    }
}

/// Matches of a network against other players.
pub(super) struct Matches<G: Game> {
    pub(super) entry: Entry<G>,
    /// The opponents, with the specifications that made them.
    pub(super) opponents: Vec<(String, AgentFactory<G>)>,
    /// Games against each.
    pub(super) games: usize,
    /// Random plies of the openings; longer ones where too few of these are distinct.
    pub(super) opening_plies: usize,
    pub(super) seed: u64,
    pub(super) threads: usize,
    /// Raised by someone else to end the matches early; what they came to is then no result.
    pub(super) stop: Arc<AtomicBool>,
}

impl<G: Game> Matches<G> {
    /// Plays against every opponent: `network`, which answers single positions, with so many simulations a move by `rule`, or its
    /// most probable moves. `progress` is told of (done, total) games.
    pub(super) fn play(
        &self,
        network: &Frozen,
        rule: Rule,
        simulations: Option<u32>,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<(String, MatchResult)>, ArenaError> {
        let challenger = self.challenger(network, rule, simulations);
        let openings = openings::distinct(&self.entry.game, self.games.div_ceil(2), self.opening_plies, self.seed);
        let (done, total) = (AtomicU64::new(0), (self.games * self.opponents.len()) as u64);
        let on_game = |_| progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        let play = |(name, opponent): &(String, AgentFactory<G>)| {
            let (games, seed, threads, stop) = (self.games, self.seed, self.threads, &*self.stop);
            let matched = Match { openings: &openings, games, challenger: &challenger, opponent, seed, threads, stop };
            Ok((name.clone(), matched.play(&on_game)?))
        };
        self.opponents.iter().map(play).collect()
    }

    /// The network as a player.
    fn challenger(&self, network: &Frozen, rule: Rule, simulations: Option<u32>) -> AgentFactory<G> {
        let (game, network) = (Arc::clone(&self.entry.game), network.clone());
        match simulations {
            None => Arc::new(move || Box::new(RawAgent::new("net", &game, network.clone()))),
            Some(simulations) => {
                let budget = Budget { stop: Some(Arc::clone(&self.stop)), ..Budget::default() };
                let options = TreeOptions { rule, simulations, gather: 1, reuse: true, budget };
                Arc::new(move || Box::new(TreeAgent::puct("puct", &game, network.clone(), options.clone())))
            }
        }
    }
}

/// [`Matches`] during a run.
pub(super) struct MatchJudge<G: Game> {
    pub(super) matches: Matches<G>,
    pub(super) rule: Rule,
    pub(super) simulations: u32,
    pub(super) device: Device,
}

impl<G: Game> Judge for MatchJudge<G> {
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String> {
        let network = Frozen::new(network, architecture, 1, &self.device);
        let played =
            self.matches.play(&network, self.rule, Some(self.simulations), progress).map_err(|error| error.to_string())?;
        let player = format!("puct:sims={}", self.simulations);
        let finding = |(opponent, result)| Finding::Match { player: player.clone(), opponent, result: Box::new(result) };
        Ok(played.into_iter().map(finding).collect())
    }
}
