//! What perfect play says of a player, a line a set.

use crate::arena::agreement::{Agreement, Estimate, Scores};

/// What the columns are.
pub(super) const LEGEND: &str = concat!(
    "    error, not lost, critical: moves that throw away a win or a draw, of all positions, of those not lost, of those where some does\n",
    "    strongest: moves that also win as soon or lose as late as possible\n",
    "    Brier, log loss (nats): how well the network's chances of win, draw and loss foretell perfect play\n",
    "    in brackets: the standard error\n",
);

/// The width of a column, two blanks before it.
const WIDTH: usize = 16;
/// The width of the names of sets.
const NAMES: usize = 18;

/// A way to write a figure.
type Column = (&'static str, fn(&Scores) -> Option<Estimate>, fn(Estimate) -> String);

const COLUMNS: [Column; 6] = [
    ("error %", |scores| scores.error, percent),
    ("not lost %", |scores| scores.error_not_lost, percent),
    ("critical %", |scores| scores.error_critical, percent),
    ("strongest %", |scores| scores.strongest, percent),
    ("Brier", |scores| scores.brier, decimal),
    ("log loss", |scores| scores.log_loss, decimal),
];

/// The table, without columns of which nothing is known; the mean where there are several sets.
pub(super) fn of(agreement: &Agreement) -> String {
    let columns: Vec<&Column> = COLUMNS.iter().filter(|(_, figure, _)| figure(&agreement.mean).is_some()).collect();
    let mut text = format!("      {:<NAMES$}{:>9}", "set", "positions");
    columns.iter().for_each(|(title, ..)| text += &format!("{title:>WIDTH$}"));
    text.push('\n');
    for set in &agreement.sets {
        text += &row(set.set, &set.scores, &columns);
    }
    if agreement.sets.len() > 1 {
        text += &row("mean over the sets", &agreement.mean, &columns);
    }
    text
}

fn row(name: &str, scores: &Scores, columns: &[&Column]) -> String {
    let mut line = format!("      {name:<NAMES$}{:>9}", scores.positions);
    for (_, figure, write) in columns {
        line += &format!("{:>WIDTH$}", figure(scores).map_or_else(|| "-".to_owned(), write));
    }
    line.push('\n');
    line
}

fn percent(figure: Estimate) -> String {
    written(Estimate { value: 100.0 * figure.value, standard_error: figure.standard_error.map(|error| 100.0 * error) }, 2)
}

fn decimal(figure: Estimate) -> String {
    written(figure, 4)
}

/// A figure with so many decimals, and its standard error in brackets.
fn written(figure: Estimate, decimals: usize) -> String {
    let error = figure.standard_error.map_or_else(|| "?".to_owned(), |error| format!("{error:.decimals$}"));
    format!("{:.decimals$} ({error})", figure.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::accuracy::Judged;
    use crate::solver::Class;

    #[test]
    fn a_row_a_set_and_no_column_of_which_nothing_is_known() {
        let judged =
            |preserves| Judged { class: Class::Draw, is_critical: true, preserves, is_strongest: preserves, chances: None };
        let lost = Judged { class: Class::Loss, is_critical: false, ..judged(true) };
        let agreement = Agreement::of(&[("one", vec![judged(true), judged(false)]), ("two", vec![lost])]);
        let table = of(&agreement);
        let cells: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(cells[0][..4], ["set", "positions", "error", "%"]);
        assert!(!table.contains("Brier"), "{table}");
        assert_eq!(cells[1], ["one", "2", "50.00", "(35.36)", "50.00", "(35.36)", "50.00", "(35.36)", "50.00", "(35.36)"]);
        assert_eq!(cells[2], ["two", "1", "0.00", "(0.00)", "-", "-", "100.00", "(0.00)"]);
        assert_eq!(cells[3][..7], ["mean", "over", "the", "sets", "3", "25.00", "(17.68)"]);
        assert!(table.lines().all(|line| line.chars().count() == table.lines().next().unwrap().chars().count()), "{table}");
    }

    #[test]
    fn an_error_that_is_not_known_is_no_number() {
        assert_eq!(written(Estimate { value: 0.375, standard_error: None }, 4), "0.3750 (?)");
    }
}
