//! Which move to try first. A cutoff saves most when the first move searched makes it, so: the move the table
//! remembers, then exchanges that lose nothing, then moves that refuted siblings (killers), then moves that refuted positions anywhere (history), then what
//! knowledge of the game suggests, then the order of the rules; exchanges that lose come last. Which moves are exchanges is knowledge too.
//!
//! S. Akl and M. Newborn, "The principal continuation and the killer heuristic", 1977; J. Schaeffer, "The history heuristic and
//! alpha-beta search enhancements in practice", 1989.

use super::Options;
use crate::game::{Action, Game, Player};
use crate::search::score::Judge;

/// What a move is, the first to try last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Losing,
    Quiet,
    EarlierKiller,
    Killer,
    Exchange,
    Remembered,
}

/// How early a move is tried; the greatest is first. By class, then by history, then by knowledge, packed into a word from the top: most of the
/// time of ordering is comparing these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Priority(u64);

impl Priority {
    fn new(class: Class, history: i32, knowledge: i32) -> Self {
        let history = (history + History::MOST) as u64;
        Self((class as u64) << 61 | history << 31 | ((i64::from(knowledge) + (1 << 30)).clamp(0, (1 << 31) - 1) as u64))
    }

    fn history(self) -> i32 {
        (self.0 >> 31 & ((1 << 30) - 1)) as i32 - History::MOST
    }

    fn is(self, class: Class) -> bool {
        self.0 >> 61 == class as u64
    }
}

/// The legal moves of a position, handed out best first. Sorting is done as they are asked for: a cutoff leaves it undone.
#[derive(Default)]
pub(super) struct Moves {
    ranked: Vec<(Priority, Action)>,
}

/// A move that is to be tried.
#[derive(Clone, Copy)]
pub(super) struct Tried {
    pub(super) action: Action,
    /// Whether nothing but the order of its kind speaks for it: no exchange, nothing remembered.
    pub(super) is_quiet: bool,
    /// Whether it begins an exchange that loses.
    pub(super) is_losing: bool,
    /// How often it refuted other positions rather than not, from -1 to 1.
    pub(super) history: f32,
}

impl Moves {
    /// The next move, in the place of the `taken`-th; the earliest listed among equals.
    pub(super) fn pick(&mut self, taken: usize) -> Option<Tried> {
        let mut best = taken;
        for place in taken + 1..self.ranked.len() {
            if self.ranked[place].0 > self.ranked[best].0 {
                best = place;
            }
        }
        // Rotating, not swapping, keeps the rest in the order of the rules.
        self.ranked.get_mut(taken..=best)?.rotate_right(1);
        let (priority, action) = self.ranked[taken];
        let (is_quiet, is_losing) = (priority.is(Class::Quiet), priority.is(Class::Losing));
        Some(Tried { action, is_quiet, is_losing, history: priority.history() as f32 / History::MOST as f32 })
    }
}

/// How often each action of each player cut rather than not.
struct History([Vec<i32>; 2]);

impl History {
    /// No count is further from 0.
    const MOST: i32 = 1 << 14;

    fn of(&self, mover: Player, action: Action) -> i32 {
        self.0[mover.index()][action.index()]
    }

    /// Adds `by`, and the less the further the count has gone that way already.
    fn add(&mut self, mover: Player, action: Action, by: i32) {
        let count = &mut self.0[mover.index()][action.index()];
        *count += by - *count * by.abs() / Self::MOST;
    }
}

/// What the search remembers of moves that cut.
pub(super) struct Ordering {
    killers: Option<Vec<[Option<Action>; 2]>>,
    history: Option<History>,
    knowledge: bool,
    listed: Vec<Action>,
}

