//! What the documents say of the program is what the program does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use plyzero::train::MAY_CHANGE;

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The keys of a configuration, with their sections.
fn keys(toml: &str) -> BTreeSet<String> {
    let table: toml::Table = toml.parse().unwrap();
    let of_section = |(section, value): (&String, &toml::Value)| {
        value.as_table().unwrap().keys().map(|key| format!("{section}.{key}")).collect::<Vec<_>>()
    };
    table.iter().flat_map(of_section).collect()
}

/// The documented keys, each with the cells of its row.
fn documented() -> BTreeMap<String, Vec<String>> {
    let text = document("docs/configuration.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(key, rest)| (key.to_owned(), rest.split('|').map(|cell| cell.trim().to_owned()).collect())).collect()
}

#[test]
fn every_key_is_documented_and_no_other() {
    let known: BTreeSet<String> = documented().into_keys().collect();
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("configs")).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(keys(&fs::read_to_string(&path).unwrap()), known, "{}", path.display());
    }
}

#[test]
fn documented_keys_have_a_unit_a_meaning_and_say_whether_they_may_change() {
    for (key, cells) in documented() {
        let [_, unit, meaning, changes, _, _] = &cells[..] else { panic!("{key}: {cells:?}") };
        assert!(!unit.is_empty() && meaning.len() > 5, "{key}");
        let may_change = MAY_CHANGE.iter().any(|free| key.starts_with(free));
        assert!(changes.starts_with(if may_change { "yes" } else { "no" }), "{key}: {changes}");
    }
}
