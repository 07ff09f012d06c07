//! What the other side says. Unknown words before a command are skipped, and so is what follows one and is not understood.

use std::time::Duration;

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: Option<String>,
    },
    /// A position in the game's notation, the initial one if there is none, and the moves from there.
    Position {
        start: Option<String>,
        moves: Vec<String>,
    },
    Go(Go),
    PonderHit,
    Stop,
    /// No command of the protocol, but one that many programs have: show the board.
    Show,
    Quit,
}

/// How long to search, and what.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Go {
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    /// A mate in so many moves is looked for.
    pub(super) mate: Option<u32>,
    pub(super) move_time: Option<Duration>,
    /// Time left for both, and what each move adds.
    pub(super) left: [Option<Duration>; 2],
    pub(super) added: [Option<Duration>; 2],
    pub(super) moves_to_go: Option<u32>,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// The moves to choose from, as they were sent; all if there is none.
    pub(super) moves: Vec<String>,
}

impl Command {
    /// The command of a line, if it holds one.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let rest: Vec<&str> = words.clone().collect();
            return Some(match word {
                "uci" => Command::Uci,
                "isready" => Command::IsReady,
                "ucinewgame" => Command::NewGame,
                "setoption" => set_option(&rest)?,
                "position" => position(&rest)?,
                "go" => Command::Go(Go::read(&rest)),
                "ponderhit" => Command::PonderHit,
                "stop" => Command::Stop,
                "d" => Command::Show,
                "quit" => Command::Quit,
                _ => continue,
            });
        }
        None
    }
}

/// `name N [value V]`, both of any number of words.
fn set_option(words: &[&str]) -> Option<Command> {
    let words = words.strip_prefix(&["name"])?;
    let end = words.iter().position(|&word| word == "value").unwrap_or(words.len());
    let value = words.get(end + 1..).map(|words| words.join(" "));
    Some(Command::SetOption { name: words[..end].join(" "), value }).filter(|_| end > 0)
}

/// `startpos` or `fen F`, and perhaps `moves M...`.
fn position(words: &[&str]) -> Option<Command> {
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let start = match words[..end] {
        ["startpos", ..] => None,
        ["fen", ref fields @ ..] if !fields.is_empty() => Some(fields.join(" ")),
        _ => return None,
    };
    let moves = words.get(end + 1..).unwrap_or_default();
    Some(Command::Position { start, moves: moves.iter().map(|&word| word.to_owned()).collect() })
}

impl Go {
    const KEYS: [&str; 12] = [
        "depth",
        "nodes",
        "mate",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "infinite",
        "ponder",
        "searchmoves",
    ];

    /// Whether nothing but `stop` ends the search.
    pub(super) fn is_endless(&self) -> bool {
        let times = [self.move_time, self.left[0], self.left[1]];
        let is_limited = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some() || times.iter().any(Option::is_some);
        self.infinite || !is_limited
    }

    fn read(words: &[&str]) -> Self {
        let (mut go, mut at) = (Go::default(), 0);
        while at < words.len() {
            let value = words.get(at + 1).and_then(|word| word.parse::<i64>().ok());
            let count = value.map(|value| u32::try_from(value.max(1)).unwrap_or(u32::MAX));
            // A clock may have run out.
            let time = value.map(|value| Duration::from_millis(value.max(0).unsigned_abs()));
            match words[at] {
                "depth" => go.depth = count,
                "nodes" => go.nodes = value.map(|value| value.max(1).unsigned_abs()),
                "mate" => go.mate = count,
                "movetime" => go.move_time = time,
                "wtime" => go.left[0] = time,
                "btime" => go.left[1] = time,
                "winc" => go.added[0] = time,
                "binc" => go.added[1] = time,
                "movestogo" => go.moves_to_go = count,
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    let moves = words[at + 1..].iter().take_while(|word| !Self::KEYS.contains(word));
                    go.moves = moves.map(|&word| word.to_owned()).collect();
                }
                _ => {}
            }
            at += 1;
        }
        go
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        match Command::read(line) {
            Some(Command::Go(go)) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_are_found_among_what_is_not_understood() {
        assert_eq!(Command::read("  joho  isready now"), Some(Command::IsReady));
        assert_eq!(Command::read("debug on"), None);
        assert_eq!(Command::read(""), None);
        assert_eq!(Command::read("quit\r"), Some(Command::Quit));
    }

    #[test]
    fn options_have_names_and_values_of_several_words() {
        let option = |name: &str, value: Option<&str>| {
            Some(Command::SetOption { name: name.to_owned(), value: value.map(ToOwned::to_owned) })
        };
        assert_eq!(Command::read("setoption name Move Overhead value 30"), option("Move Overhead", Some("30")));
        assert_eq!(Command::read("setoption name Clear Hash"), option("Clear Hash", None));
        assert_eq!(Command::read("setoption name Book value a b"), option("Book", Some("a b")));
        assert_eq!(Command::read("setoption name X value"), option("X", Some("")));
        for line in ["setoption", "setoption name", "setoption name value 3", "setoption value 3"] {
            assert_eq!(Command::read(line), None, "{line}");
        }
    }

    #[test]
    fn positions_have_a_start_and_moves() {
        let found = |line| match Command::read(line) {
            Some(Command::Position { start, moves }) => Some((start, moves.join(" "))),
            _ => None,
        };
        assert_eq!(found("position startpos"), Some((None, String::new())));
        assert_eq!(found("position startpos moves e2e4 e7e5"), Some((None, "e2e4 e7e5".into())));
        assert_eq!(found("position fen 8/8 w  - moves a1a2"), Some((Some("8/8 w -".into()), "a1a2".into())));
        for line in ["position", "position fen", "position fen moves e2e4", "position e2e4"] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let all = go("go wtime 1000 btime -20 winc 5 binc 6 movestogo 7 depth 8 nodes 9 mate 2 movetime 11 infinite ponder");
        assert_eq!(all.left, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!(all.added.map(|time| time.unwrap().as_millis()), [5, 6]);
        assert_eq!((all.moves_to_go, all.depth, all.nodes, all.mate), (Some(7), Some(8), Some(9), Some(2)));
        assert!(all.infinite && all.ponder && all.move_time == Some(Duration::from_millis(11)));
        let chosen = go("go searchmoves e2e4 d2d4 depth 3");
        assert_eq!((chosen.moves.join(" "), chosen.depth), ("e2e4 d2d4".into(), Some(3)));
        assert_eq!(go("go depth x nodes -4"), Go { nodes: Some(1), ..Go::default() });
        assert_eq!(go("go depth"), Go::default());
        assert!(go("go").is_endless() && go("go ponder").is_endless() && go("go infinite depth 3").is_endless());
        assert!(!go("go mate 3").is_endless() && !go("go btime 5").is_endless());
        assert_eq!(go("go depth 99999999999999999999"), Go::default());
    }
}
