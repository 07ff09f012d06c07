//! Keys of positions, which transposition tables and caches find them by.

use std::collections::{HashMap, HashSet};

use super::sample::Sample;
use super::{Fault, Property, Test, ensure};
use crate::game::Game;

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![Property { name: "keys", law: "equal states have equal keys, and different ones hardly ever", test: Test::Game(keys) }]
}

/// States may differ in what the key leaves out, their history, but not by much.
fn keys<G: Game>(sample: &Sample<G>) -> Result<(), Fault> {
    let mut keys: HashMap<&G::State, u64> = HashMap::new();
    for (at, reached) in sample.positions.iter().enumerate() {
        let key = sample.game().key(&reached.state);
        let known = *keys.entry(&reached.state).or_insert(key);
        let problem = || format!("the position was met before, and its key was {known:#018x}, not {key:#018x}");
        ensure(known == key, problem).map_err(|problem| Fault { at: Some(at), problem })?;
    }
    let distinct = keys.values().collect::<HashSet<_>>().len();
    Ok(ensure(distinct * 10 >= keys.len() * 9, || format!("{} different positions have {distinct} keys", keys.len()))?)
}
