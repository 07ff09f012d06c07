//! A line of EPD (Extended Position Description, S. Edwards, 1994): a position, and operations that say something of it.

use crate::game::{Action, Game, Notation, ParseMoveError};

/// A position with what its line asks of a solver.
pub(super) struct Record<G: Game> {
    pub(super) state: G::State,
    /// The position's name, or the number of its line.
    pub(super) id: String,
    /// The best moves; if there are any, one of them is to be found.
    pub(super) best: Vec<Action>,
    /// Moves to avoid.
    pub(super) avoid: Vec<Action>,
}

/// A line that asks nothing of a solver, or nothing that can be understood.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Position(#[from] crate::game::InvalidPosition),
    #[error("{operation}: {source}")]
    Move { operation: String, source: ParseMoveError },
    #[error("a text in quotes has no end")]
    OpenQuote,
    #[error("it says neither which moves are best (bm) nor which to avoid (am)")]
    NothingAsked,
}

impl<G: Game> Record<G> {
    /// Reads line number `number`.
    pub(super) fn read(notation: &dyn Notation<State = G::State>, line: &str, number: usize) -> Result<Self, Fault> {
        let mut fields = line.split_whitespace();
        let position: Vec<&str> = fields.by_ref().take(4).collect();
        let state = notation.read(&position.join(" "))?;
        let mut record = Self { state, id: format!("line {number}"), best: Vec::new(), avoid: Vec::new() };
        let rest: Vec<&str> = fields.collect();
        for words in operations(&rest.join(" "))? {
            let Some((operation, operands)) = words.split_first() else { continue };
            let moves = || {
                let read = |text: &String| {
                    let fault = |source| Fault::Move { operation: operation.clone(), source };
                    notation.parse(&record.state, text).map_err(fault)
                };
                operands.iter().map(read).collect::<Result<Vec<_>, _>>()
            };
            match operation.as_str() {
                "bm" => record.best = moves()?,
                "am" => record.avoid = moves()?,
                "id" => record.id = operands.join(" "),
                _ => {}
            }
        }
        let asks = !record.best.is_empty() || !record.avoid.is_empty();
        if asks { Ok(record) } else { Err(Fault::NothingAsked) }
    }

    /// Whether a move is what the line wants.
    pub(super) fn is_solved_by(&self, action: Action) -> bool {
        (self.best.is_empty() || self.best.contains(&action)) && !self.avoid.contains(&action)
    }
}

/// The words of each operation; semicolons end them, and quotes hold what has blanks or semicolons together.
fn operations(text: &str) -> Result<Vec<Vec<String>>, Fault> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                all.push(std::mem::take(&mut words));
            }
            ' ' if !is_quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(letter),
        }
    }
    if is_quoted {
        return Err(Fault::OpenQuote);
    }
    words.extend((!word.is_empty()).then_some(word));
    all.push(words);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_end_with_semicolons_and_quotes_hold_together() {
        let read = |text: &str| operations(text).unwrap().into_iter().map(|words| words.join("|")).collect::<Vec<_>>();
        assert_eq!(read("bm Nf3 Qg6; id \"WAC; 1\";"), ["bm|Nf3|Qg6", "id|WAC; 1", ""]);
        assert_eq!(read("am Rd1"), ["am|Rd1"]);
        assert!(operations("id \"WAC").is_err());
    }
}
