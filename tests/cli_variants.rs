//! Games with options as users of the program meet them: names in commands, configurations, folders and files.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

const TINY: &str = "--set train.iterations=1 --set network.channels=4 --set network.blocks=1 --set self_play.games=2 \
                    --set self_play.simulations=4 --set learner.batch=8 --set evaluation.opponents=[\"random\"] \
                    --set evaluation.games=2 --set evaluation.simulations=2 --threads 1";

fn plyzero(folder: &TempDir, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyzero")).current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command that succeeds prints.
fn printed(folder: &TempDir, arguments: &str) -> String {
    let output = plyzero(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn refused(folder: &TempDir, arguments: &str, expected: &str) {
    let output = plyzero(folder, arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {complaint}");
    assert_eq!(complaint, format!("error: {expected}\n"), "{arguments}");
}

#[test]
fn games_are_listed_with_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let list = printed(&folder, "games");
    let of_hex: Vec<&str> = list.lines().skip_while(|line| !line.starts_with("hex ")).skip(1).take(2).map(str::trim).collect();
    assert_eq!(of_hex, ["size=2 to 11 [default: 7]", "swap=false|true [default: false]"]);
}

#[test]
fn a_variant_is_trained_resumed_and_measured_under_its_one_name() {
    let folder = tempfile::tempdir().unwrap();
    // Another order, and a default that need not be said.
    printed(&folder, &format!("train --game hex:swap=true,size=3 {TINY}"));
    let run = folder.path().join("checkpoints/hex-size-3-swap-true-1");
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    assert!(config.contains("game = \"hex:size=3,swap=true\""), "{config}");
    let run = "checkpoints/hex-size-3-swap-true-1";
    let net = format!("{run}/nets/latest.safetensors");
    assert!(printed(&folder, &format!("inspect {net}")).contains("hex:size=3,swap=true"));
    assert!(printed(&folder, &format!("train --resume {run}")).contains("this run has ended"));
    let measured = printed(&folder, &format!("evaluate {net} --sims 2 --threads 1"));
    assert!(measured.contains("hex:size=3,swap=true, iteration 1") && measured.contains("keeps the value"), "{measured}");
    let replayed = printed(&folder, &format!("play hex:swap=true,size=3 --replay {run}/games/00001.games"));
    assert!(replayed.starts_with("hex:size=3,swap=true: self-play"), "{replayed}");
    refused(
        &folder,
        &format!("play hex:size=3 --agent net:{net}"),
        &format!("agent net:{net}: {net} is a network for hex:size=3,swap=true, not for hex:size=3"),
    );
}

#[test]
fn a_configuration_may_name_a_variant_in_other_words() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hex.toml"), "[train]\ngame = \"hex:swap=false,size=03\"\n").unwrap();
    printed(&folder, &format!("train --config hex.toml --run here {TINY}"));
    assert!(fs::read_to_string(folder.path().join("here/config.toml")).unwrap().contains("game = \"hex:size=3\""));
    fs::write(folder.path().join("bad.toml"), "[train]\ngame = \"hex:size=30\"\n").unwrap();
    let wanted = "option \"size\" in \"hex:size=30\" cannot be \"30\": it must be a number from 2 to 11";
    refused(&folder, "train --config bad.toml --run there", wanted);
    assert!(!folder.path().join("there").exists());
    fs::write(folder.path().join("number.toml"), "[train]\ngame = 3\n").unwrap();
    let output = plyzero(&folder, "train --config number.toml --run there");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: configuration: train.game: invalid type"), "{}", text(&output.stderr));
}

#[test]
fn a_tournament_keeps_its_games_under_a_name_that_is_one_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    printed(&folder, "tournament --game tic_tac_toe_tempo:delta=1/2 --agents random uct:sims=5 --games 4 --threads 1");
    let names: Vec<String> = fs::read_dir(folder.path().join("tournaments"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() == 1 && names[0].starts_with("tic_tac_toe_tempo-delta-1-2-"), "{names:?}");
    let list = printed(&folder, &format!("play --replay tournaments/{}", names[0]));
    assert!(list.starts_with("tic_tac_toe_tempo:delta=1/2: "), "{list}");
}

#[test]
fn results_of_chance_stand_between_moves() {
    let folder = tempfile::tempdir().unwrap();
    let analysed = printed(&folder, "analyze einstein:size=3 --agent uct:sims=20 --moves #3,3b2 #1");
    assert!(analysed.contains("einstein:size=3 after #3 3b2 #1: O, the second player, is to move"), "{analysed}");
    refused(
        &folder,
        "analyze einstein:size=3 --moves #4",
        "--moves: move 1: \"#4\" is no result of chance, which is to act here; its results are #1 #2 #3",
    );
    refused(
        &folder,
        "analyze einstein:size=3 --moves #1 1c3",
        "--moves: move 2: \"1c3\" is not a legal move here; legal moves are 1b3 1a2 1b2",
    );
    refused(&folder, "analyze einstein:size=3", "--moves: chance is to act after 0 plies: end with one of its results, #1 #2 #3");
}
