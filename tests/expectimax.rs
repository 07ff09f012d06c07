//! Expectimax: the lesson of its scale, its cuts against its definition, and where it ends.

mod random_tree;
mod sprout;

use std::sync::Arc;

use plyzero::game::{Action, Game, Knowledge, Payoff, Player};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::AlphaBeta;
use plyzero::search::expectimax::Options;
use plyzero::search::maxn::{Pruning, Ties};
use plyzero::search::textbook::{Leaves, Node, Uniform, Written, chance, max, min, worth};
use plyzero::search::{Budget, Decision, Expectimax, MaxN, Minimax, alpha_beta};
use rand::RngExt as _;
use random_tree::RandomTree;
use sprout::Sprout;

fn search<G: Game>(game: &Arc<G>, options: Options) -> Decision {
    let mut expectimax = Expectimax::new(game, None, options).unwrap();
    expectimax.search(&game.initial(), &Budget::default(), &mut stream(1, "expectimax", 0))
}

/// Cuts on where a bit of `subset` is.
fn options(subset: u32) -> Options {
    let on = |bit: u32| subset >> bit & 1 == 1;
    Options { alpha_beta: on(0), star1: on(1), star2: on(2), knowledge_ordering: on(3), shuffle_root: false }
}

/// Every leaf of `node` replaced by what `change` makes of it.
fn mapped(node: &Node, change: &impl Fn(Payoff) -> Payoff) -> Node {
    match node {
        Node::Move(mover, children) => Node::Move(*mover, children.iter().map(|child| mapped(child, change)).collect()),
        Node::Chance(children) => Node::Chance(children.iter().map(|(p, child)| (*p, mapped(child, change))).collect()),
        Node::Over(payoff) => Node::Over(change(*payoff)),
    }
}

/// What expectimax is, by its definition, for the first player.
fn definition(node: &Node) -> f64 {
    match node {
        Node::Over(payoff) => payoff.of(Player::First).into(),
        Node::Move(Player::First, children) => children.iter().map(definition).fold(f64::NEG_INFINITY, f64::max),
        Node::Move(Player::Second, children) => children.iter().map(definition).fold(f64::INFINITY, f64::min),
        Node::Chance(children) => {
            let total: f64 = children.iter().map(|(p, _)| f64::from(*p)).sum();
            children.iter().map(|(p, child)| f64::from(*p) / total * definition(child)).sum()
        }
    }
}

#[test]
fn squaring_utilities_changes_a_decision_of_expectimax() {
    // Safe: 20 with certainty. Risky: 0.9 * 10 + 0.1 * 100 = 19. Squared: 400 against 0.9 * 100 + 0.1 * 10,000 = 1,090.
    let bet = |scale: f32, utility: fn(f32) -> f32| {
        let risky = chance([(0.9, worth(utility(10.0) / scale)), (0.1, worth(utility(100.0) / scale))]);
        let found = search(&Written::new(&max([worth(utility(20.0) / scale), risky])), Options::textbook());
        let values = [0, 1].map(|action| {
            let of_move = found.candidates.iter().find(|candidate| candidate.action == Action(action)).unwrap();
            (of_move.value.unwrap().of(Player::First) * scale).round()
        });
        (found.action, values)
    };
    assert_eq!(bet(128.0, |utility| utility), (Action(0), [20.0, 19.0]));
    assert_eq!(bet(16_384.0, |utility| utility * utility), (Action(1), [400.0, 1_090.0]));
}

#[test]
fn a_strictly_increasing_change_of_utilities_never_changes_a_minimax_decision() {
    let changes: [fn(f32) -> f32; 3] = [|x| x * x * x, |x| (x - 1.0) / 2.0, |x| if x < 0.0 { x } else { x / 4.0 }];
    let sprout = Sprout { depth: 5, sum: (0.0, 0.0), grid: 0.125, chance: 0 };
    for seed in 0..2_000 {
        let tree = sprout.grow(&mut stream(seed, "order", 0));
        let decide = |tree: &Node| {
            let game = Written::new(tree);
            let textbook = alpha_beta::Options::textbook();
            let found = AlphaBeta::new(&game, None, textbook).unwrap().search(
                &game.initial(),
                &Budget::default(),
                &mut stream(1, "order", 1),
            );
            (found.action, found.principal_variation, found.value.unwrap().of(Player::First))
        };
        let (action, line, value) = decide(&tree);
        for change in changes {
            let changed = mapped(&tree, &|payoff| Payoff::zero_sum(Player::First, change(payoff.of(Player::First))));
            let utility = change(value);
            assert_eq!(decide(&changed), (action, line.clone(), utility));
        }
    }
}

