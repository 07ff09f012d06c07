//! The program as its users meet it: every command run as a process, what it prints, where, and with which status.

mod seasoned;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use plyzero::game::{Facts, Game, Games as _};
use plyzero::games::{ConnectFour, TicTacToe, registry};
use plyzero::net::{Checkpoint, Header};
use serde_json::Value;
use tempfile::TempDir;

use seasoned::{architecture, seasoned};

/// What makes a run take no time.
const TINY: &[&str] = &[
    "train.iterations=2",
    "network.channels=4",
    "network.blocks=1",
    "self_play.games=4",
    "self_play.simulations=6",
    "self_play.lockstep=4",
    "self_play.batch=4",
    "self_play.cache=64",
    "learner.batch=8",
    "evaluation.opponents=[\"random\"]",
    "evaluation.games=2",
    "evaluation.simulations=3",
];

fn program(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the program in `folder` with blanks between arguments.
fn plyzero(folder: &TempDir, arguments: &str) -> Output {
    program(folder).args(arguments.split_whitespace()).output().unwrap()
}

/// `train` with a tiny configuration.
fn tiny(folder: &TempDir) -> Command {
    let mut command = program(folder);
    command.args(["train", "--threads", "2"]).args(TINY.iter().flat_map(|change| ["--set", change]));
    command
}

/// Runs the program with lines to read.
fn answered(command: &mut Command, lines: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command that succeeds prints.
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&printed(output)).unwrap()
}

/// A network file that a run could have left.
fn save(path: &Path, facts: &Facts) {
    let shape = architecture(facts, 4, 1);
    Checkpoint { header: Header::new(&shape, 1, 7, 8, 9), network: seasoned(&shape, 3) }.save(path).unwrap();
}

/// A folder with networks for both games.
fn networks() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("my, nets")).unwrap();
    save(&folder.path().join("ttt.safetensors"), TicTacToe::new().facts());
    save(&folder.path().join("my, nets").join("a \"b\".safetensors"), TicTacToe::new().facts());
    save(&folder.path().join("c4.safetensors"), ConnectFour::new().facts());
    folder
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn games_are_listed_and_help_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let games = printed(&plyzero(&folder, "games"));
    // Options stand below their game, further in.
    let heads = games.lines().filter(|line| !line.starts_with(' '));
    assert!(heads.map(|line| line.split_whitespace().next().unwrap()).eq(registry().ids()));
    assert!(printed(&plyzero(&folder, "--help")).contains("board games"));
    for command in ["games", "train", "evaluate", "play"] {
        assert!(printed(&plyzero(&folder, &format!("{command} --help"))).contains("Usage: plyzero"), "{command}");
        assert!(printed(&plyzero(&folder, &format!("help {command}"))).contains("Usage: plyzero"), "{command}");
    }
    assert!(printed(&plyzero(&folder, "--version")).contains(env!("CARGO_PKG_VERSION")));
    let nothing = plyzero(&folder, "");
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("Usage: plyzero"));
}

