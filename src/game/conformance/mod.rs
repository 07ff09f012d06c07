//! What every game must be: properties that are tried on random games of any implementation. A game that keeps them all can be
//! searched, trained, played and saved; one that breaks one would fail later and elsewhere, a network that does not learn, say.
//!
//! Rule: [`check`] plays seeded random games and asks each property about every position of theirs. A panic of the game's code
//! is a violation like any other. Hypothesis: the game's methods return. That no violation is found proves nothing; that one is
//! found does. Cost: some dozen calls of each method a position, times the number of symmetries.
//!
//! ```
//! use plyzero::game::{Entry, conformance};
//! use plyzero::games::TicTacToe; // or your own game
//!
//! let report = conformance::check(&Entry::new(TicTacToe::new(), "three in a row"), 20, 1);
//! assert!(report.is_sound(), "{report}");
//! ```

mod encodings;
mod keys;
mod knowledge;
mod moves;
mod payoffs;
mod report;
mod sample;
mod symmetries;
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use report::{Report, Tried, Violation};

use super::{Entry, Game};
use sample::Sample;

/// Violations of one property after which it is not tried further.
const ENOUGH: usize = 3;

/// Tries every property on the positions of `games` random games, each drawn from a stream `(seed, "conformance", number)`.
#[must_use]
pub fn check<G: Game>(entry: &Entry<G>, games: u64, seed: u64) -> Report {
    let sample = Sample::play(entry, games, seed);
    let properties = properties().iter().map(|property| property.attempt(&sample)).collect();
    Report { game: entry.game.facts().id.clone(), games, positions: sample.positions.len(), properties }
}

/// All properties, the most basic first: a fault in one often shows in later ones too.
fn properties<G: Game>() -> Vec<Property<G>> {
    let kinds: [fn() -> Vec<Property<G>>; 7] = [
        payoffs::properties,
        moves::properties,
        keys::properties,
        encodings::properties,
        symmetries::properties,
        text::properties,
        knowledge::properties,
    ];
    kinds.iter().flat_map(|properties| properties()).collect()
}

/// Something that holds of every game.
struct Property<G: Game> {
    /// A word or two to call it by.
    name: &'static str,
    /// What holds.
    law: &'static str,
    test: Test<G>,
}

/// How a property is tried. What is wrong is an error.
enum Test<G: Game> {
    /// Of the game as a whole.
    Game(fn(&Sample<G>) -> Result<(), Fault>),
    /// Of each position by itself.
    Position(fn(&Sample<G>, &G::State) -> Result<(), String>),
}

/// What is wrong, and in which of [`Sample::positions`], where it is about one.
struct Fault {
    at: Option<usize>,
    problem: String,
}

impl From<String> for Fault {
    fn from(problem: String) -> Self {
        Fault { at: None, problem }
    }
}

impl<G: Game> Property<G> {
    fn attempt(&self, sample: &Sample<G>) -> Tried {
        let violation = |Fault { at, problem }| Violation { position: at.map(|at| sample.describe(at)), problem };
        let faults: Vec<Fault> = match self.test {
            Test::Game(test) => guarded(|| test(sample)).err().into_iter().collect(),
            Test::Position(test) => {
                let fault = |(at, reached): (usize, &sample::Reached<G::State>)| {
                    let problem = guarded(|| test(sample, &reached.state)).err()?;
                    Some(Fault { at: Some(at), problem })
                };
                sample.positions.iter().enumerate().filter_map(fault).take(ENOUGH).collect()
            }
        };
        Tried { name: self.name, law: self.law, violations: faults.into_iter().map(violation).collect() }
    }
}

/// What `act` says, or that it panicked.
fn guarded<T, E: From<String>>(act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|cause| {
        let words = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
        Err(E::from(format!("the game panicked: {}", words.unwrap_or("without words"))))
    })
}

/// An error that says `problem` unless `holds`.
fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}
