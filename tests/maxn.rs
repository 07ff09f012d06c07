//! Max-n and its pruning: by hand, against its definition on a hundred thousand random trees, and where its bounds end.

mod playouts;
mod random_tree;
mod sprout;

use std::sync::Arc;

use playouts::{mover, playout};
use plyzero::game::{Action, Game, Knowledge, Payoff, Player};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::search::maxn::{Pruning, Ties};
use plyzero::search::textbook::{Leaves, Node, Uniform, Written, max, min, pair};
use plyzero::search::{Budget, Decision, MaxN, Minimax};
use rand::RngExt as _;
use random_tree::RandomTree;
use sprout::Sprout;

const PRUNINGS: [Pruning; 3] = [Pruning::Off, Pruning::Coordinate, Pruning::Pair];

/// Searches `game` to its end.
fn search<G: Game>(game: &Arc<G>, pruning: Pruning, ties: Ties, seed: u64) -> (Decision, u64) {
    let mut maxn = MaxN::new(game, None, pruning, ties).unwrap();
    let found = maxn.search(&game.initial(), &Budget::default(), &mut stream(seed, "maxn", 0));
    (found, maxn.leaves())
}

/// What max-n is, by its definition.
fn definition(node: &Node, ties: Ties) -> [f64; 2] {
    match node {
        Node::Over(payoff) => payoff.0.map(f64::from),
        Node::Chance(children) => {
            let values: Vec<_> = children.iter().map(|(p, child)| (f64::from(*p), definition(child, ties))).collect();
            let total: f64 = values.iter().map(|(p, _)| p).sum();
            [0, 1].map(|player| values.iter().map(|(p, value)| p * value[player]).sum::<f64>() / total)
        }
        Node::Move(mover, children) => {
            let (me, values) = (mover.index(), children.iter().map(|child| definition(child, ties)).collect::<Vec<_>>());
            let best = values.iter().map(|value| value[me]).fold(f64::NEG_INFINITY, f64::max);
            let mut equal = values.into_iter().filter(|value| value[me] == best);
            let first = equal.next().unwrap();
            if ties == Ties::First {
                return first;
            }
            let (mut sum, mut count) = (first[1 - me], 1.0);
            equal.for_each(|value| (sum, count) = (sum + value[1 - me], count + 1.0));
            let mut mean = [best; 2];
            mean[1 - me] = sum / count;
            mean
        }
    }
}

fn bits(value: Option<Payoff>) -> Option<[u32; 2]> {
    value.map(|payoff| payoff.0.map(f32::to_bits))
}

/// The moves that are as good as the best, with their pairs.
fn best_moves(found: &Decision, mover: Player) -> Vec<(Action, Option<[u32; 2]>)> {
    let best = found.value.unwrap().of(mover);
    let equal = found.candidates.iter().filter(|candidate| candidate.value.is_some_and(|value| value.of(mover) == best));
    let mut moves: Vec<_> = equal.map(|candidate| (candidate.action, bits(candidate.value))).collect();
    moves.sort();
    moves
}

#[test]
fn no_pruning_changes_the_pair_or_the_move_of_any_of_100000_random_trees() {
    let sums = [(0.0, 0.0), (-0.125, 0.125), (-0.5, 0.5), (-1.0, 1.0), (-0.25, 0.75), (0.5, 0.5)];
    let (mut leaves, mut tied) = ([0; 3], 0);
    for seed in 0..100_000u64 {
        let mut rng = stream(seed, "trees", 0);
        let sum = sums[(seed % 6) as usize];
        let grid = if seed.is_multiple_of(2) { 0.125 } else { 0.5 };
        let sprout = Sprout { depth: rng.random_range(1..=5), sum, grid, chance: if seed.is_multiple_of(4) { 2 } else { 0 } };
        let tree = sprout.grow(&mut rng);
        let game = Written::with_sum(&tree, sum);
        assert_eq!(game.facts().sum, sum, "no leaf is outside");
        for ties in [Ties::First, Ties::Drawn] {
            let found = PRUNINGS.map(|pruning| search(&game, pruning, ties, seed));
            let truth = definition(&tree, ties).map(|utility| utility as f32);
            for (pruned, count) in &found {
                let context = format!("{seed} {sprout:?} {ties:?}");
                assert_eq!(bits(pruned.value), bits(Some(Payoff(truth))), "{context}");
                assert_eq!((pruned.action, bits(pruned.candidates[0].value)), {
                    let plain = &found[0].0;
                    (plain.action, bits(plain.candidates[0].value))
                });
                assert!(*count <= found[0].1, "{context}");
                if ties == Ties::Drawn {
                    let best = best_moves(pruned, Player::First);
                    assert_eq!(best, best_moves(&found[0].0, Player::First), "{context}");
                    tied += usize::from(best.len() > 1);
                }
            }
            assert!(found[2].1 <= found[1].1, "the pair test never searches more than the coordinate test");
            leaves = [0, 1, 2].map(|at| leaves[at] + found[at].1);
        }
    }
    assert!(leaves[2] * 10 < leaves[0] * 9 && leaves[2] < leaves[1] && leaves[1] < leaves[0], "{leaves:?}");
    assert!(tied > 30_000, "{tied}");
}

