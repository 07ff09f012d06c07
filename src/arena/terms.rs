//! What the games of a tournament are a function of. Two tournaments with the same terms are the same tournament; its number of
//! threads, the anchor of its ratings and the form of its report are not among them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Agreement};
use super::schedule::{Format, Schedule};
use super::sprt::Sprt;
use crate::storage::sha256;

/// The terms of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The version of the program that plays it.
    pub version: String,
    /// The game.
    pub game: String,
    /// Who plays.
    pub agents: Vec<Entrant>,
    /// Which of them meet.
    pub format: Format,
    /// Games of each pairing; an even number, for each opening is played from both sides.
    pub games: usize,
    /// Where openings come from.
    pub openings: OpeningSource,
    /// When games are decided before their end by the rules.
    pub adjudication: Adjudication,
    /// The seed of openings and games.
    pub seed: u64,
    /// A test that may end it early, of the first of two agents against the second.
    pub sprt: Option<Sprt>,
    /// Where networks are run.
    pub device: String,
}

/// Where the openings of a tournament come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningSource {
    /// They are drawn.
    Random {
        /// Random plies; more where too few openings of that length are distinct.
        plies: usize,
    },
    /// Somebody wrote them down.
    File {
        /// The SHA-256 of the file.
        sha256: String,
        /// Plies of each that are played at most, if not all.
        plies: Option<usize>,
    },
}

impl fmt::Display for OpeningSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::Random { plies } => write!(formatter, "{plies} random plies"),
            OpeningSource::File { sha256, plies } => {
                write!(formatter, "file {:.12}", sha256)?;
                plies.map_or(Ok(()), |plies| write!(formatter, ", {plies} plies of each"))
            }
        }
    }
}

/// An agent of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Its specification.
    pub name: String,
    /// The SHA-256 of its network file, where it has one.
    pub network: Option<String>,
}

impl Terms {
    /// The games to be played from `openings` openings.
    ///
    /// Where these are too few they come again; but not in a test, to which a pair that may repeat another is no new evidence: it
    /// has as many pairs at most as there are openings.
    #[must_use]
    pub fn schedule(&self, openings: usize) -> Schedule {
        let rounds = self.games / 2;
        Schedule::new(self.format, self.agents.len(), if self.sprt.is_some() { rounds.min(openings) } else { rounds })
    }

    /// A name for them: the first twelve digits of the SHA-256 of what they say.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut digest = sha256(format!("{self:?}").as_bytes());
        digest.truncate(12);
        digest
    }

    /// The first respect in which these differ from `wanted`, in words; nothing where they do not.
    #[must_use]
    pub fn difference(&self, wanted: &Terms) -> Option<String> {
        let names = |terms: &Terms| terms.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(" ");
        let test = |terms: &Terms| terms.sprt.map_or("none".to_owned(), |sprt| sprt.to_string());
        let rule = |rule: Option<Agreement>| rule.map_or("none".to_owned(), |rule| rule.to_string());
        let respects = [
            ("game", self.game.clone(), wanted.game.clone()),
            ("list of agents", names(self), names(wanted)),
            ("format", self.format.to_string(), wanted.format.to_string()),
            ("number of games a pairing", self.games.to_string(), wanted.games.to_string()),
            ("source of openings", self.openings.to_string(), wanted.openings.to_string()),
            ("rule of resignation", rule(self.adjudication.resign), rule(wanted.adjudication.resign)),
            ("rule of draws", rule(self.adjudication.draw), rule(wanted.adjudication.draw)),
            ("seed", self.seed.to_string(), wanted.seed.to_string()),
            ("SPRT", test(self), test(wanted)),
            ("device", self.device.clone(), wanted.device.clone()),
            ("program version", self.version.clone(), wanted.version.clone()),
        ];
        let differing = respects.into_iter().find(|(_, own, other)| own != other);
        let changed = || self.agents.iter().zip(&wanted.agents).find(|(own, other)| own != other);
        differing
            .map(|(respect, own, other)| format!("its {respect} is {own}, not {other}"))
            .or_else(|| changed().map(|(agent, _)| format!("the network file of {} is not the one that played", agent.name)))
    }
}
