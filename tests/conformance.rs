//! What every game must be. One suite, run by each game of the registry over seeded random playouts; a new game gets it
//! by being registered.

mod common;
mod playouts;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::{Action, Entry, Game, Games, Knowledge, Payoff, Player, Turn, Visit};
use plyzero::games::registry;

/// Random games a property is checked on.
const PLAYOUTS: u64 = 60;

/// A property of a game, with what it may know of it.
trait Property {
    fn check<G: Game>(&self, game: &Arc<G>, knowledge: Option<&dyn Knowledge<State = G::State>>, states: &[G::State]);
}

struct Runner<P>(P);

impl<P: Property> Visit for Runner<P> {
    type Output = ();
    fn visit<G: Game>(&mut self, entry: &Entry<G>) {
        let mut states = Vec::new();
        for index in 0..PLAYOUTS {
            states.extend(playout(&entry.game, "conformance", index));
        }
        self.0.check(&entry.game, entry.knowledge.as_deref(), &states);
    }
}

fn every_game(property: impl Property) {
    let mut visited = Vec::new();
    registry().each(&mut Runner(property), &mut visited);
    assert!(!visited.is_empty());
}

/// Defines a test that checks a property in every state, where the body may use `game`, `knowledge` and `state`.
macro_rules! in_every_state {
    ($(#[$doc:meta])* fn $name:ident($game:ident, $knowledge:ident, $state:ident) $body:block) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            struct Here;
            impl Property for Here {
                fn check<G: Game>(&self, game: &Arc<G>, $knowledge: Option<&dyn Knowledge<State = G::State>>, states: &[G::State]) {
                    let $game = game.as_ref();
                    for $state in states $body
                }
            }
            every_game(Here);
        }
    };
}

/// The encoding, written over a buffer of NaN; every entry must have been written.
fn encoding<G: Game>(game: &G, state: &G::State) -> Vec<f32> {
    let mut planes = vec![f32::NAN; game.facts().planes.iter().product()];
    game.encode(state, &mut planes);
    assert!(planes.iter().all(|value| value.is_finite()), "an entry of {state:?} was not written");
    planes
}

/// The results of the game that `state` may have, as its mover sees them: what playing each move leads to.
fn futures<G: Game>(game: &G, state: &G::State) -> Vec<(Action, Option<f32>)> {
    let viewer = mover(game, state);
    let ended = |action| match (viewer, game.turn(&after(game, state, action))) {
        (Some(viewer), Turn::Over(payoff)) => Some(payoff.of(viewer)),
        _ => None,
    };
    actions(game, state).into_iter().map(|action| (action, ended(action))).collect()
}

in_every_state! {
    fn a_player_to_move_has_distinct_moves_within_the_policy_head_and_nobody_else_has_any(game, _knowledge, state) {
        let actions = actions(game, state);
        assert_eq!(!actions.is_empty(), mover(game, state).is_some());
        assert!(actions.iter().all(|action| action.index() < game.facts().actions));
        assert_eq!(actions.iter().collect::<HashSet<_>>().len(), actions.len());
    }
}

in_every_state! {
    fn lists_of_moves_are_appended_in_a_fixed_order(game, _knowledge, state) {
        let once = actions(game, state);
        let mut twice = once.clone();
        game.actions(state, &mut twice);
        assert_eq!(twice, [once.clone(), once].concat());
    }
}

in_every_state! {
    fn outcomes_are_listed_where_chance_acts_and_sum_to_one(game, _knowledge, state) {
        let mut outcomes = Vec::new();
        game.outcomes(state, &mut outcomes);
        assert_eq!(!outcomes.is_empty(), game.turn(state) == Turn::Chance);
        if game.turn(state) == Turn::Chance {
            assert!(game.facts().chance);
            assert!(outcomes.iter().all(|&(_, probability)| probability > 0.0));
            assert!((outcomes.iter().map(|&(_, probability)| probability).sum::<f32>() - 1.0).abs() < 1e-5);
            assert_eq!(outcomes.iter().map(|&(outcome, _)| outcome).collect::<HashSet<_>>().len(), outcomes.len());
        }
    }
}