impl Ordering {
    /// For a game with so many actions.
    pub(super) fn new(options: &Options, actions: usize) -> Self {
        Self {
            killers: options.killers.then(Vec::new),
            history: options.history.then(|| History([vec![0; actions], vec![0; actions]])),
            knowledge: options.knowledge_ordering,
            listed: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn start_search(&mut self) {
        self.killers.iter_mut().for_each(Vec::clear);
        self.history.iter_mut().flat_map(|history| &mut history.0).for_each(|counts| counts.fill(0));
    }

    /// Fills `moves` with the legal ones. `remembered` is the table's move, of no effect where it is not legal.
    pub(super) fn rank<G: Game>(
        &mut self,
        judge: &Judge<G>,
        state: &G::State,
        mover: Player,
        ply: u32,
        remembered: Option<Action>,
        moves: &mut Moves,
    ) {
        self.listed.clear();
        judge.game.actions(state, &mut self.listed);
        let killers = self.killers.as_ref().and_then(|plies| plies.get(ply as usize)).copied().unwrap_or_default();
        let priority = |&action: &Action| {
            let exchange = self.exchange(judge, state, action);
            let class = match Some(action) {
                this if this == remembered => Class::Remembered,
                _ if exchange.is_some_and(|won| won >= 0) => Class::Exchange,
                this if this == killers[0] => Class::Killer,
                this if this == killers[1] => Class::EarlierKiller,
                _ if exchange.is_some() => Class::Losing,
                _ => Class::Quiet,
            };
            // What an exchange is worth depends on the position too much.
            let history = self.history.as_ref().filter(|_| exchange.is_none());
            let history = history.map_or(0, |history| history.of(mover, action));
            Priority::new(class, history, self.judgement(judge, state, action))
        };
        moves.ranked.clear();
        moves.ranked.extend(self.listed.iter().map(|action| (priority(action), *action)));
    }

    /// Fills `moves` with those that quiescence looks at: all where the mover `is_threatened`, else the noisy ones.
    pub(super) fn rank_noisy<G: Game>(
        &mut self,
        judge: &Judge<G>,
        state: &G::State,
        is_threatened: bool,
        threats: bool,
        remembered: Option<Action>,
        moves: &mut Moves,
    ) {
        self.listed.clear();
        match &judge.knowledge {
            Some(knowledge) if !is_threatened => knowledge.noisy(state, threats, &mut self.listed),
            Some(_) => judge.game.actions(state, &mut self.listed),
            None => {}
        }
        moves.ranked.clear();
        moves.ranked.extend(self.listed.iter().map(|&action| {
            let class = match judge.exchange(state, action) {
                Some(won) if won < 0 => Class::Losing,
                _ if Some(action) == remembered => Class::Remembered,
                Some(_) => Class::Exchange,
                None => Class::Quiet,
            };
            let knowledge = judge.knowledge.as_ref().map_or(0, |knowledge| knowledge.ordering(state, action));
            (Priority::new(class, 0, knowledge), action)
        }));
    }

    /// What knowledge of the game says of a move, higher first; 0 where it is absent or not asked.
    pub(super) fn judgement<G: Game>(&self, judge: &Judge<G>, state: &G::State, action: Action) -> i32 {
        let knowledge = judge.knowledge.as_ref().filter(|_| self.knowledge);
        knowledge.map_or(0, |knowledge| knowledge.ordering(state, action))
    }

    /// What the exchange that a move begins wins, by knowledge of the game.
    fn exchange<G: Game>(&self, judge: &Judge<G>, state: &G::State, action: Action) -> Option<i32> {
        if self.knowledge { judge.exchange(state, action) } else { None }
    }

    /// The last of the first `tried` of `moves`, by `mover` at `ply`, refuted `state`, searched `depth` plies deep. Exchanges are ordered by what they win
    /// instead.
    pub(super) fn cut<G: Game>(
        &mut self,
        judge: &Judge<G>,
        state: &G::State,
        mover: Player,
        (ply, depth): (u32, u32),
        moves: &Moves,
        tried: usize,
    ) {
        let Some(&(priority, action)) = moves.ranked[..tried].last() else { return };
        let may_exchange = priority.is(Class::Remembered) && self.exchange(judge, state, action).is_some();
        if may_exchange || priority.is(Class::Exchange) || priority.is(Class::Losing) {
            return;
        }
        if let Some(plies) = &mut self.killers {
            let ply = ply as usize;
            if plies.len() <= ply {
                plies.resize(ply + 1, [None; 2]);
            }
            if plies[ply][0] != Some(action) {
                plies[ply] = [Some(action), plies[ply][0]];
            }
        }
        if let Some(history) = &mut self.history {
            let by = (16 * depth.min(10).pow(2)) as i32;
            history.add(mover, action, by);
            let is_quiet = |(priority, _): &&(Priority, Action)| priority.is(Class::Quiet);
            moves.ranked[..tried - 1].iter().filter(is_quiet).for_each(|&(_, action)| history.add(mover, action, -by));
        }
    }
}
