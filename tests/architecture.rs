//! The laws of the code's structure, checked on its text: who may know whom, and what must not stand anywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each chapter may name with `crate::`, besides itself and what is free to all.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("config", &[]),
    ("rng", &[]),
    ("storage", &[]),
    ("game", &[]),
    ("games", &["game"]),
    ("eval", &["game"]),
    ("search", &["game", "eval"]),
    ("solver", &["game", "search"]),
    ("net", &["game", "eval"]),
    ("agent", &["game", "eval", "search", "solver", "net"]),
    ("arena", &["game", "eval", "search", "solver", "agent"]),
    ("play", &["game", "search", "agent"]),
    ("train", &["game", "eval", "search", "net", "arena"]),
    ("cli", &["game", "games", "eval", "search", "solver", "net", "agent", "arena", "play", "train"]),
];
const FREE_TO_ALL: &[&str] = &["config", "rng", "storage"];

/// The code of each source file, without comments and without its tests.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, out) } else { out.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    assert!(files.len() > 60, "the walk must find the sources");
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs") && path.file_name().is_some_and(|name| name != "tests.rs"))
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn chapter(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The files whose code holds one of `words`, outside `allowed` (names or beginnings of names of files).
fn offenders(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources() {
        if allowed.iter().any(|start| file.starts_with(start)) {
            continue;
        }
        let code = code(&text);
        found.extend(words.iter().filter(|word| code.contains(**word)).map(|word| format!("{file}: {word}")));
    }
    found
}

#[test]
fn dependencies_run_one_way() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let own = chapter(&file);
        let Some((_, may_know)) = MAY_KNOW.iter().find(|(chapter, _)| *chapter == own) else {
            assert!(["lib", "main"].contains(&own), "{file} belongs to no chapter of the law");
            continue;
        };
        for part in code(&text).split("crate::").skip(1) {
            let named: String = part.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if named != own && !may_know.contains(&named.as_str()) && !FREE_TO_ALL.contains(&named.as_str()) {
                wrong.push(format!("{file} names crate::{named}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_game_is_named_in_its_file_and_in_the_registry_alone() {
    let types = ["TicTacToe", "ConnectFour", "Tempo", "Othello", "Hex", "Einstein", "Chess::", "Chess {"];
    let names = ["tic_tac_toe", "connect_four", "othello", "\"hex", "einstein"];
    assert_eq!(offenders(&[&types[..], &names[..]].concat(), &["games/"]), [""; 0]);
}

#[test]
fn search_knows_no_network_no_thread_and_no_clock_but_its_budget() {
    let elsewhere: Vec<String> = offenders(&["burn::", "thread", "mpsc", "Instant", "SystemTime"], &["search/budget.rs"]);
    assert!(elsewhere.iter().all(|place| !place.starts_with("search/")), "{elsewhere:#?}");
}

#[test]
fn training_knows_tree_search_alone() {
    let classical = ["AlphaBeta", "Minimax", "alpha_beta"];
    assert_eq!(offenders(&classical, &["search/", "agent/", "cli/bench/"]), [""; 0]);
}

#[test]
fn burn_appears_where_networks_are_and_nowhere_else() {
    assert_eq!(offenders(&["burn::"], &["net/", "train/learner.rs"]), [""; 0]);
}

#[test]
fn the_learner_knows_no_domain_knowledge() {
    let named = offenders(
        &["Knowledge", "knowledge", "heuristic", "solver"],
        &["game/", "games/", "search/", "solver/", "agent/", "cli/", "arena/", "lib.rs"],
    );
    assert_eq!(named, [""; 0]);
}

#[test]
fn libraries_do_not_print_panic_or_draw_hidden_randomness() {
    let words = [
        "println!",
        "print!(",
        "dbg!",
        "panic!",
        "todo!",
        "unimplemented!",
        ".unwrap()",
        ".expect(",
        "thread_rng",
        "rand::rng()",
        "rand::random(",
        "from_os_rng",
        "SystemTime",
    ];
    assert_eq!(offenders(&words, &[]), [""; 0]);
    // Bars, run times and measured speeds are for people; budgets are the searcher's own.
    assert_eq!(
        offenders(
            &["Instant"],
            &["search/budget.rs", "train/clock.rs", "cli/bench/", "play/uci/clock.rs", "agent/external.rs", "arena/remark.rs"]
        ),
        [""; 0]
    );
}

/// Where instructions are used that not every processor has.
const KERNELS: &[&str] = &["net/conv/avx2.rs", "net/conv/avx512.rs", "net/conv/avx512_bf16.rs", "net/conv/amx/real.rs"];

#[test]
fn nothing_is_unsafe_stubbed_or_silenced_but_the_kernels() {
    assert_eq!(offenders(&["#[allow", "#![allow", "#[expect"], &[]), [""; 0]);
    assert_eq!(offenders(&["unsafe ", "unsafe_code", "#![expect", "asm!", "transmute"], KERNELS), [""; 0]);
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"deny\""), "what is unsafe must be expected where it stands");
}

#[test]
fn every_unsafe_block_of_the_kernels_says_why_it_is_safe() {
    let sources = sources();
    for &kernel in KERNELS {
        let lines: Vec<&str> = sources[kernel].lines().map(str::trim).collect();
        let silenced: Vec<&&str> = lines.iter().filter(|line| line.contains("#![expect")).collect();
        assert!(silenced.len() == 1 && silenced[0].starts_with("#![expect(unsafe_code, reason = \""), "{kernel}: {silenced:?}");
        let is_unsafe = |line: &&str| !line.starts_with("//") && line.contains("unsafe ");
        let blocks: Vec<usize> = (0..lines.len()).filter(|&at| is_unsafe(&lines[at])).collect();
        assert!(!blocks.is_empty(), "{kernel} needs no exception");
        for at in blocks {
            // A block a reason: in the comment just above it.
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with("//"));
            let reason: Vec<&&str> = above.collect();
            assert!(
                reason.last().is_some_and(|line| line.starts_with("// SAFETY: ")),
                "{kernel}, line {}: {}",
                at + 1,
                lines[at]
            );
            assert!(lines[at].contains("unsafe {") && lines[at].matches("unsafe").count() == 1, "{kernel}: {}", lines[at]);
        }
    }
}

#[test]
fn bincode_is_named_in_the_codec_alone() {
    assert_eq!(offenders(&["bincode"], &["storage/codec.rs"]), [""; 0]);
}

#[test]
fn every_file_says_what_it_decides_and_stays_small() {
    for (file, text) in sources() {
        assert!(text.starts_with("//!") || text.starts_with("#![doc"), "{file} has no header");
        assert!(text.lines().count() <= 400, "{file} is longer than 400 lines");
    }
}
