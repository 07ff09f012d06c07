//! From a specification to an agent: the one place that knows which agents there are and which options they take.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::classical::{Classical, Search};
use super::external::{External, Program};
use super::options::{leaves, natural, positive, selective, table_mib, take_rule};
use super::perfect::Perfect;
use super::{AgentFactory, Random, RawAgent, Spec, SpecError, TreeAgent, TreeOptions};
use crate::game::{Entry, Game, Known, SHIPPED};
use crate::net::{Checkpoint, CheckpointError, Device, Frozen};
use crate::search::alpha_beta::Options;
use crate::search::maxn::{Pruning, Ties};
use crate::search::mcts::Rule;
use crate::search::{AlphaBeta, Budget, Expectimax, MaxN, Minimax, Unsuited, expectimax};
use crate::solver;
use crate::solver::four_in_a_row::{self, Cache};
use crate::storage::{StorageError, read_capped};

const KINDS: [&str; 10] = ["random", "minimax", "alpha-beta", "expectimax", "maxn", "uct", "net", "puct", "solver", "uci"];

/// Depth of alpha-beta, in plies, where nothing else bounds it.
const DEFAULT_DEPTH: u32 = 8;
/// Depth of expectimax, in moves of players; results of chance multiply what each costs.
const EXPECTIMAX_DEPTH: u32 = 3;
/// Depth of max-n, in moves of players; it prunes less than alpha-beta.
const MAXN_DEPTH: u32 = 4;

/// Bytes of the largest table of weights.
const WEIGHTS_CAP: u64 = 1 << 20;
/// How long another program may take beyond its time.
const PATIENCE: Duration = Duration::from_secs(10);
/// MiB of the table of a solver, where nothing else is asked for. Memory is taken as it is used.
const SOLVER_TABLE_MIB: usize = 256;

/// A specification that gives no agent.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The string is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The game does not meet the search's hypotheses.
    #[error("agent {spec}: {source}: it has {nature}. {instead} plays it")]
    Unsuited {
        /// The specification.
        spec: String,
        /// What is missing.
        source: Unsuited,
        /// What the game has instead.
        nature: &'static str,
        /// An agent that plays such games.
        instead: &'static str,
    },
    /// It would search to the end of a game too large for that.
    #[error(
        "agent {spec}: without a depth it searches to the end of the game, which {game} is too large for; give it one, such as \
         {spec}:depth=4"
    )]
    Endless {
        /// The specification.
        spec: String,
        /// The game.
        game: String,
    },
    /// Nobody knows perfect play of the game.
    #[error(
        "agent {spec}: no solver plays {game}, which is no small game of wins, draws and losses without chance; take a search, such as uct:sims=1000"
    )]
    NoSolver {
        /// The specification.
        spec: String,
        /// The game.
        game: String,
    },
    /// Its weights cannot be used.
    #[error("agent {spec}: {problem}")]
    Weights {
        /// The specification.
        spec: String,
        /// What is wrong.
        problem: String,
    },
    /// Nobody can tell another program a position of the game.
    #[error("agent {spec}: {game} has no notation that programs share; chess has")]
    NoNotation {
        /// The specification.
        spec: String,
        /// The game.
        game: String,
    },
    /// Its file of solved positions cannot be used.
    #[error("agent {spec}: {source}")]
    Cache {
        /// The specification.
        spec: String,
        /// Why not.
        source: StorageError,
    },
    /// Its network cannot be used.
    #[error("agent {spec}: {source}")]
    Network {
        /// The specification.
        spec: String,
        /// Why not.
        source: CheckpointError,
    },
}

/// Builds agents for one game.
pub struct Builder<'a, G: Game> {
    /// The game, with what classical search may know of it.
    pub entry: &'a Entry<G>,
    /// Where networks are run.
    pub device: &'a Device,
    /// Raised by somebody else to end every search of these agents early.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