#[test]
fn the_pair_test_by_hand() {
    // A holds 0. B shows (-1/2, 1/2); at epsilon = 1/2 no move of B can leave A more than 0: the third leaf is not seen.
    let tree = |unseen| max([pair(0.0, 0.0), min([pair(-0.5, 0.5), unseen])]);
    let game = Written::with_sum(&tree(pair(1.0, -1.0)), (-0.5, 0.5));
    let leaves = |ties| PRUNINGS.map(|pruning| search(&game, pruning, ties, 1).1);
    assert_eq!(leaves(Ties::First), [3, 3, 2], "the coordinate test wants x + 1 <= 0");
    assert_eq!(leaves(Ties::Drawn), [3, 3, 3], "A may end with 0 here too, which ties");
    // And so for the other player.
    let mirrored = Node::Move(Player::Second, vec![pair(0.0, 0.0), max([pair(0.5, -0.5), pair(-1.0, 1.0)])]);
    let game = Written::with_sum(&mirrored, (-0.5, 0.5));
    assert_eq!(PRUNINGS.map(|pruning| search(&game, pruning, Ties::First, 1).1), [3, 3, 2]);
    let coordinate = Written::with_sum(&max([pair(0.0, 0.0), min([pair(-1.0, 0.5), pair(1.0, -1.0)])]), (-0.5, 0.5));
    assert_eq!(PRUNINGS.map(|pruning| search(&coordinate, pruning, Ties::First, 1).1), [3, 2, 2], "-1 + 1 <= 0");
}

#[test]
fn a_coordinate_test_with_epsilon_once_would_be_wrong() {
    // B shows (-1, 0), then (1 - d, d), which it prefers. With epsilon = 1, -1 + 1 <= 0 would have left it unseen.
    for d in [0.125, 0.5, 1.0 / 1024.0] {
        let tree = max([pair(0.0, 0.0), min([pair(-1.0, 0.0), pair(1.0 - d, d)])]);
        for pruning in PRUNINGS {
            let (found, leaves) = search(&Written::with_sum(&tree, (-1.0, 1.0)), pruning, Ties::First, 1);
            assert_eq!((found.action, found.value, leaves), (Action(1), Some(Payoff([1.0 - d, d])), 3));
        }
    }
}

/// What becomes of a position that a bound from far above condemns.
#[derive(Clone, Copy)]
enum DeepCut {
    /// It counts with the best move so far, as in alpha-beta.
    Returned,
    /// Its parent drops the move.
    Dropped,
}

/// Max-n that passes bounds down all the way, which is wrong: `held` is the best that each player has above.
fn deep(node: &Node, hi: f64, held: [f64; 2], cut: DeepCut) -> Option<[f64; 2]> {
    let Node::Move(mover, children) = node else {
        return Some(definition(node, Ties::First));
    };
    let me = mover.index();
    let (mut best, mut now): (Option<[f64; 2]>, _) = (None, held);
    for child in children {
        let Some(value) = deep(child, hi, now, cut) else { continue };
        if best.is_none_or(|best| value[me] > best[me]) {
            best = Some(value);
        }
        let most = best.map(|best| best[me])?;
        now[me] = now[me].max(most);
        if hi - most <= held[1 - me] {
            return if matches!(cut, DeepCut::Returned) { best } else { None };
        }
    }
    best
}

#[test]
fn bounds_of_distant_ancestors_would_give_a_wrong_root() {
    // The root holds 1/4. Two plies below its second move, B shows (1/4, 1/4): with epsilon = 1/2 A gets no more than 1/4 there.
    // But what the position is worth decides what B chooses above it.
    let returned =
        max([pair(0.25, -0.25), min([max([min([pair(0.25, 0.25), pair(-0.5, 0.5)]), pair(0.0, -0.5)]), pair(0.5, -0.25)])]);
    let dropped =
        max([pair(0.25, -0.25), min([max([min([pair(0.25, 0.25), pair(0.25, 0.0)]), pair(0.0, 0.0)]), pair(0.375, 0.125)])]);
    let root = |tree: &Node, cut| deep(tree, 0.5, [f64::NEG_INFINITY; 2], cut).unwrap();
    for (tree, cut, right, wrong) in
        [(&returned, DeepCut::Returned, [0.5, -0.25], [0.25, -0.25]), (&dropped, DeepCut::Dropped, [0.25, -0.25], [0.375, 0.125])]
    {
        assert_eq!(definition(tree, Ties::First), right);
        assert_eq!(root(tree, cut), wrong, "the deep cut is wrong here");
        let game = Written::with_sum(tree, (-0.5, 0.5));
        for pruning in PRUNINGS {
            let (found, _) = search(&game, pruning, Ties::First, 1);
            assert_eq!(found.value, Some(Payoff(right.map(|utility| utility as f32))));
        }
    }
}