in_every_state! {
    fn payoffs_are_dyadic_in_range_and_within_the_bounds_of_their_sum(game, _knowledge, state) {
        if let Turn::Over(payoff) = game.turn(state) {
            let facts = game.facts();
            let total = payoff.of(Player::First) + payoff.of(Player::Second);
            assert!(facts.sum.0 <= total && total <= facts.sum.1);
            for utility in payoff.0 {
                assert!((-1.0..=1.0).contains(&utility));
                assert_eq!((utility * 1024.0).fract(), 0.0, "pruning laws need exact utilities");
                assert!(!facts.wdl || [-1.0, 0.0, 1.0].contains(&utility));
            }
        }
    }
}

in_every_state! {
    fn playing_commutes_with_every_symmetry(game, _knowledge, state) {
        for symmetry in game.symmetries() {
            let image = game.transform(state, symmetry);
            assert_eq!(game.turn(&image), game.turn(state));
            let moved: HashSet<Action> = actions(game, state).into_iter().map(|action| symmetry.action(action)).collect();
            assert_eq!(moved, actions(game, &image).into_iter().collect());
            for action in actions(game, state) {
                let played_first = game.transform(&after(game, state, action), symmetry);
                assert_eq!(played_first, after(game, &image, symmetry.action(action)));
            }
        }
    }
}

in_every_state! {
    fn the_identity_comes_first_and_symmetries_are_distinct_permutations(game, _knowledge, state) {
        let symmetries = game.symmetries();
        assert_eq!(game.transform(state, &symmetries[0]), *state);
        let all = || (0..game.facts().actions).map(|action| Action(action as u16));
        assert!(all().all(|action| symmetries[0].action(action) == action));
        let mut maps = HashSet::new();
        for (place, symmetry) in symmetries.iter().enumerate() {
            assert_eq!(symmetry.index, place);
            assert_eq!(all().map(|action| symmetry.action(action)).collect::<HashSet<_>>().len(), game.facts().actions);
            assert!(maps.insert(all().map(|action| symmetry.action(action)).collect::<Vec<_>>()));
        }
    }
}

in_every_state! {
    /// Every symmetry is undone by one of the list, in states, keys and encodings.
    fn symmetries_have_inverses_and_keep_the_contents_of_encodings(game, _knowledge, state) {
        let sorted = |state: &G::State| {
            let mut planes = encoding(game, state);
            planes.sort_by(f32::total_cmp);
            planes
        };
        for symmetry in game.symmetries() {
            let image = game.transform(state, symmetry);
            let is_undone = |by| game.transform(&image, by) == *state;
            assert!(game.symmetries().iter().any(is_undone), "{symmetry:?} has no inverse");
            let all = (0..game.facts().actions).map(|action| Action(action as u16));
            let inverse = |by: &&plyzero::game::Symmetry| all.clone().all(|action| by.action(symmetry.action(action)) == action);
            let back = game.symmetries().iter().find(inverse).expect("the inverse permutation of actions is a symmetry too");
            assert_eq!(game.transform(&image, back), *state);
            assert_eq!(game.key(&game.transform(&image, back)), game.key(state));
            assert_eq!(encoding(game, &game.transform(&image, back)), encoding(game, state));
            assert_eq!(sorted(&image), sorted(state));
        }
    }
}

in_every_state! {
    fn labels_are_distinct_and_parse_back(game, _knowledge, state) {
        let actions = actions(game, state);
        let labels: HashSet<String> = actions.iter().map(|&action| game.label(state, action).to_lowercase()).collect();
        assert_eq!(labels.len(), actions.len());
        for &action in &actions {
            let label = game.label(state, action);
            assert!(!label.is_empty() && !label.contains(char::is_whitespace));
            for text in [label.clone(), label.to_uppercase(), label.to_lowercase(), format!("  {label}\n")] {
                assert_eq!(game.parse(state, &text), Ok(action));
            }
        }
    }
}

in_every_state! {
    fn nonsense_is_refused_with_the_legal_moves(game, _knowledge, state) {
        let labels: Vec<String> = actions(game, state).into_iter().map(|action| game.label(state, action)).collect();
        for nonsense in ["", " ", "no move", "\u{1F600}", "-1", "99999999999999999999", "a1a1a1"] {
            let error = game.parse(state, nonsense).unwrap_err();
            assert_eq!(error.text, nonsense.trim());
            assert_eq!(error.legal, labels.join(" "));
        }
    }
}

