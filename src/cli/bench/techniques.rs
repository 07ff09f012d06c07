//! Which searches suit a game, and with which parts: each part alone, and all but each.

use crate::game::{Entry, Game};
use crate::rng::Rng;
use crate::search::alpha_beta::Options;
use crate::search::maxn::{Pruning, Ties};
use crate::search::{AlphaBeta, Budget, Decision, Expectimax, MaxN, Minimax, expectimax};

/// A search with a name.
pub(super) struct Technique<G: Game> {
    pub(super) name: String,
    pub(super) search: Search<G>,
}

/// Searches a position.
type Search<G> = Box<dyn FnMut(&<G as Game>::State, &Budget, &mut Rng) -> Decision>;

/// Turns a part of alpha-beta on or off.
type Switch = fn(&mut Options, bool);

/// The parts of alpha-beta that change no value.
const EXACT: [(&str, Switch); 7] = [
    ("table", |options, on| options.table_mib = if on { Options::play().table_mib } else { 0 }),
    ("killers", |options, on| options.killers = on),
    ("history", |options, on| options.history = on),
    ("knowledge ordering", |options, on| options.knowledge_ordering = on),
    ("iterative deepening", |options, on| options.iterative_deepening = on),
    ("principal-variation search", |options, on| options.scout = on),
    // Its window is laid around the value of the iteration before.
    ("aspiration windows", |options, on| {
        options.aspiration = on;
        options.iterative_deepening |= on;
    }),
];

/// Those that change values, for games with exchanges.
const SELECTIVE: [(&str, Switch); 5] = [
    ("quiescence", |options, on| options.selective.quiescence = on),
    ("threat extensions", |options, on| options.selective.extensions = on),
    ("null move", |options, on| {
        options.selective.null_move = on;
        // It is tried where a window asks for no more than whether a value exceeds it.
        options.scout |= on;
    }),
    ("late-move reductions", |options, on| {
        options.selective.reductions = on;
        options.scout |= on;
    }),
    ("futility", |options, on| {
        options.selective.futility = on;
        options.scout |= on;
    }),
];

/// All that suit the game of `entry`, plain ones first. The first listed of equal moves is chosen, and a win is a win however
/// long it takes, so that all find the same value but for those that vary the depth.
pub(super) fn of<G: Game>(entry: &Entry<G>) -> Vec<Technique<G>> {
    [minimax(entry), alpha_beta(entry), expectimax(entry), maxn(entry)].into_iter().flatten().collect()
}

fn minimax<G: Game>(entry: &Entry<G>) -> Vec<Technique<G>> {
    let minimax = Minimax::new(&entry.game, entry.knowledge.clone(), false).ok();
    let technique = |mut minimax: Minimax<G>| Technique {
        name: "minimax".to_owned(),
        search: Box::new(move |state, budget, rng| minimax.search(state, budget, rng)),
    };
    minimax.map(technique).into_iter().collect()
}

fn alpha_beta<G: Game>(entry: &Entry<G>) -> Vec<Technique<G>> {
    let all = Options { distance: false, shuffle_root: false, ..Options::play() };
    let is_tactical = entry.knowledge.as_ref().is_some_and(|knowledge| knowledge.is_tactical());
    let parts = || EXACT.into_iter().chain(SELECTIVE.into_iter().filter(|_| is_tactical));
    let mut variants = vec![("alpha-beta".to_owned(), Options::textbook())];
    for (part, switch) in parts() {
        let mut with = Options::textbook();
        switch(&mut with, true);
        variants.push((format!("alpha-beta, {part}"), with));
    }
    variants.push(("alpha-beta, all".to_owned(), all));
    for (part, switch) in parts() {
        let mut without = all;
        switch(&mut without, false);
        variants.push((format!("alpha-beta, all but {part}"), without));
    }
    let technique = |(name, options): (String, Options)| {
        let mut alpha_beta = AlphaBeta::new(&entry.game, entry.knowledge.clone(), options).ok()?;
        let search = Box::new(move |state: &G::State, budget: &Budget, rng: &mut Rng| alpha_beta.search(state, budget, rng));
        Some(Technique { name, search })
    };
    variants.into_iter().filter_map(technique).collect()
}

fn expectimax<G: Game>(entry: &Entry<G>) -> Vec<Technique<G>> {
    let plain = expectimax::Options::textbook();
    let cut = expectimax::Options { alpha_beta: true, ..plain };
    let star1 = expectimax::Options { star1: true, ..cut };
    let star2 = expectimax::Options { star2: true, ..star1 };
    let ordered = expectimax::Options { knowledge_ordering: true, ..star2 };
    let variants = [
        ("expectimax", plain),
        ("expectimax, windows", cut),
        ("expectimax, windows and star1", star1),
        ("expectimax, windows, star1 and star2", star2),
        ("expectimax, all and knowledge ordering", ordered),
    ];
    let technique = |(name, options): (&str, expectimax::Options)| {
        let mut expectimax = Expectimax::new(&entry.game, entry.knowledge.clone(), options).ok()?;
        let search = Box::new(move |state: &G::State, budget: &Budget, rng: &mut Rng| expectimax.search(state, budget, rng));
        Some(Technique { name: name.to_owned(), search })
    };
    // Without chance it is alpha-beta again.
    variants.into_iter().filter(|_| entry.game.facts().chance).filter_map(technique).collect()
}

fn maxn<G: Game>(entry: &Entry<G>) -> Vec<Technique<G>> {
    let variants =
        [("max-n", Pruning::Off), ("max-n, coordinate test", Pruning::Coordinate), ("max-n, pair test", Pruning::Pair)];
    let technique = |(name, pruning): (&str, Pruning)| {
        let mut maxn = MaxN::new(&entry.game, entry.knowledge.clone(), pruning, Ties::First).ok()?;
        let search = Box::new(move |state: &G::State, budget: &Budget, rng: &mut Rng| maxn.search(state, budget, rng));
        Some(Technique { name: name.to_owned(), search })
    };
    variants.into_iter().filter_map(technique).collect()
}
