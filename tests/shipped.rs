//! What is shipped with the program: networks that play at once, and ladders of opponents.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use plyzero::agent::Builder;
use plyzero::game::{Entry, Game, Games, Visit};
use plyzero::games::registry;
use plyzero::net::{Checkpoint, Device, Header, open_device};

/// Status, standard output and standard error.
fn plyzero(folder: &Path, arguments: &str, typed: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    command.current_dir(folder).args(arguments.split_whitespace());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn printed(folder: &Path, arguments: &str) -> String {
    let (code, told, complaint) = plyzero(folder, arguments, "");
    assert_eq!(code, Some(0), "{arguments}: {complaint}");
    told
}

/// Looks at what a game is shipped with, and counts its networks.
struct Look(Device);

impl Visit for Look {
    type Output = usize;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> usize {
        let builder = Builder { entry, device: &self.0, stop: None };
        for network in entry.networks {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), network.bytes).unwrap();
            let notes = Checkpoint::load(file.path(), entry.game.facts(), &self.0).unwrap().header.notes;
            assert!(["command", "figures"].iter().all(|name| notes.contains_key(*name)), "{}: {notes:?}", network.name);
            assert!(network.bytes.len() <= 2 << 20);
        }
        for rungs in entry.ladder.windows(2) {
            assert!(rungs[0].elo < rungs[1].elo, "{:?}", rungs);
        }
        for rung in entry.ladder {
            builder.factory(rung.agent).unwrap();
        }
        assert_eq!(entry.ladder.is_empty(), entry.networks.is_empty());
        entry.networks.len()
    }
}

#[test]
fn shipped_networks_load_say_how_they_came_about_and_climb_their_ladders() {
    let (games, mut look) = (registry(), Look(open_device("cpu").unwrap()));
    let shipped: Vec<String> = games.ids().into_iter().filter(|id| games.dispatch(id, &mut look).unwrap() > 0).collect();
    assert_eq!(shipped, ["tic_tac_toe"]);
}

#[test]
fn opponents_are_chosen_by_strength() {
    let folder = tempfile::tempdir().unwrap();
    let list = printed(folder.path(), "games");
    assert!(list.contains("strength 1: random, 0 Elo above random play") && list.contains("strength 5: puct:sims=100"), "{list}");
    let (code, _, told) = plyzero(folder.path(), "play tic_tac_toe --strength 2", "quit\n");
    assert!(code == Some(0) && told.contains("strength 2 of 5: uct:sims=4, "), "{told}");
    let (code, told, _) = plyzero(folder.path(), "play tic_tac_toe", "b2\nquit\n");
    assert!(code == Some(0) && told.contains("puct:sims=100"), "the strongest is met unless another is asked for: {told}");
    for (arguments, expected) in [
        ("play tic_tac_toe --strength 0", "the ladder of tic_tac_toe has the strengths from 1 to 5"),
        ("play tic_tac_toe --strength 6", "the ladder of tic_tac_toe has the strengths from 1 to 5"),
        ("play hex --strength 1", "hex has no ladder of opponents; choose one with --agent"),
        ("play tic_tac_toe --strength 1 --agent random", "cannot be used with"),
        ("analyze hex --agent puct", "net"),
        ("analyze hex --agent net:builtin", "builtin"),
        ("analyze tic_tac_toe --agent net:builtin:other", "builtin:other"),
    ] {
        let (code, _, complaint) = plyzero(folder.path(), arguments, "");
        assert!(code == Some(2) && complaint.contains(expected), "{arguments}: {code:?} {complaint}");
    }
}

#[test]
fn the_shipped_network_plays_wherever_a_network_does() {
    let folder = tempfile::tempdir().unwrap();
    let report = printed(folder.path(), "analyze tic_tac_toe --agent puct:sims=50");
    let by_name = printed(folder.path(), "analyze tic_tac_toe --agent puct:net=builtin,sims=50");
    assert_eq!(report.replace("puct:sims", "puct:net=builtin,sims"), by_name);
    let told = printed(
        folder.path(),
        "tournament --game tic_tac_toe --agents puct:sims=20 net:builtin:perfect random --games 20 --out t.games",
    );
    assert!(told.contains("net:builtin:perfect"), "{told}");
    let again = printed(
        folder.path(),
        "tournament --game tic_tac_toe --agents puct:sims=20 net:builtin:perfect random --games 20 --out t.games",
    );
    assert_eq!(told, again);
}

#[test]
fn notes_change_nothing_but_notes() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoints/tic_tac_toe.safetensors");
    let annotate = |net: &str, notes: &[&str], out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
        command.current_dir(&folder).args(["annotate", net, "--out", out]).args(notes.iter().flat_map(|note| ["--note", note]));
        command.output().unwrap().status.code()
    };
    assert_eq!(annotate(shipped, &["place=a laptop = mine", "command="], "a.safetensors"), Some(0));
    let told = printed(folder.path(), "inspect a.safetensors");
    assert!(told.contains("a laptop = mine") && !told.contains("plyzero train"), "{told}");
    assert_eq!(
        printed(folder.path(), "analyze tic_tac_toe --agent net:a.safetensors").replace("a.safetensors", "builtin"),
        printed(folder.path(), "analyze tic_tac_toe --agent net:builtin")
    );
    let notes = Header::read(Path::new(shipped)).unwrap().notes;
    assert_eq!(annotate("a.safetensors", &["place=", &format!("command={}", notes["command"])], "b.safetensors"), Some(0));
    assert_eq!(fs::read(folder.path().join("b.safetensors")).unwrap(), fs::read(shipped).unwrap());
    assert_eq!(annotate(shipped, &["nothing"], "c.safetensors"), Some(2));
    assert!(!folder.path().join("c.safetensors").exists());
}
