//! `plyzero uci` from the other side of its pipes, and `plyzero epd`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use plyzero::rng::stream;
use rand::RngExt as _;

/// A program that is spoken to. It must answer within a minute, however busy the machine is.
struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
        let command = command.arg("uci").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, input, lines }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// The lines up to one that begins with `end`, that one included.
    fn until(&mut self, end: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60));
            let line = line.unwrap_or_else(|_| panic!("no {end:?} after {lines:?}"));
            let ends = line.starts_with(end);
            lines.push(line);
            if ends {
                return lines;
            }
        }
    }

    fn ask(&mut self, text: &str, end: &str) -> Vec<String> {
        self.say(text);
        self.until(end)
    }

    /// The move that is answered to `go`, in the position said before.
    fn best(&mut self, go: &str) -> String {
        let lines = self.ask(go, "bestmove");
        lines[lines.len() - 1].split(' ').nth(1).unwrap().to_owned()
    }

    fn is_silent(&mut self) {
        assert!(matches!(self.ask("isready", "readyok").as_slice(), [ready] if ready == "readyok"));
    }

    fn end(mut self, code: i32) -> String {
        drop(self.input);
        let status = self.child.wait().unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut text).unwrap();
        assert_eq!(status.code(), Some(code), "{text}");
        text
    }
}

fn word(line: &str, key: &str) -> String {
    let mut words = line.split(' ').skip_while(|&word| word != key);
    words.nth(1).unwrap_or_else(|| panic!("no {key} in {line}")).to_owned()
}

#[test]
fn it_introduces_itself_and_plays() {
    let mut engine = Engine::start(&[]);
    let hello = engine.ask("uci", "uciok");
    assert!(hello[0].starts_with("id name plyzero "));
    for option in ["Hash", "Threads", "MultiPV", "Clear Hash", "UCI_Chess960", "Move Overhead"] {
        assert!(hello.iter().any(|line| line.starts_with(&format!("option name {option} type "))), "{option}");
    }
    engine.is_silent();
    let lines = engine.ask("go depth 4", "bestmove");
    let info = &lines[lines.len() - 2];
    assert_eq!((word(info, "depth"), word(info, "multipv")), ("4".into(), "1".into()));
    assert!(word(info, "seldepth").parse::<u32>().unwrap() >= 4 && info.contains(" score cp ") && info.contains(" nps "));
    assert_eq!(word(info, "pv"), word(&lines[lines.len() - 1], "bestmove"));
    engine.say("position startpos moves f2f3 e7e5 g2g4");
    let lines = engine.ask("go depth 3", "bestmove d8h4");
    assert!(lines[lines.len() - 2].contains("score mate 1 "), "{lines:?}");
    engine.say("position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7");
    assert_eq!(engine.best("go depth 3"), "0000", "the game is over");
    engine.say("quit");
    engine.end(0);
}

#[test]
fn a_mated_side_counts_moves_too() {
    let mut engine = Engine::start(&[]);
    engine.say("position fen kbK5/pp6/1P6/8/8/8/R7/8 w - - 0 1");
    let lines = engine.ask("go mate 2", "bestmove a2a6");
    assert!(lines[lines.len() - 2].contains("score mate 2 "), "{lines:?}");
    engine.say("position fen kbK5/pp6/RP6/8/8/8/8/8 b - - 0 1");
    let lines = engine.ask("go depth 5", "bestmove");
    assert!(lines[lines.len() - 2].contains("score mate -1 "), "{lines:?}");
    engine.end(0);
}

#[test]
fn a_search_without_limit_goes_on_until_it_is_stopped() {
    let mut engine = Engine::start(&["--hash", "1"]);
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 2");
    engine.ask("isready", "readyok");
    engine.ask("stop", "bestmove");
    // A mate is found at once, and told when it is asked for.
    engine.say("position startpos moves f2f3 e7e5 g2g4");
    engine.say("go infinite");
    engine.until("info depth 1");
    engine.is_silent();
    engine.ask("stop", "bestmove d8h4");
    engine.say("go ponder wtime 100 btime 100");
    engine.until("info depth 1");
    engine.is_silent();
    engine.ask("ponderhit", "bestmove d8h4");
    engine.say("go ponder wtime 100 btime 100");
    engine.ask("stop", "bestmove d8h4");
    engine.end(0);
}