#[test]
fn no_cut_changes_the_value_or_the_move_of_any_random_tree() {
    let (mut nodes, mut differs) = ([0; 16], 0);
    for seed in 0..6_000 {
        let mut rng = stream(seed, "chance", 0);
        let sum = [0.0, 0.5, -0.25][(seed % 3) as usize];
        let grid = if seed.is_multiple_of(2) { 0.5 } else { 0.125 };
        let sprout = Sprout { depth: rng.random_range(2..=6), sum: (sum, sum), grid: f32::min(grid, 0.25), chance: 4 };
        let tree = sprout.grow(&mut rng);
        let game = Written::with_sum(&tree, (sum, sum));
        let plain = search(&game, Options::textbook());
        let value = plain.value.unwrap();
        assert!((f64::from(value.of(Player::First)) - definition(&tree)).abs() < 1e-6);
        assert!((value.of(Player::First) + value.of(Player::Second) - sum).abs() < 1e-6);
        for subset in 0..16 {
            let found = search(&game, options(subset));
            let bits = |decision: &Decision| decision.value.map(|payoff| payoff.0.map(f32::to_bits));
            assert_eq!((bits(&found), found.action), (bits(&plain), plain.action), "{seed}, subset {subset:b}");
            nodes[subset as usize] += found.nodes;
        }
        let mut maxn = MaxN::new(&game, None, Pruning::Pair, Ties::First).unwrap();
        let pair = maxn.search(&game.initial(), &Budget::default(), &mut stream(1, "chance", 1));
        assert!((pair.value.unwrap().of(Player::First) - value.of(Player::First)).abs() < 1e-6);
        differs += usize::from(definition(&tree) != definition(&mapped(&tree, &|_| Payoff::DRAW)));
    }
    assert!(differs > 3_000);
    let [plain, alpha_beta, star1] = [0, 1, 3].map(|subset| nodes[subset]);
    assert!(star1 < alpha_beta && alpha_beta < plain, "{nodes:?}");
    assert_eq!((nodes[2], nodes[0b1001]), (plain, alpha_beta), "nothing to cut with, nothing to order by");
}

/// First moves, a coin falls, the second player moves.
fn coin_game(leaves: [[f32; 2]; 4]) -> Node {
    let replies = leaves.map(|pair| min(pair.map(worth)));
    let [a, b, c, d] = replies;
    max([chance([(0.5, a), (0.5, b)]), chance([(0.5, c), (0.5, d)])])
}

#[test]
fn star_cuts_by_hand() {
    let count = |tree: &Node, star1, star2| {
        let options = Options { alpha_beta: true, star1, star2, ..Options::textbook() };
        search(&Written::new(tree), options).nodes
    };
    // 15 nodes: the root, its 2 moves, 4 results, 8 leaves. The first move is worth 1/2. After the second one the first leaf,
    // -1/2, suffices: even a 1 after the other result leaves 1/4. So star1 leaves out a leaf, and a result with its two.
    let tree = coin_game([[0.5, 1.0], [0.5, 1.0], [-0.5, 0.0], [1.0, 1.0]]);
    assert_eq!([count(&tree, false, false), count(&tree, true, false)], [15, 11]);
    // Here the first result settles nothing and is seen whole, and of the second one a leaf. But the first replies, worth 0 and
    // -1/2 at most, show that the mean is no more than -1/4: two leaves, and no result.
    let tree = coin_game([[0.5, 1.0], [0.5, 1.0], [0.0, 0.0], [-0.5, 0.0]]);
    assert_eq!([count(&tree, true, false), count(&tree, true, true)], [14, 11]);
}