#[test]
fn a_run_leaves_networks_that_the_other_commands_take() {
    let folder = tempfile::tempdir().unwrap();
    let out = printed(&tiny(&folder).args(["--run", "my, run"]).output().unwrap());
    let run = folder.path().join("my, run");
    assert_eq!(entries(&run), ["config.toml", "games", "metrics.jsonl", "nets", "state"]);
    assert_eq!(entries(&run.join("games")), ["00001.games", "00002.games"]);
    let nets = ["00000", "00001", "00002", "best", "latest"].map(|net| format!("{net}.safetensors"));
    assert_eq!(entries(&run.join("nets")), nets);
    assert!(out.contains("training tic_tac_toe in my, run on 2 threads"), "{out}");
    assert!(out.contains("latest network: my, run/nets/latest.safetensors"), "{out}");

    // The line it suggests can be pasted into a shell.
    let suggested = out.lines().find_map(|line| line.strip_prefix("play against it:  ")).unwrap();
    if cfg!(unix) {
        let played = answered(Command::new("sh").arg("-c").arg(suggested).current_dir(&folder), "b2\nquit\n");
        assert!(printed(&played).contains("Goodbye"));
    }
    let measured =
        program(&folder).args(["evaluate", "my, run/nets/best.safetensors", "--sims", "4", "--json"]).output().unwrap();
    assert_eq!((&json(&measured)["game"], &json(&measured)["iteration"]), (&"tic_tac_toe".into(), &2.into()));

    // A second run into the same folder is refused, and nothing of the first is touched.
    let before = fs::read(run.join("metrics.jsonl")).unwrap();
    let refused = tiny(&folder).args(["--run", "my, run"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(text(&refused.stdout), "");
    assert!(text(&refused.stderr).starts_with("error: my, run already holds a run"));
    assert_eq!(fs::read(run.join("metrics.jsonl")).unwrap(), before);

    // The configuration it leaves makes the same run again, in another process and on another number of threads.
    let again = program(&folder).args(["train", "--config", "my, run/config.toml", "--run", "again", "--threads", "1"]).output();
    printed(&again.unwrap());
    for part in ["nets", "games"] {
        for name in entries(&run.join(part)) {
            let [first, second] = [&run, &folder.path().join("again")].map(|run| fs::read(run.join(part).join(&name)).unwrap());
            assert!(first == second, "{part}/{name}");
        }
    }
    let [first, second] = [&run, &folder.path().join("again")].map(|run| fs::read_to_string(run.join("config.toml")).unwrap());
    assert_eq!(first, second);
}

#[test]
fn runs_without_a_name_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let once = |folder: &TempDir| {
        printed(&tiny(folder).args(["--game", "connect_four", "--set", "train.iterations=1"]).output().unwrap())
    };
    once(&folder);
    assert!(once(&folder).contains("checkpoints/connect_four-2"));
    assert_eq!(entries(&folder.path().join("checkpoints")), ["connect_four-1", "connect_four-2"]);
}

#[test]
fn a_network_is_measured_against_perfect_play() {
    let folder = networks();
    let report = json(&plyzero(&folder, "evaluate ttt.safetensors --sims 4,8 --json"));
    assert_eq!(
        (&report["net"], &report["game"], &report["iteration"]),
        (&"ttt.safetensors".into(), &"tic_tac_toe".into(), &7.into())
    );
    let search = report["search"].as_array().unwrap();
    assert_eq!(search.iter().map(|entry| entry["sims"].as_u64().unwrap()).collect::<Vec<_>>(), [4, 8]);
    for measured in [&report["raw"], &search[0], &search[1]] {
        assert_eq!(measured["positions"], 4520);
        assert!(measured["critical"].as_u64().unwrap() > 3000);
        for share in ["value_preserving", "value_preserving_critical", "strongest"] {
            assert!((0.0..=1.0).contains(&measured[share].as_f64().unwrap()), "{share}");
        }
        assert!(measured.get("matches").is_none());
    }
    assert_eq!(report, json(&plyzero(&folder, "evaluate ttt.safetensors --sims 4,8 --json --threads 1")));
    let told = printed(&plyzero(&folder, "evaluate ttt.safetensors --sims 4"));
    assert!(told.contains("ttt.safetensors: tic_tac_toe, iteration 7") && told.contains("4520 positions"), "{told}");
}

#[test]
fn a_network_is_measured_in_matches() {
    let folder = networks();
    let arguments = "evaluate c4.safetensors --sims 3 --against random --against alpha-beta:depth=1 --games 4 --json";
    let report = json(&plyzero(&folder, arguments));
    for measured in [&report["raw"], &report["search"][0]] {
        assert_eq!(measured["positions"], 300, "connect four is judged by a sample of solved positions");
        let matches = measured["matches"].as_array().unwrap();
        assert_eq!(
            matches.iter().map(|result| result["opponent"].as_str().unwrap()).collect::<Vec<_>>(),
            ["random", "alpha-beta:depth=1"]
        );
        for result in matches {
            assert_eq!((&result["games"], &result["forfeits"]), (&4.into(), &0.into()));
            assert!((0.0..=1.0).contains(&result["share"]["value"].as_f64().unwrap()));
            assert_eq!(result["points"].as_f64().unwrap() + result["opponent_points"].as_f64().unwrap(), 4.0);
        }
    }
    assert_eq!(report, json(&plyzero(&folder, &format!("{arguments} --threads 1"))));
    assert_ne!(report, json(&plyzero(&folder, &format!("{arguments} --seed 2"))));
    let told = printed(&plyzero(&folder, "evaluate ttt.safetensors --sims 3 --against random --games 4"));
    assert!(told.contains("raw against random") && told.contains("3 simulations against random"), "{told}");
}

#[test]
fn games_can_be_played_from_a_script() {
    let folder = networks();
    let squares: String = ["a", "b", "c"].iter().flat_map(|file| (1..=3).map(move |rank| format!("{file}{rank}\n"))).collect();
    let columns: String = (0..6).flat_map(|_| (1..=7).map(|column| format!("{column}\n"))).collect();
    let quoted = r#"puct:net="my, nets/a \"b\".safetensors",sims=20"#;
    for (game, agent, moves) in [
        ("tic_tac_toe", "net:my, nets/a \"b\".safetensors", &squares),
        ("tic_tac_toe", quoted, &squares),
        ("tic_tac_toe", "puct:net=ttt.safetensors,sims=20,gather=4,time=10000000000000000000s", &squares),
        ("connect_four", "net:c4.safetensors", &columns),
        ("connect_four", "puct:net=c4.safetensors,sims=8,reuse=false", &columns),
    ] {
        for side in ["first", "second"] {
            let told = printed(&answered(program(&folder).args(["play", game, "--agent", agent, "--side", side]), moves));
            assert!(told.contains(&format!("{agent} plays ")), "{told}");
            let last = told.lines().last().unwrap();
            assert!(last.contains("wins after") || last.contains("win after") || last.contains("draw after"), "{agent}: {last}");
        }
    }
    let script = "hint\nshow\nmoves\nboard\nhelp\nz9\nundo\nb2\nundo\nb2\nquit\na1\n";
    let told = printed(&answered(program(&folder).args(["play", "tic_tac_toe", "--agent", quoted]), script));
    for expected in ["would play", "prior", "Legal moves: a3", "taken back", "is not a legal move", "Goodbye"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    // The end of the input is no error, nor are bytes that are no text.
    printed(&plyzero(&folder, "play connect_four --agent random"));
    let mut child = program(&folder).args(["play", "tic_tac_toe"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\xfe\0\n\nquit\n").unwrap();
    assert!(child.wait().unwrap().success());
}

/// Checks that the program refuses: with status 2, one line that begins with `error:` and says `expected`, nothing on standard
/// output, and nothing made.
fn refuses(folder: &TempDir, arguments: &[impl AsRef<OsStr> + std::fmt::Debug], expected: &[&str]) {
    let before = entries(folder.path());
    let output = program(folder).args(arguments).output().unwrap();
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert!(complaint.starts_with("error: ") && complaint.lines().count() == 1, "{arguments:?}: {complaint}");
    for expected in expected {
        assert!(complaint.contains(expected), "{arguments:?} must say {expected}: {complaint}");
    }
    assert_eq!(entries(folder.path()), before, "{arguments:?}");
}

fn all_refused(cases: &[(&str, &[&str])]) {
    let folder = networks();
    fs::write(folder.path().join("cut.safetensors"), &fs::read(folder.path().join("ttt.safetensors")).unwrap()[..500]).unwrap();
    fs::write(folder.path().join("empty.safetensors"), "").unwrap();
    fs::write(folder.path().join("text.toml"), "learn quickly!").unwrap();
    fs::write(folder.path().join("bytes.toml"), b"\xff\xfe\x00").unwrap();
    fs::write(folder.path().join("typo.toml"), "[learner]\nbtach = 8\n").unwrap();
    fs::write(folder.path().join("section.toml"), "[lerner]\nbatch = 8\n").unwrap();
    fs::write(folder.path().join("flat.toml"), "train = 3\n").unwrap();
    fs::write(folder.path().join("type.toml"), "[self_play]\ngames = 10\nsimulations = \"many\"\n").unwrap();
    fs::write(folder.path().join("game.toml"), "[train]\ngame = \"shogi\"\n").unwrap();
    for (arguments, expected) in cases {
        refuses(&folder, &arguments.split_whitespace().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn unknown_games_agents_and_devices_are_refused_by_name() {
    all_refused(&[
        ("play shogi", &["\"shogi\"", "tic_tac_toe, connect_four"]),
        ("train --game shogi", &["\"shogi\"", "tic_tac_toe, connect_four"]),
        ("train --config game.toml", &["\"shogi\""]),
        ("play tic_tac_toe --agent alpha-bet", &["did you mean \"alpha-beta\""]),
        ("play tic_tac_toe --agent alpha-beta:dept=3", &["did you mean \"depth\""]),
        ("play tic_tac_toe --agent alpha-beta:depth=deep", &["\"depth\"", "\"deep\""]),
        ("play tic_tac_toe --agent alpha-beta:table=99999999999999999", &["\"table\""]),
        ("play tic_tac_toe --agent uct:sims=0", &["at least 1"]),
        ("play tic_tac_toe --agent uct:time=fast", &["50ms"]),
        ("play othello --agent puct:sims=4", &["lacks the option \"net\""]),
        ("play tic_tac_toe --agent puct:net=ttt.safetensors,gather=0", &["from 1 to"]),
        ("play tic_tac_toe --agent puct:net=ttt.safetensors,gather=99999999999", &["from 1 to"]),
        ("play tic_tac_toe --agent puct:net=ttt.safetensors,c_puct=nan", &["a number of at least 0"]),
        ("play tic_tac_toe --agent net:ttt.safetensors --device tpu", &["\"tpu\"", "knows cpu"]),
        ("play tic_tac_toe --side third", &["third"]),
        ("evaluate ttt.safetensors --json --device tpu", &["\"tpu\""]),
        ("evaluate ttt.safetensors --json --against alpha-bet", &["did you mean \"alpha-beta\""]),
        ("evaluate ttt.safetensors --json --sims 0", &["--sims"]),
        ("evaluate ttt.safetensors --json --games 0", &["--games"]),
        ("train --set train.device=tpu", &["\"tpu\""]),
        ("train --set evaluation.opponents=[\"alpha-bet\"]", &["did you mean \"alpha-beta\""]),
        ("learn", &["learn"]),
    ]);
}

#[test]
fn configurations_that_cannot_be_used_are_refused_by_key() {
    all_refused(&[
        ("train --set learner.btach=8", &["learner.btach", "did you mean learner.batch?"]),
        ("train --set lerner.batch=8", &["lerner.batch", "did you mean learner.batch?"]),
        ("train --set batch=8", &["section.key=value"]),
        ("train --set learner.batch", &["section.key=value"]),
        ("train --set learner.batch=many", &["learner.batch", "invalid type"]),
        ("train --set learner.batch=", &["learner.batch", "invalid type"]),
        ("train --set learner.batch=-8", &["learner.batch", "invalid value"]),
        ("train --set learner.batch=2.5", &["learner.batch", "invalid type"]),
        ("train --set learner.optimizer=adam", &["learner.optimizer", "adam", "adamw"]),
        ("train --set replay.max_uses=70000", &["replay.max_uses", "70000"]),
        ("train --set evaluation.opponents=random", &["evaluation.opponents", "invalid type"]),
        ("train --set learner.batch={size=8}", &["learner.batch", "invalid type"]),
        ("train --set learner.batch=7", &["learner.batch", "multiple of learner.shards"]),
        ("train --set learner.learning_rate=nan", &["learner.learning_rate", "above 0"]),
        ("train --set train.game=connect_four", &["train.game", "tic_tac_toe"]),
        ("train --set train.seed=18446744073709551616", &["train.seed"]),
        ("train --config nowhere.toml", &["cannot read the configuration nowhere.toml"]),
        ("train --config my", &["cannot read the configuration my"]),
        ("train --config bytes.toml", &["bytes.toml", "UTF-8"]),
        ("train --config text.toml", &["text.toml is not valid TOML"]),
        ("train --config typo.toml", &["typo.toml: unknown key learner.btach", "learner.batch"]),
        ("train --config section.toml", &["section.toml: unknown key lerner"]),
        ("train --config flat.toml", &["flat.toml", "train"]),
        ("train --config type.toml", &["self_play.simulations", "invalid type"]),
        ("train --config type.toml --game tic_tac_toe", &["cannot be used with"]),
        ("train --minutes 0", &["a number above 0"]),
        ("train --minutes=-1", &["a number above 0"]),
        ("train --minutes nan", &["a number above 0"]),
        ("train --minutes inf", &["a number above 0"]),
        ("train --minutes soon", &["a number above 0"]),
        ("train --cpu-minutes 0", &["a number above 0"]),
        ("train --threads 0", &["--threads"]),
        ("train --run ttt.safetensors", &["cannot write ttt.safetensors"]),
    ]);
}

#[test]
fn runs_that_cannot_be_gone_on_with_are_refused() {
    all_refused(&[
        ("train --resume nowhere", &["nowhere holds no run"]),
        ("train --resume ttt.safetensors", &["ttt.safetensors holds no run"]),
        ("train --resume .", &[". holds no run"]),
        ("train --resume . --game tic_tac_toe", &["cannot be used with"]),
        ("train --resume . --from ttt.safetensors", &["cannot be used with"]),
        ("train --allow-kernel-change", &["--resume"]),
        ("train --from nowhere.safetensors", &["cannot read nowhere.safetensors"]),
        ("train --from cut.safetensors", &["cut.safetensors is damaged"]),
        ("train --from c4.safetensors --game tic_tac_toe", &["a network for connect_four, not for tic_tac_toe"]),
        ("inspect nowhere", &["cannot read nowhere"]),
        ("inspect text.toml", &["text.toml is damaged or not a plyzero file"]),
        ("inspect cut.safetensors", &["cut.safetensors is damaged"]),
        ("inspect .", &[". holds no run"]),
        ("inspect --json", &["<PATH>"]),
    ]);
    // Another shape than the network has is refused before anything is made; so is a key that may not change.
    let folder = networks();
    refuses(&folder, &["train", "--from", "ttt.safetensors", "--set", "network.blocks=3"], &["other sizes", "blocks 1"]);
    printed(&tiny(&folder).args(["--run", "run", "--set", "train.iterations=1"]).output().unwrap());
    refuses(
        &folder,
        &["train", "--resume", "run", "--set", "learner.batch=16"],
        &["learner.batch cannot change", "train.iterations"],
    );
    refuses(&folder, &["train", "--resume", "run", "--set", "learner.btach=16"], &["did you mean learner.batch?"]);
    fs::write(folder.path().join("run/config.toml"), "learn quickly!").unwrap();
    refuses(&folder, &["train", "--resume", "run"], &["run/config.toml is not valid TOML"]);
}

#[test]
fn files_and_runs_say_what_they_are() {
    let folder = networks();
    printed(&tiny(&folder).args(["--run", "run"]).output().unwrap());
    let told = |path: &str| json(&program(&folder).args(["inspect", path, "--json"]).output().unwrap());
    let run = told("run");
    assert_eq!((&run["kind"], &run["game"], &run["iteration"]), (&"run".into(), &"tic_tac_toe".into(), &2.into()));
    assert_eq!(
        (&run["next"], &run["networks"], &run["in_use"]),
        (&"nothing: the run has ended".into(), &3.into(), &false.into())
    );
    let net = told("run/nets/00002.safetensors");
    assert_eq!((&net["kind"], &net["iteration"], &net["games"]), (&"network".into(), &2.into(), &8.into()));
    let digest = plyzero::storage::sha256(&fs::read(folder.path().join("run/nets/00002.safetensors")).unwrap());
    assert_eq!(net["sha256"], digest.as_str());
    let games = told("run/games/00002.games");
    assert_eq!((&games["first_number"], &games["last_number"], &games["network"]), (&4.into(), &7.into(), &1.into()));
    assert!(games["positions"].as_u64().unwrap() > 8);
    let state = told("run/state/run.state");
    assert_eq!((&state["kind"], &state["window_iterations"]), (&"state of a run".into(), &serde_json::json!([1, 2])));
    let text = printed(&plyzero(&folder, "inspect run/nets/latest.safetensors"));
    assert!(text.starts_with("run/nets/latest.safetensors\n") && text.contains(&digest), "{text}");
}

#[test]
fn the_networks_of_a_run_are_compared() {
    let folder = networks();
    printed(&tiny(&folder).args(["--run", "run"]).output().unwrap());
    let arguments = "evaluate run --sims 4 --against random --games 4";
    let told = printed(&plyzero(&folder, arguments));
    for expected in
        ["(1) raw network: keeps the value", "4 simulations against random", "iteration", "  100 % +", "2  iterations"]
    {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let reports = json(&plyzero(&folder, &format!("{arguments} --json")));
    let iterations: Vec<u64> = reports.as_array().unwrap().iter().map(|report| report["iteration"].as_u64().unwrap()).collect();
    assert_eq!(iterations, [0, 1, 2]);
    let fewer = json(&plyzero(&folder, &format!("{arguments} --nets 2 --json")));
    assert_eq!((&fewer[0], &fewer[1]), (&reports[0], &reports[2]));
    assert_eq!(
        reports[2]["raw"],
        json(&plyzero(&folder, "evaluate run/nets/latest.safetensors --sims 4 --against random --games 4 --json"))["raw"]
    );
}

#[test]
fn networks_that_cannot_be_used_are_refused_by_file() {
    all_refused(&[
        ("evaluate nowhere.safetensors --json", &["cannot read nowhere.safetensors"]),
        ("evaluate cut.safetensors --json", &["cut.safetensors is damaged"]),
        ("evaluate empty.safetensors --json", &["empty.safetensors is damaged", "shorter than 8 bytes"]),
        ("evaluate text.toml --json", &["text.toml is damaged or not a plyzero file"]),
        ("evaluate . --json", &[". holds no run"]),
        ("play tic_tac_toe --agent net:nowhere.safetensors", &["cannot read nowhere.safetensors"]),
        ("play tic_tac_toe --agent net:cut.safetensors", &["cut.safetensors is damaged"]),
        ("play tic_tac_toe --agent net:c4.safetensors", &["c4.safetensors is a network for connect_four, not for tic_tac_toe"]),
        ("play connect_four --agent puct:net=ttt.safetensors", &["a network for tic_tac_toe, not for connect_four"]),
        ("evaluate ttt.safetensors --json --against net:c4.safetensors", &["a network for connect_four, not for tic_tac_toe"]),
        ("train --set evaluation.opponents=[\"net:c4.safetensors\"]", &["a network for connect_four, not for tic_tac_toe"]),
    ]);
}

/// Runs the program with a standard output that nobody reads any more.
fn unheard(command: &mut Command) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn nobody_listening_is_no_failure() {
    let folder = networks();
    for arguments in ["games", "--help", "evaluate ttt.safetensors --sims 2", "play tic_tac_toe --agent random"] {
        unheard(program(&folder).args(arguments.split_whitespace()));
    }
    // A run is made for its files.
    unheard(tiny(&folder).args(["--run", "run"]));
    assert!(folder.path().join("run/nets/00002.safetensors").exists());
}
