//! What came of trying a game, for programs and for people.

use std::fmt;

/// All properties with what was found against them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The game.
    pub game: String,
    /// Random games played.
    pub games: u64,
    /// Positions of theirs.
    pub positions: usize,
    /// The properties in the order they were tried.
    pub properties: Vec<Tried>,
}

/// A property that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// A word or two to call it by.
    pub name: &'static str,
    /// What it says.
    pub law: &'static str,
    /// The first few violations; none where it holds.
    pub violations: Vec<Violation>,
}

/// A case in which a property does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The position, drawn, with the moves that led to it; none where the fault is not that of one position.
    pub position: Option<String>,
    /// What is wrong.
    pub problem: String,
}

impl Report {
    /// Whether every property holds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.violated().next().is_none()
    }

    /// The properties that do not hold.
    pub fn violated(&self) -> impl Iterator<Item = &Tried> {
        self.properties.iter().filter(|property| !property.violations.is_empty())
    }
}

/// A line a property, and below it what was found against it.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} random games, {} positions", self.game, self.games, self.positions)?;
        self.properties.iter().try_for_each(|property| write!(formatter, "\n{property}"))
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.violations.is_empty() { "holds" } else { "BROKEN" };
        write!(formatter, "  {state:<6}  {:<20}  {}", self.name, self.law)?;
        self.violations.iter().try_for_each(|violation| write!(formatter, "\n{violation}"))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.problem.lines().chain(self.position.iter().flat_map(|position| position.lines()));
        let text: Vec<&str> = lines.collect();
        write!(formatter, "      - {}", text.join("\n        "))
    }
}