#[test]
fn without_chance_it_is_alpha_beta_node_by_node() {
    for seed in 0..100 {
        let game = Uniform::new(3, 5, Leaves::Pairs { epsilon: 0.0, seed });
        let textbook = alpha_beta::Options::textbook();
        let mut alpha_beta = AlphaBeta::new(&game, None, textbook).unwrap();
        let truth = alpha_beta.search(&game.initial(), &Budget::default(), &mut stream(1, "expectimax", 0));
        let found = search(&game, Options { alpha_beta: true, ..Options::textbook() });
        assert_eq!((found.action, found.value, found.nodes), (truth.action, truth.value, truth.nodes));
        let plain = search(&game, Options::textbook());
        assert_eq!(plain.nodes, (0..=5).map(|ply| 3u64.pow(ply)).sum::<u64>());
    }
}

#[test]
fn estimates_are_those_of_minimax_and_chance_takes_no_depth() {
    for seed in 0..100 {
        let game = Arc::new(RandomTree::new(seed));
        let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
        for depth in 1..=4 {
            let mut minimax = Minimax::new(&game, knowledge.clone(), false).unwrap();
            let truth = minimax.search(&game.initial(), &Budget::depth(depth), &mut stream(1, "depth", 0));
            let mut expectimax = Expectimax::new(&game, knowledge.clone(), Options::play()).unwrap();
            let found = expectimax.search(&game.initial(), &Budget::depth(depth), &mut stream(1, "depth", 0));
            assert_eq!((found.value, found.depth), (truth.value, truth.depth));
            let every = expectimax.analyse(&game.initial(), &Budget::depth(depth), &mut stream(1, "depth", 0));
            for candidate in &every.candidates {
                let known = truth.candidates.iter().find(|known| known.action == candidate.action).unwrap();
                assert_eq!(candidate.value, known.value);
            }
        }
    }
    let game = Written::new(&coin_game([[0.5, 1.0], [0.5, 1.0], [0.25, 0.25], [1.0, 1.0]]));
    let mut expectimax = Expectimax::new(&game, None, Options::play()).unwrap();
    let mut at = |depth| expectimax.search(&game.initial(), &Budget::depth(depth), &mut stream(1, "depth", 0)).value;
    assert_eq!(at(1), Some(Payoff::DRAW), "nothing is known of positions in which the second player is to move");
    assert_eq!(at(2), Some(Payoff::zero_sum(Player::First, 0.625)));
}

#[test]
fn equal_best_moves_are_chosen_equally_often() {
    let leaves = [0.5, 0.25, 0.5, 0.5];
    let game = Written::new(&max(leaves.map(|utility| chance([(0.5, worth(utility)), (0.5, worth(0.0))]))));
    let mut expectimax = Expectimax::new(&game, None, Options::play()).unwrap();
    let mut counts = [0; 4];
    for seed in 0..600 {
        let found = expectimax.search(&game.initial(), &Budget::default(), &mut stream(seed, "ties", 0));
        counts[found.action.index()] += 1;
    }
    assert!(counts[1] == 0 && [0, 2, 3].iter().all(|&at| (150..=250).contains(&counts[at])), "{counts:?}");
}

#[test]
fn a_budget_is_kept_and_leaves_a_legal_move() {
    let game = Written::new(&coin_game([[0.5, 1.0], [0.5, 1.0], [0.25, 0.25], [1.0, 1.0]]));
    for limit in 0..15 {
        let budget = Budget { nodes: Some(limit), ..Budget::default() };
        let mut expectimax = Expectimax::new(&game, None, Options::textbook()).unwrap();
        let found = expectimax.search(&game.initial(), &budget, &mut stream(1, "budget", 0));
        assert_eq!((found.nodes, found.candidates.len(), found.depth), (limit, 2, None));
    }
}

#[test]
fn games_whose_sums_differ_are_refused() {
    let game = Arc::new(RandomTree::with(0, false, |facts| facts.sum = (-1.0, 1.0)));
    let refusal = Expectimax::new(&game, None, Options::play()).err().unwrap();
    let said = "expectimax needs a game whose utilities always have the same sum, which random_tree is not";
    assert_eq!(refusal.to_string(), said);
}