in_every_state! {
    fn boards_are_drawn_in_whole_lines(game, _knowledge, state) {
        let text = game.draw(state);
        assert!(text.ends_with('\n') && !text.trim().is_empty());
    }
}

in_every_state! {
    fn heuristics_are_zero_sum_strictly_inside_the_decided_range_and_symmetric(game, knowledge, state) {
        if let (Some(knowledge), Some(_)) = (knowledge, mover(game, state)) {
            let payoff = knowledge.heuristic(state);
            assert!(payoff.0.iter().all(|utility| utility.abs() < 1.0), "{payoff:?}");
            if game.facts().sum == (0.0, 0.0) {
                assert_eq!(payoff, Payoff::zero_sum(Player::First, payoff.of(Player::First)));
            }
            for symmetry in game.symmetries() {
                let image = game.transform(state, symmetry);
                assert_eq!(knowledge.heuristic(&image), payoff);
                assert_eq!(knowledge.is_noisy(&image), knowledge.is_noisy(state));
                for action in actions(game, state) {
                    assert_eq!(knowledge.ordering(&image, symmetry.action(action)), knowledge.ordering(state, action));
                }
            }
        }
    }
}

/// Checks one game as a whole.
macro_rules! in_every_game {
    (fn $name:ident($game:ident, $states:ident) $body:block) => {
        #[test]
        fn $name() {
            struct Here;
            impl Property for Here {
                fn check<G: Game>(&self, game: &Arc<G>, _: Option<&dyn Knowledge<State = G::State>>, $states: &[G::State]) {
                    let $game = game.as_ref();
                    $body
                }
            }
            every_game(Here);
        }
    };
}

in_every_game! {
    fn facts_make_sense(game, states) {
        let facts = game.facts();
        assert!(facts.id.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_'));
        assert!(facts.actions > 0 && facts.max_plies > 0 && facts.planes.iter().all(|&size| size > 0));
        assert!(facts.actions <= usize::from(u16::MAX));
        assert!(facts.sum.0 <= facts.sum.1);
        assert_eq!(game.initial(), game.initial());
        // Playouts end within `max_plies`: `playout` has checked it.
        assert!(states.iter().any(|state| matches!(game.turn(state), Turn::Over(_))));
    }
}

in_every_game! {
    fn equal_states_have_equal_keys_and_different_ones_hardly_ever(game, states) {
        let mut keys: HashMap<&G::State, u64> = HashMap::new();
        for state in states {
            assert_eq!(*keys.entry(state).or_insert(game.key(state)), game.key(&state.clone()));
        }
        let distinct: HashSet<u64> = keys.values().copied().collect();
        // States may differ in what the key leaves out, their history, but not by much.
        assert!(distinct.len() * 10 >= keys.len() * 9, "{} keys for {} states", distinct.len(), keys.len());
    }
}

in_every_game! {
    fn equal_encodings_have_equal_moves_and_equal_results(game, states) {
        let mut seen: HashMap<Vec<u32>, Vec<(Action, Option<f32>)>> = HashMap::new();
        for state in states.iter().filter(|state| mover(game, state).is_some()) {
            for symmetry in game.symmetries() {
                let image = game.transform(state, symmetry);
                let bits = encoding(game, &image).into_iter().map(f32::to_bits).collect();
                let futures = futures(game, &image);
                assert_eq!(*seen.entry(bits).or_insert_with(|| futures.clone()), futures, "{state:?}");
            }
        }
    }
}

in_every_game! {
    fn encodings_do_not_depend_on_what_was_in_the_buffer(game, states) {
        for state in states {
            let mut planes = vec![7.0; game.facts().planes.iter().product()];
            game.encode(state, &mut planes);
            assert_eq!(planes, encoding(game, state));
        }
    }
}

#[test]
fn every_game_is_found_by_its_name_and_no_other() {
    struct Id;
    impl Visit for Id {
        type Output = &'static str;
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> &'static str {
            entry.game.facts().id
        }
    }
    let ids = registry().ids();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    for id in &ids {
        assert_eq!(registry().dispatch(id, &mut Id), Ok(*id));
    }
    let error = registry().dispatch("no_such_game", &mut Id).unwrap_err();
    assert!(ids.iter().all(|id| error.known.contains(id)));
}
