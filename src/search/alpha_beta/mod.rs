//! Alpha-beta: minimax that leaves out what cannot change the result. A move is abandoned once it is refuted, that is, once
//! the other player has an answer that leaves its mover no better off than an earlier choice does.
//!
//! Hypotheses: two players, zero-sum, no chance. The value is that of [`super::Minimax`] at the same depth, with every
//! subset of [`Options`] but the [`Selective`] ones. Cost: between b^(d/2) positions, when the best move always comes first, and b^d; memory d, and the
//! table. D. Knuth and R. Moore, "An analysis of alpha-beta pruning", 1975; T. Marsland, "A review of game-tree pruning", 1986
//! (aspiration, principal-variation search).

mod negamax;
mod ordering;
mod quiescence;
mod root;
mod selective;
mod table;

use std::sync::Arc;

use super::buffers::Buffers;
use super::score::{Judge, Score};
use super::variations::Variations;
use super::{Budget, Meter, Unsuited};
use crate::game::{Game, Known};
use ordering::{Moves, Ordering};
pub use root::Request;
pub use selective::Selective;
use table::Table;

/// The parts of alpha-beta that can be left out. None but the selective ones changes the value of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB; 0 is no table.
    pub table_mib: usize,
    /// Let findings of earlier searches answer too, where they would give what this search would. Values stay the same; which of
    /// equal moves is chosen, and how a budget of nodes reaches, may then depend on the searches before.
    pub keep_table: bool,
    /// Try moves early that refuted a sibling.
    pub killers: bool,
    /// Try moves early that refuted other positions.
    pub history: bool,
    /// Try moves early that knowledge of the game, where there is any, holds for promising.
    pub knowledge_ordering: bool,
    /// Search one ply deep, then two, and so on, each time starting with the best move so far. It stops before the
    /// depth of the budget when nothing more can change: no estimate was needed or, with `distance`, the game is decided.
    pub iterative_deepening: bool,
    /// Ask of every move but the first only whether it is better than the best so far, and of those that are, how much
    /// (principal-variation search).
    pub scout: bool,
    /// Search each iteration with a narrow window around the value of the one before, again where the value lies outside.
    pub aspiration: bool,
    /// Prefer a quicker win and a slower loss.
    pub distance: bool,
    /// Choose among equal best moves with equal probability, not the first that the rules list.
    pub shuffle_root: bool,
    /// What looks deeper or less deep where knowledge of the game says so, and nothing where it says nothing.
    pub selective: Selective,
}

impl Options {
    /// Everything on, with a table of 16 MiB that each search begins anew: the way to play.
    #[must_use]
    pub const fn play() -> Self {
        Self {
            table_mib: 16,
            keep_table: false,
            killers: true,
            history: true,
            knowledge_ordering: true,
            iterative_deepening: true,
            scout: true,
            aspiration: true,
            distance: true,
            shuffle_root: true,
            selective: Selective::ALL,
        }
    }

    /// Everything off: the algorithm as it is printed, whose node counts are known.
    #[must_use]
    pub const fn textbook() -> Self {
        Self {
            table_mib: 0,
            keep_table: false,
            killers: false,
            history: false,
            knowledge_ordering: false,
            iterative_deepening: false,
            scout: false,
            aspiration: false,
            distance: false,
            shuffle_root: false,
            selective: Selective::NONE,
        }
    }
}