#[test]
fn without_a_sum_to_gain_it_is_the_shallow_cut_of_alpha_beta() {
    // In three plies there is nothing but shallow cuts.
    for seed in 0..200 {
        let game = Uniform::new(4, 3, Leaves::Pairs { epsilon: 0.0, seed });
        let (found, _) = search(&game, Pruning::Pair, Ties::First, 1);
        let mut alpha_beta = AlphaBeta::new(&game, None, Options::textbook()).unwrap();
        let textbook = alpha_beta.search(&game.initial(), &Budget::default(), &mut stream(1, "maxn", 0));
        assert_eq!((found.action, found.value, found.nodes), (textbook.action, textbook.value, textbook.nodes));
    }
}

#[test]
fn at_every_depth_it_is_minimax_where_sums_are_zero_and_no_pruning_changes_an_estimate() {
    for seed in 0..60 {
        let game = Arc::new(RandomTree::new(seed));
        let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
        let mut minimax = Minimax::new(&game, knowledge.clone(), false).unwrap();
        let mut searches = PRUNINGS.map(|pruning| MaxN::new(&game, knowledge.clone(), pruning, Ties::Drawn).unwrap());
        for state in playout(&game, "maxn", 0).iter().filter(|state| mover(game.as_ref(), state).is_some()) {
            for depth in 1..=5 {
                let truth = minimax.search(state, &Budget::depth(depth), &mut stream(1, "maxn", 0));
                for maxn in &mut searches {
                    let found = maxn.search(state, &Budget::depth(depth), &mut stream(seed, "maxn", 1));
                    assert_eq!((found.value, found.depth), (truth.value, truth.depth));
                    let known = truth.candidates.iter().find(|candidate| candidate.action == found.action).unwrap();
                    assert_eq!(known.value, truth.value);
                    let every = maxn.analyse(state, &Budget::depth(depth), &mut stream(seed, "maxn", 1));
                    assert_eq!((every.action, every.value), (found.action, found.value));
                    for candidate in &every.candidates {
                        let known = truth.candidates.iter().find(|known| known.action == candidate.action).unwrap();
                        assert_eq!(candidate.value, known.value);
                    }
                }
            }
        }
    }
}

#[test]
fn equal_best_moves_are_listed_and_drawn_equally_often() {
    let game = Written::new(&max([pair(0.5, 0.0), pair(0.0, 1.0), pair(0.5, 0.5), min([pair(0.5, 0.25), pair(1.0, 0.0)])]));
    let mut counts = [0; 4];
    for seed in 0..600 {
        let (found, _) = search(&game, Pruning::Pair, Ties::Drawn, seed);
        counts[found.action.index()] += 1;
        assert_eq!(found.value, Some(Payoff([0.5, 0.25])), "the mean of 0, 1/2 and 1/4");
        assert_eq!(best_moves(&found, Player::First).iter().map(|(action, _)| action.0).collect::<Vec<_>>(), [0, 2, 3]);
        let (first, _) = search(&game, Pruning::Pair, Ties::First, seed);
        assert_eq!((first.action, first.value), (Action(0), Some(Payoff([0.5, 0.0]))));
    }
    assert_eq!(counts[1], 0);
    assert!([0, 2, 3].iter().all(|&at| (150..=250).contains(&counts[at])), "{counts:?}");
}

#[test]
fn a_line_is_what_both_want_and_a_budget_is_kept() {
    // First gives up a little, so that the second player, who cares for itself alone, gives it more.
    let game = Written::new(&max([pair(0.25, 0.0), min([pair(-1.0, 0.25), max([pair(0.0, 1.0), pair(0.5, 0.5)])])]));
    let (found, _) = search(&game, Pruning::Pair, Ties::First, 1);
    assert_eq!((found.principal_variation, found.value), ([1, 1, 1].map(Action).to_vec(), Some(Payoff([0.5, 0.5]))));
    for limit in 0..9 {
        let budget = Budget { nodes: Some(limit), ..Budget::default() };
        let mut maxn = MaxN::new(&game, None, Pruning::Pair, Ties::Drawn).unwrap();
        let found = maxn.search(&game.initial(), &budget, &mut stream(1, "maxn", 0));
        assert_eq!((found.nodes, found.candidates.len(), found.depth.is_some()), (limit.min(7), 2, limit >= 7));
    }
}

#[test]
fn sums_without_bounds_are_refused() {
    for sum in [(f32::NEG_INFINITY, 0.0), (1.0, -1.0)] {
        let game = Arc::new(RandomTree::with(0, false, |facts| facts.sum = sum));
        let refusal = MaxN::new(&game, None, Pruning::Off, Ties::First).err().unwrap();
        assert_eq!(refusal.to_string(), "max-n needs a game with finite bounds of its sums, which random_tree is not");
    }
}