impl<G: Game> Builder<'_, G> {
    /// The maker of the agents that `text` specifies. A network is read once.
    ///
    /// # Errors
    /// When the text is no specification, or its agent cannot play the game.
    pub fn factory(&self, text: &str) -> Result<AgentFactory<G>, AgentError> {
        let spec: Spec = text.parse()?;
        match spec.kind() {
            "random" => {
                spec.finish()?;
                Ok(Arc::new(|| Box::new(Random)))
            }
            "minimax" => self.minimax(spec),
            "alpha-beta" => self.alpha_beta(spec),
            "expectimax" => self.expectimax(spec),
            "maxn" => self.maxn(spec),
            "uct" => self.uct(spec),
            "net" => self.raw(spec),
            "puct" => self.puct(spec),
            "solver" => self.solver(spec),
            "uci" => self.external(spec),
            _ => Err(spec.unknown_kind(&KINDS).into()),
        }
    }

    /// The makers of several agents, each with its specification.
    ///
    /// # Errors
    /// As [`Builder::factory`].
    pub fn opponents(&self, specifications: &[String]) -> Result<Vec<(String, AgentFactory<G>)>, AgentError> {
        specifications.iter().map(|text| Ok((text.clone(), self.factory(text)?))).collect()
    }

    fn minimax(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let depth = positive(&mut spec, "depth")?;
        spec.finish()?;
        if depth.is_none() && !self.entry.enumerable {
            return Err(AgentError::Endless { spec: name, game: self.entry.game.facts().id.clone() });
        }
        let entry = self.entry.clone();
        let budget = Budget { depth, ..self.budget() };
        self.classical(&name, budget, move || Minimax::new(&entry.game, entry.knowledge.clone(), true).map(Search::Minimax))
    }

    fn alpha_beta(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let (depth, nodes, time) = (positive(&mut spec, "depth")?, positive(&mut spec, "nodes")?, spec.take_duration("time")?);
        let table = spec.take_with("table", table_mib)?;
        let selective = selective(&mut spec)?;
        let weights = spec.take("weights");
        spec.finish()?;
        let knowledge = self.knowledge(&name, weights.as_deref())?;
        let unbounded = depth.is_none() && nodes.is_none() && time.is_none() && !self.entry.enumerable;
        let budget = Budget { depth: depth.or(unbounded.then_some(DEFAULT_DEPTH)), nodes, time, ..self.budget() };
        let options = Options { table_mib: table.unwrap_or(Options::play().table_mib), selective, ..Options::play() };
        let game = Arc::clone(&self.entry.game);
        self.classical(&name, budget, move || AlphaBeta::new(&game, knowledge.clone(), options).map(Search::AlphaBeta))
    }

    /// What is known of the game, with the weights of a file if one is named.
    fn knowledge(&self, name: &str, weights: Option<&str>) -> Result<Option<Known<G::State>>, AgentError> {
        let known = self.entry.knowledge.clone();
        let Some(path) = weights else { return Ok(known) };
        let wrong = |problem| AgentError::Weights { spec: name.to_owned(), problem };
        let bytes = read_capped(Path::new(path), WEIGHTS_CAP).map_err(|error| wrong(error.to_string()))?;
        let weighed = known.and_then(|known| known.with_weights(&String::from_utf8_lossy(&bytes)));
        let none = || wrong(format!("the evaluation of {} has no weights", self.entry.game.facts().id));
        weighed.ok_or_else(none)?.map(Some).map_err(|problem| wrong(format!("{path}: {problem}")))
    }

    fn expectimax(&self, spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let (name, budget) = self.to_the_end_or(spec, EXPECTIMAX_DEPTH)?;
        let (entry, options) = (self.entry.clone(), expectimax::Options::play());
        self.classical(&name, budget, move || {
            Expectimax::new(&entry.game, entry.knowledge.clone(), options).map(Search::Expectimax)
        })
    }

    fn maxn(&self, spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let (name, budget) = self.to_the_end_or(spec, MAXN_DEPTH)?;
        let entry = self.entry.clone();
        self.classical(&name, budget, move || {
            MaxN::new(&entry.game, entry.knowledge.clone(), Pruning::Pair, Ties::Drawn).map(Search::MaxN)
        })
    }

    /// The name and the budget of an agent whose one option is its depth: without one to the end of a small game, else
    /// `otherwise` moves.
    fn to_the_end_or(&self, mut spec: Spec, otherwise: u32) -> Result<(String, Budget), AgentError> {
        let name = spec.to_string();
        let depth = positive(&mut spec, "depth")?;
        spec.finish()?;
        let depth = depth.or((!self.entry.enumerable).then_some(otherwise));
        Ok((name, Budget { depth, ..self.budget() }))
    }

    /// Tries `make` once, so that a game it does not suit is refused now and not in the first game.
    fn classical(
        &self,
        name: &str,
        budget: Budget,
        make: impl Fn() -> Result<Search<G>, Unsuited> + Send + Sync + 'static,
    ) -> Result<AgentFactory<G>, AgentError> {
        make().map_err(|source| self.unsuited(name, source))?;
        let name = name.to_owned();
        Ok(Arc::new(move || match make() {
            Ok(search) => Box::new(Classical { name: name.clone(), search, budget: budget.clone() }),
            Err(_) => Box::new(Random), // never: the first try would have failed too
        }))
    }

    /// The refusal of a game that `source` does not suit, with an agent that does.
    fn unsuited(&self, name: &str, source: Unsuited) -> AgentError {
        let (nature, instead) = self.nature();
        AgentError::Unsuited { spec: name.to_owned(), source, nature, instead }
    }

    /// An agent that plays the game as well as may be: the best of its ladder, else a classical one, alpha-beta where it can.
    #[must_use]
    pub fn suited(&self) -> &'static str {
        self.entry.ladder.last().map_or(self.nature().1, |rung| rung.agent)
    }

    /// What the game has, and a classical agent that plays such games.
    fn nature(&self) -> (&'static str, &'static str) {
        let facts = self.entry.game.facts();
        match (facts.chance, facts.sum) {
            (false, (0.0, 0.0)) => ("utilities that cancel out", "alpha-beta"),
            (true, (lo, hi)) if lo == hi => ("chance", "expectimax:depth=3"),
            (true, _) => ("chance and utilities that do not cancel out", "maxn:depth=3"),
            (false, (lo, hi)) if lo == hi => ("utilities whose sum is not zero", "expectimax:depth=4"),
            (false, _) => ("utilities that do not cancel out", "maxn:depth=4"),
        }
    }

    fn raw(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let path = spec.take_required(Spec::PATH)?;
        spec.finish()?;
        let network = self.network(&name, &path, 1)?;
        let game = Arc::clone(&self.entry.game);
        Ok(Arc::new(move || Box::new(RawAgent::new(&name, &game, network.clone()))))
    }

    fn puct(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let path = self.take_network(&mut spec)?;
        let rule = take_rule(&mut spec)?;
        let gather = spec.take_with("gather", leaves)?.unwrap_or(1);
        let options = self.tree_options(spec, rule, 400, gather)?;
        let network = self.network(&name, &path, gather)?;
        let game = Arc::clone(&self.entry.game);
        Ok(Arc::new(move || Box::new(TreeAgent::puct(&name, &game, network.clone(), options.clone()))))
    }

    fn uct(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let rule = Rule::Ucb1 { c: spec.take_with("c", natural)?.unwrap_or(std::f32::consts::SQRT_2) };
        let options = self.tree_options(spec, rule, 1000, 1)?;
        Ok(Arc::new(move || Box::new(TreeAgent::uct(&name, options.clone()))))
    }

    /// All agents of the factory share what they find out of early positions.
    fn solver(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let (cache, table) = (spec.take("cache"), spec.take_with("table", table_mib)?);
        spec.finish()?;
        let open =
            |path: String| Cache::open(Path::new(&path)).map_err(|source| AgentError::Cache { spec: name.clone(), source });
        let cache = Some(Arc::new(cache.map_or_else(|| Ok(Cache::in_memory()), open)?));
        let stop = self.stop.cloned();
        let options = four_in_a_row::Options { table_mib: table.unwrap_or(SOLVER_TABLE_MIB), cache, nodes: None, stop };
        let entry = self.entry.clone();
        if solver::of(&entry, options.clone()).is_none() {
            return Err(AgentError::NoSolver { spec: name, game: entry.game.facts().id.clone() });
        }
        Ok(Arc::new(move || match solver::of(&entry, options.clone()) {
            Some(solver) => Box::new(Perfect { name: name.clone(), solver }),
            None => Box::new(Random), // never: there was one just now
        }))
    }

    /// Another program; what is none of our options is one of its own.
    fn external(&self, mut spec: Spec) -> Result<AgentFactory<G>, AgentError> {
        let name = spec.to_string();
        let Some(notation) = self.entry.notation.clone() else {
            return Err(AgentError::NoNotation { spec: name, game: self.entry.game.facts().id.clone() });
        };
        let command = spec.take_required("cmd")?;
        let arguments = spec.take("args").unwrap_or_default().split_whitespace().map(ToOwned::to_owned).collect();
        let (time, depth, nodes) =
            (spec.take_duration("time")?, positive::<u32>(&mut spec, "depth")?, positive::<u64>(&mut spec, "nodes")?);
        let patience = spec.take_duration("patience")?.unwrap_or(PATIENCE);
        let limits = [
            time.map(|time| format!("movetime {}", time.as_millis())),
            depth.map(|depth| format!("depth {depth}")),
            nodes.map(|nodes| format!("nodes {nodes}")),
        ];
        let limit = limits.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let limit = if limit.is_empty() { "movetime 100".to_owned() } else { limit };
        let patience = [patience, patience + time.unwrap_or_default()];
        let program = Program { command, arguments, options: spec.take_rest(), limit, patience };
        Ok(Arc::new(move || Box::new(External::new(&name, program.clone(), Arc::clone(&notation)))))
    }

    /// The options that PUCT and UCT share. A time without a number of simulations is the only limit.
    fn tree_options(&self, mut spec: Spec, rule: Rule, simulations: u32, gather: usize) -> Result<TreeOptions, SpecError> {
        let (given, time) = (positive(&mut spec, "sims")?, spec.take_duration("time")?);
        let reuse = spec.take_bool("reuse")?.unwrap_or(true);
        spec.finish()?;
        let simulations = given.unwrap_or(if time.is_some() { u32::MAX } else { simulations });
        Ok(TreeOptions { rule, simulations, gather, reuse, budget: Budget { time, ..self.budget() } })
    }

    /// A budget without limits, but for the stop.
    fn budget(&self) -> Budget {
        Budget { stop: self.stop.cloned(), ..Budget::default() }
    }

    /// The network that a specification names; where it names none, the one that the game is shipped with.
    pub(super) fn take_network(&self, spec: &mut Spec) -> Result<String, SpecError> {
        if self.entry.networks.is_empty() {
            spec.take_required("net")
        } else {
            Ok(spec.take("net").unwrap_or(SHIPPED.to_owned()))
        }
    }

    fn network(&self, spec: &str, path: &str, batch: usize) -> Result<Frozen, AgentError> {
        self.frozen(path, batch).map_err(|source| AgentError::Network { spec: spec.to_owned(), source })
    }

    /// The network of a file, or a shipped one, compiled for batches of so many positions.
    ///
    /// # Errors
    /// As [`Checkpoint::load`].
    pub fn frozen(&self, path: &str, batch: usize) -> Result<Frozen, CheckpointError> {
        let bytes = self.network_file(path)?;
        let checkpoint = Checkpoint::from_bytes(Path::new(path), bytes, self.entry.game.facts(), self.device)?;
        Ok(Frozen::new(&checkpoint.network, &checkpoint.header.architecture, batch, self.device))
    }

    /// What a network file, or a shipped network, holds.
    pub(super) fn network_file(&self, path: &str) -> Result<Vec<u8>, StorageError> {
        match self.entry.network(path) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => read_capped(Path::new(path), Checkpoint::CAP),
        }
    }
}