/// Alpha-beta for game `G`.
///
/// # The textbook's trees
/// max(min(3, 12, 8), min(2, 4, 6)) = 3. The first leaf of the second branch refutes it, so 7 of 9 nodes are visited; of
/// max(min(3, 5), min(2, ...)) never more than 6, whatever stands in place of the dots. Utilities lie in [-1, 1]: sixteenths.
/// ```
/// use plyzero::game::{Game, Payoff, Player};
/// use plyzero::rng::stream;
/// use plyzero::search::alpha_beta::{AlphaBeta, Options};
/// use plyzero::search::textbook::{Node, Written, max, min, worth};
/// use plyzero::search::{Budget, Minimax, Unsuited};
///
/// let sixteenths = |leaf: i32| worth(leaf as f32 / 16.0);
/// let search = |tree: Node| -> Result<(Option<Payoff>, u64, u64), Unsuited> {
///     let game = Written::new(&tree);
///     let (budget, mut rng) = (Budget::default(), stream(1, "textbook", 0));
///     let minimax = Minimax::new(&game, None, false)?.search(&game.initial(), &budget, &mut rng);
///     let alpha_beta = AlphaBeta::new(&game, None, Options::textbook())?.search(&game.initial(), &budget, &mut rng);
///     assert_eq!((minimax.value, minimax.action), (alpha_beta.value, alpha_beta.action));
///     Ok((alpha_beta.value, minimax.nodes, alpha_beta.nodes))
/// };
/// let three = Some(Payoff::zero_sum(Player::First, 3.0 / 16.0));
///
/// let tree = max([[3, 12, 8], [2, 4, 6]].map(|leaves| min(leaves.map(sixteenths))));
/// assert_eq!(search(tree)?, (three, 9, 7));
///
/// for unseen in -16..=16 {
///     let tree = max([[3, 5], [2, unseen]].map(|leaves| min(leaves.map(sixteenths))));
///     assert_eq!(search(tree)?, (three, 7, 6));
/// }
/// # Ok::<(), Unsuited>(())
/// ```
pub struct AlphaBeta<G: Game> {
    judge: Judge<G>,
    options: Options,
    table: Table,
    ordering: Ordering,
    /// Legal moves, a buffer for each ply of the path.
    moves: Buffers<Moves>,
    lines: Variations,
    meter: Meter,
    /// Whether an estimate, rather than ends of the game alone, went into the value under search.
    met_horizon: bool,
    /// The ply of the position under search that a pass led to, where one did.
    passed_to: Option<u32>,
    /// The estimates of the positions on the path, for their movers, where nothing is threatened.
    standings: Vec<Option<Score>>,
    /// The depth of the running iteration.
    depth: u32,
    /// The greatest ply of the running search.
    deepest: u32,
}

impl<G: Game> AlphaBeta<G> {
    /// A search of `game`. Positions at the depth limit are valued by `knowledge`, or as draws without it.
    ///
    /// # Errors
    /// When the game has chance or is not zero-sum.
    pub fn new(game: &Arc<G>, knowledge: Option<Known<G::State>>, options: Options) -> Result<Self, Unsuited> {
        let judge = Judge::new("alpha-beta", game, knowledge, options.distance)?;
        Ok(Self::with(judge, options, Table::new(options.table_mib, options.keep_table)))
    }

    fn with(judge: Judge<G>, options: Options, table: Table) -> Self {
        Self {
            ordering: Ordering::new(&options, judge.game.facts().actions),
            judge,
            options,
            table,
            moves: Buffers::default(),
            lines: Variations::default(),
            meter: Budget::default().start(),
            met_horizon: false,
            passed_to: None,
            standings: Vec::new(),
            depth: 0,
            deepest: 0,
        }
    }

    /// Another search of the same game that shares this one's table: what either finds helps the other. With one of them at work at a time, or
    /// several, what each answers then depends on when.
    #[must_use]
    pub fn companion(&self) -> Self {
        Self::with(self.judge.clone(), self.options, self.table.clone())
    }

    /// Forgets what is in the table.
    pub fn clear_table(&mut self) {
        self.table.clear();
    }

    /// Tells how much of the table the started search has filled, in thousandths, while it goes on.
    pub fn gauge(&self) -> impl Fn() -> u32 + use<G> {
        let table = self.table.clone();
        move || table.filled()
    }
}

/// The values that still matter, both ends outside, for one player.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The player has this already.
    alpha: Score,
    /// The other player allows no more than this.
    beta: Score,
}

impl Window {
    /// Every value matters.
    const OPEN: Window = Window { alpha: Score::LOWEST, beta: Score::HIGHEST };

    /// The values less than `margin` steps of the scale away from `score`.
    fn around(score: Score, margin: i32) -> Self {
        Window { alpha: score.shifted(-margin), beta: score.shifted(margin) }
    }

    /// Asks whether a value exceeds alpha, and nothing else.
    fn scout(self) -> Self {
        Window { beta: self.alpha.shifted(1), ..self }
    }

    /// Whether it asks for no more than whether a value exceeds alpha.
    fn is_scout(self) -> bool {
        self.beta == self.alpha.shifted(1)
    }

    /// The same window for the other player of a zero-sum game.
    fn for_other(self) -> Self {
        Window { alpha: self.beta.for_other(), beta: self.alpha.for_other() }
    }
}