#[test]
fn every_kind_of_limit_ends_a_search() {
    let mut engine = Engine::start(&[]);
    for go in [
        "go depth 3",
        "go nodes 500",
        "go movetime 20",
        "go wtime 200 btime 200",
        "go wtime 100 btime 100 winc 10 binc 10 movestogo 1",
        "go wtime -5 btime -5",
        "go mate 1",
    ] {
        engine.say("position startpos moves e2e4");
        assert_eq!(engine.best(go).len(), 4, "{go}");
    }
    // At the end of the input a search with a limit is waited for.
    engine.say("go depth 4");
    let Engine { child, input, lines } = engine;
    drop(input);
    assert!(lines.iter().any(|line| line.starts_with("bestmove")));
    assert!({ child }.wait().unwrap().success());
}

#[test]
fn moves_to_choose_from_and_several_lines() {
    let mut engine = Engine::start(&[]);
    assert_eq!(engine.best("go searchmoves a2a3 h2h4 depth 3").len(), 4);
    engine.say("setoption name MultiPV value 3");
    let lines = engine.ask("go depth 3 searchmoves a2a3 h2h4", "bestmove");
    let last: Vec<&String> = lines.iter().filter(|line| line.starts_with("info depth 3 ")).collect();
    assert!(last.iter().all(|line| ["a2a3", "h2h4"].contains(&word(line, "pv").as_str())), "{lines:?}");
    let lines = engine.ask("go depth 4", "bestmove");
    let lines = &lines[lines.len() - 4..lines.len() - 1];
    let scores: Vec<i32> = lines.iter().map(|line| word(line, "cp").parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{lines:?}");
    let numbers: Vec<String> = lines.iter().map(|line| word(line, "multipv")).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    engine.end(0);
}

#[test]
fn castling_is_sent_as_it_is_asked_for() {
    let mut engine = Engine::start(&[]);
    let castle = "position fen 5k2/8/8/8/8/8/8/4K2R w K - 0 1";
    engine.say(castle);
    assert_eq!(engine.best("go depth 2 searchmoves e1g1"), "e1g1");
    engine.say("setoption name UCI_Chess960 value true");
    engine.say(castle);
    assert_eq!(engine.best("go depth 2 searchmoves e1h1"), "e1h1");
    engine.say("position fen 5k2/8/8/8/8/8/8/4K2R w H - 0 1 moves e1h1 f8e7");
    engine.ask("d", "8/4k3/8/8/8/8/8/5RK1 w - - 2 2");
    engine.end(0);
}

#[test]
fn it_plays_on_where_only_a_claim_would_end_the_game() {
    let mut engine = Engine::start(&[]);
    let back = "g1f3 g8f6 f3g1 f6g8 ".repeat(3);
    engine.say(&format!("position startpos moves {back} e2e4 e7e5"));
    assert_eq!(engine.best("go depth 3").len(), 4);
    engine.say("position fen 7k/8/5KQ1/8/8/8/8/8 w - - 99 80 moves g6g5 h8h7");
    assert!(engine.best("go depth 3").len() == 4);
    engine.end(0);
}

#[test]
fn threads_and_tables_can_be_changed() {
    let mut engine = Engine::start(&["--threads", "2", "--hash", "4"]);
    engine.say("position startpos moves d2d4");
    assert_eq!(engine.best("go depth 6").len(), 4);
    for option in ["Threads value 3", "Hash value 1", "Clear Hash", "Hash value 100000000", "Threads value 0", "Nonsense value 1"]
    {
        engine.say(&format!("setoption name {option}"));
        assert_eq!(engine.best("go depth 4").len(), 4);
    }
    engine.say("ucinewgame");
    assert_eq!(engine.best("go movetime 30").len(), 4);
    engine.end(0);
}

/// With one thread, a search depends on what was said alone.
#[test]
fn one_thread_answers_alike() {
    let session = || {
        let mut engine = Engine::start(&[]);
        let mut told = String::new();
        for moves in ["e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6"] {
            engine.say(&format!("position startpos moves {moves}"));
            for line in engine.ask("go depth 6", "bestmove") {
                let timeless: Vec<&str> = line.split(' ').take_while(|&word| word != "nps").collect();
                let _ = writeln!(told, "{} {}", timeless.join(" "), line.split(" pv ").nth(1).unwrap_or(""));
            }
        }
        engine.end(0);
        told
    };
    assert_eq!(session(), session());
}

#[test]
fn what_is_not_understood_changes_nothing() {
    let mut engine = Engine::start(&[]);
    engine.say("position startpos moves e2e4 c7c5");
    let before = engine.ask("d", "rnbq");
    let mut rng = stream(1, "nonsense", 0);
    let fens = [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "kkk5/8/8/8/8/8/8/KKK5 w - - 0 1",
        "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
        "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e3 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    ];
    let pieces = [
        "position",
        "fen",
        "startpos",
        "moves",
        "e2e5",
        "go",
        "setoption",
        "name",
        "value",
        "Hash",
        "w",
        "-",
        "99999999999999999999",
        "\u{1F600}",
        "\t",
        "e7e8q",
    ];
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for round in 0..10_000 {
        let line = match round % 4 {
            0 => format!("position fen {}", fens[rng.random_range(0..fens.len())]),
            1 => {
                // A FEN with a letter changed; one that is right by chance is another position, so a king goes missing too.
                let mut letters: Vec<char> = start.replace('k', "x").chars().collect();
                let at = rng.random_range(0..letters.len());
                letters[at] = char::from(rng.random_range(33..127u8));
                format!("position fen {}", letters.into_iter().collect::<String>())
            }
            2 => (0..rng.random_range(0..9))
                .map(|_| pieces[rng.random_range(0..pieces.len())])
                .filter(|&word| word != "go" && word != "startpos")
                .collect::<Vec<_>>()
                .join(" "),
            _ => (0..rng.random_range(0..40)).map(|_| char::from(rng.random_range(32..127u8))).collect(),
        };
        // What is a command by chance is no nonsense.
        if !line.split_whitespace().any(|word| ["quit", "stop", "d", "uci", "isready"].contains(&word)) {
            engine.say(&line);
        }
    }
    engine.input.write_all(&vec![b'x'; 1 << 20]).unwrap();
    engine.say("");
    engine.is_silent();
    assert_eq!(engine.ask("d", "rnbq"), before);
    assert_eq!(engine.best("go depth 3").len(), 4);
    engine.end(0);
}

#[test]
fn a_file_is_loaded_when_it_is_needed_and_a_wrong_one_is_told() {
    let mut engine = Engine::start(&["--net", "nowhere.safetensors"]);
    engine.ask("uci", "uciok");
    let lines = engine.ask("isready", "info string");
    assert!(lines[0].contains("nowhere.safetensors"), "{lines:?}");
    let told = engine.end(2);
    assert!(told.contains("nowhere.safetensors") && told.lines().count() == 1, "{told}");
    let output = Command::new(env!("CARGO_BIN_EXE_plyzero")).args(["uci", "--game", "hex"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn suites_are_solved_and_what_is_missed_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mates.epd");
    let lines = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\n# a comment\nkbK5/pp6/1P6/8/8/8/8/R7 w - - bm Rh1; c0 \"wrong; on purpose\";\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Kf1 h3;\n";
    std::fs::write(&file, lines).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_plyzero")).arg("epd").arg(&file).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text, _) = run(&["--agent", "alpha-beta:depth=4"]);
    assert_eq!((code, text.lines().next().unwrap()), (Some(0), "alpha-beta:depth=4 solves 2 of 3 positions."));
    assert!(text.contains("line 4: Ra6 instead of Rh1  kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), "{text}");
    let (_, text, _) = run(&["--time", "50ms", "--positions", "1", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&found["positions"], &found["solved"]), (&1.into(), &1.into()));
    for (wrong, word) in [
        ("6k1/5ppp w - - bm Ra1;", "line 1"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Ra9;", "bm"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - id \"x;", "quotes"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -", "bm"),
    ] {
        std::fs::write(&file, wrong).unwrap();
        let (code, _, told) = run(&[]);
        assert!(code == Some(2) && told.contains(word) && told.lines().count() == 1, "{told}");
    }
}
