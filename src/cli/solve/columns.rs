//! Answers in the literature's scores: the moves, and what each column is worth.

use super::{Answer, Answers, NO_MOVES};
use crate::cli::place::words;
use crate::solver::four_in_a_row::score::{HIGHEST, LOWEST};
use crate::solver::four_in_a_row::{Board, COLUMNS, Goal, Search};

/// Answers questions about four in a row.
pub(super) struct Columns {
    pub(super) search: Search,
    pub(super) goal: Goal,
    /// Whether to tell what the position is worth, and nothing of its columns.
    pub(super) score_only: bool,
    /// Whether to compare with what the line says.
    pub(super) check: bool,
}

/// A line: moves, and what somebody says they are worth.
struct Line<'a> {
    moves: String,
    /// Nothing; the score; or the score and those of the columns.
    claimed: Vec<&'a str>,
}

impl Answers for Columns {
    fn answer(&mut self, line: &str) -> Result<Answer, String> {
        let Line { moves, claimed } = Line::read(line, self.check)?;
        let board = Board::after(&moves).map_err(|error| error.to_string())?;
        let name = if moves.is_empty() { NO_MOVES } else { &moves };
        let before = self.search.nodes();
        let text = if self.check {
            let found = self.worth(board, claimed.len() > 1).ok_or_else(unsolved)?;
            let claimed: Vec<String> = claimed.iter().map(|&word| self.claim(word)).collect();
            (claimed != found).then(|| format!("{name} is {}, not {}", found.join(" "), claimed.join(" ")))
        } else if self.score_only {
            Some(self.worth(board, false).ok_or_else(unsolved)?.concat())
        } else {
            let columns = self.search.solve_columns(board, self.goal).ok_or_else(unsolved)?;
            Some(format!("{name} {}", columns.map(figure).join(" ")))
        };
        let differs = self.check && text.is_some();
        Ok(Answer { text, differs, nodes: self.search.nodes() - before })
    }
}

impl Columns {
    /// What `board` is worth, and its columns if they are wanted.
    fn worth(&mut self, board: Board, columns: bool) -> Option<Vec<String>> {
        if !columns {
            return Some(vec![self.search.solve(board, self.goal)?.to_string()]);
        }
        let columns = self.search.solve_columns(board, self.goal)?;
        let best = columns.into_iter().flatten().max();
        Some(std::iter::once(best).chain(columns).map(figure).collect())
    }

    /// A figure of a line as it would be told.
    fn claim(&self, word: &str) -> String {
        let told = |score: i32| if self.goal == Goal::Class { score.signum() } else { score };
        score(word).map_or_else(|| word.to_owned(), |score| told(score).to_string())
    }
}

impl<'a> Line<'a> {
    /// Takes a line apart. One figure, or one and seven more, after a word are what it is worth, if they cannot be moves: if the word
    /// is of several moves, or a figure is no column, or there must be a score.
    fn read(line: &'a str, scored: bool) -> Result<Self, String> {
        let words: Vec<&str> = words(line).collect();
        let figures = words.get(1..).unwrap_or_default();
        let are_figures =
            [1, 1 + COLUMNS].contains(&figures.len()) && figures.iter().all(|word| *word == "." || score(word).is_some());
        let may_be_moves = words.iter().all(|word| word.len() == 1 && *word != ".");
        let (moves, claimed) = match words.split_first() {
            Some((&first, figures)) if are_figures && (scored || !may_be_moves) => (first.to_owned(), figures.to_vec()),
            _ => (words.concat(), Vec::new()),
        };
        if scored && claimed.is_empty() {
            return Err("after the moves stands no score to compare with; with seven more they are the columns'".to_owned());
        }
        let moves = if moves == NO_MOVES { String::new() } else { moves };
        Ok(Line { moves, claimed })
    }
}

/// A search without limits that nobody stops finds an answer.
fn unsolved() -> String {
    "the search was stopped".to_owned()
}

fn figure(score: Option<i32>) -> String {
    score.map_or_else(|| ".".to_owned(), |score| score.to_string())
}

fn score(word: &str) -> Option<i32> {
    word.parse().ok().filter(|score| (LOWEST..=HIGHEST).contains(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, scored: bool) -> (String, String) {
        Line::read(line, scored).map(|line| (line.moves, line.claimed.join(" "))).unwrap()
    }

    #[test]
    fn moves_and_figures_are_told_apart() {
        let split =
            |line, moves: &str, claimed: &str| assert_eq!(read(line, false), (moves.to_owned(), claimed.to_owned()), "{line}");
        split("4455", "4455", "");
        split("4 4 5 5", "4455", "");
        split("4455 18", "4455", "18");
        split("44 -2", "44", "-2");
        split("4 -2", "4", "-2");
        split("4 5", "45", "");
        split("44 55", "4455", "");
        split("4444443 2 -4 2 -4 . 1 -2 -3", "4444443", "2 -4 2 -4 . 1 -2 -3");
        split("1 2 3 4 5 6 7 1 2", "123456712", "");
        split("", "", "");
        split("-", "", "");
        assert_eq!(read("4 5", true), ("4".to_owned(), "5".to_owned()));
        assert_eq!(read("- 1", true), (String::new(), "1".to_owned()));
        assert!(Line::read("4455", true).is_err());
    }
}
