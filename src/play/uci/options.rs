//! What the other side may set.

use std::time::Duration;

/// The settings of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// MiB of the transposition table.
    pub hash_mib: usize,
    /// Threads of alpha-beta.
    pub threads: usize,
    /// How many of the best moves are told.
    pub lines: usize,
    /// Whether castling is sent as a step onto the rook.
    pub chess960: bool,
    /// What is lost of the time between the two programs.
    pub overhead: Duration,
    /// Whether what a tree search thinks of each move is told.
    pub verbose: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let overhead = Duration::from_millis(10);
        Self { hash_mib: 16, threads: 1, lines: 1, chess960: false, overhead, verbose: true }
    }
}

const LARGEST_HASH: usize = 65_536;
const MOST_THREADS: usize = 256;
const MOST_LINES: usize = 256;
const LONGEST_OVERHEAD: u64 = 10_000;

/// Whether an option is the button that clears the table.
pub(super) fn is_clear(name: &str) -> bool {
    named(name, "Clear Hash")
}

/// Names are compared without regard to case, and some programs leave out their blanks.
fn named(name: &str, wanted: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_ascii_lowercase();
    letters(name) == letters(wanted)
}

impl Settings {
    /// Sets an option, and says whether the engine is another for it. What is unknown or out of range changes nothing.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> bool {
        let before = self.clone();
        let number = value.and_then(|value| value.parse::<usize>().ok());
        let within = |most: usize| number.filter(|number| (1..=most).contains(number));
        let flag = match value {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        match name {
            _ if named(name, "Hash") => self.hash_mib = within(LARGEST_HASH).unwrap_or(self.hash_mib),
            _ if named(name, "Threads") => self.threads = within(MOST_THREADS).unwrap_or(self.threads),
            _ if named(name, "MultiPV") => self.lines = within(MOST_LINES).unwrap_or(self.lines),
            _ if named(name, "UCI_Chess960") => self.chess960 = flag.unwrap_or(self.chess960),
            _ if named(name, "VerboseMoveStats") => self.verbose = flag.unwrap_or(self.verbose),
            _ if named(name, "Move Overhead") => {
                let millis = number.map(|number| number as u64).filter(|&number| number <= LONGEST_OVERHEAD);
                self.overhead = millis.map_or(self.overhead, Duration::from_millis);
            }
            _ => {}
        }
        (self.hash_mib, self.threads) != (before.hash_mib, before.threads)
    }

    /// The options as the protocol introduces them.
    pub(super) fn describe(&self) -> String {
        let Self { hash_mib, threads, lines, chess960, overhead, verbose } = self;
        [
            format!("option name Hash type spin default {hash_mib} min 1 max {LARGEST_HASH}"),
            format!("option name Threads type spin default {threads} min 1 max {MOST_THREADS}"),
            format!("option name MultiPV type spin default {lines} min 1 max {MOST_LINES}"),
            "option name Clear Hash type button".to_owned(),
            "option name Ponder type check default false".to_owned(),
            format!("option name UCI_Chess960 type check default {chess960}"),
            format!("option name Move Overhead type spin default {} min 0 max {LONGEST_OVERHEAD}", overhead.as_millis()),
            format!("option name VerboseMoveStats type check default {verbose}"),
        ]
        .join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_by_any_spelling_and_nothing_else_changes_them() {
        let mut settings = Settings::default();
        assert!(settings.set("hash", Some("128")) && settings.set("THREADS", Some("2")));
        assert!(!settings.set("MoveOverhead", Some("35")) && !settings.set("Move Overhead", Some("40")));
        assert!(!settings.set("multipv", Some("3")) && !settings.set("UCI_Chess960", Some("true")));
        let set = Settings {
            hash_mib: 128,
            threads: 2,
            lines: 3,
            chess960: true,
            overhead: Duration::from_millis(40),
            ..Settings::default()
        };
        assert_eq!(settings, set);
        for (name, value) in [
            ("Hash", Some("0")),
            ("Hash", Some("-1")),
            ("Hash", Some("99999999999999999999")),
            ("Hash", None),
            ("Threads", Some("two")),
            ("MultiPV", Some("1000")),
            ("UCI_Chess960", Some("yes")),
            ("Move Overhead", Some("1000000")),
            ("Nonsense", Some("1")),
            ("", None),
        ] {
            assert!(!settings.set(name, value), "{name} {value:?}");
            assert_eq!(settings, set, "{name} {value:?}");
        }
        assert!(is_clear("Clear Hash") && is_clear("clearhash") && !is_clear("Hash"));
        assert!(settings.describe().contains("option name Hash type spin default 128 min 1"));
    }
}
