//! The report of a tournament for people: a cross table, a line a pairing, and what has to be said beside them.

use super::report::contest;
use super::tournament::Report;
use crate::arena::ratings::{Rating, Standing};
use crate::arena::sprt::Verdict;
use crate::arena::{Format, OpeningSource, Pairing, Place, Trial};

/// The whole report, its lines ending with a newline.
pub(super) fn describe(report: &Report) -> String {
    let mut lines = vec![heading(report), openings(report)];
    lines.push(format!("{} games, {} of them distinct within their pairing", report.table.games, report.table.distinct));
    if !report.reproducible {
        let verb = if report.bounded_by_time.len() == 1 { "is" } else { "are" };
        lines.push(format!("not reproducible: {} {verb} bounded by time", report.bounded_by_time.join(", ")));
    }
    lines.push(String::new());
    lines.extend(cross_table(report));
    lines.extend(explanations(report));
    lines.push(String::new());
    lines.extend(report.table.pairings.iter().map(pairing));
    lines.extend(report.table.sprt.iter().flat_map(|trial| ["".to_owned(), sprt(trial, report)]));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn heading(report: &Report) -> String {
    let terms = &report.terms;
    let format = match terms.format {
        Format::RoundRobin => "round robin of".to_owned(),
        Format::Gauntlet => format!("gauntlet of {} against the others,", terms.agents[0].name),
    };
    format!("{}: {format} {} agents, {} games a pairing, seed {}", terms.game, terms.agents.len(), terms.games, terms.seed)
}

fn openings(report: &Report) -> String {
    let (openings, terms) = (&report.openings, &report.terms);
    let consequence = if terms.sprt.is_some() {
        "the test ends with the openings, for a pair that repeats another is no evidence"
    } else {
        "openings repeat, and agents without randomness then repeat their games"
    };
    if let OpeningSource::Random { plies: 0 } = terms.openings {
        return format!("each pair from the initial position: {consequence}");
    }
    let plural = if openings.count == 1 { "" } else { "s" };
    let (openings_of, drawn) = match terms.openings {
        OpeningSource::Random { plies } => {
            (format!("{} distinct opening{plural} of {plies} random plies or more", openings.count), ", drawn")
        }
        OpeningSource::File { .. } => (format!("{} distinct opening{plural} of a file", openings.count), ""),
    };
    if openings.count >= openings.wanted {
        return format!("{openings_of}{drawn}, each played from both sides");
    }
    let source = if openings.complete { "which are all there are" } else { "after which draws brought no more" };
    format!("only {openings_of}, {source}, each played from both sides: {consequence}")
}

/// A row an agent: its rating, its points, and its wins, draws and losses against each of the others.
fn cross_table(report: &Report) -> Vec<String> {
    let places = &report.table.places;
    let head = ["#", "agent", "Elo ± 95 %", "points"]
        .map(str::to_owned)
        .into_iter()
        .chain((1..=places.len()).map(|rank| rank.to_string()));
    let row = |(rank, place): (usize, &Place)| {
        let elo = elo(&place.rating, place.agent == report.anchor);
        let points = format!("{:.1}/{}", place.points(), place.finished());
        let own = [(rank + 1).to_string(), place.agent.clone(), elo, points];
        own.into_iter().chain(places.iter().map(|other| cell(report, place, other))).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head.collect()).chain(places.iter().enumerate().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let align = |(column, text): (usize, &String)| match (column, width(column)) {
        (1, width) => format!("  {text:<width$}"),
        (_, width) => format!("  {text:>width$}"),
    };
    rows.iter().map(|row| row.iter().enumerate().map(align).collect()).collect()
}

fn elo(rating: &Rating, is_anchor: bool) -> String {
    match (rating.elo, rating.error, rating.standing) {
        _ if is_anchor => "0 (anchor)".to_owned(),
        (Some(elo), Some(error), _) => format!("{elo:+.1} ± {error:.1}"),
        (_, _, Standing::Above) => "above".to_owned(),
        (_, _, Standing::Below) => "below".to_owned(),
        _ => "-".to_owned(),
    }
}

/// Wins, draws and losses of one agent against another; a dash where they have not met.
fn cell(report: &Report, place: &Place, other: &Place) -> String {
    let names = (place.agent.as_str(), other.agent.as_str());
    let of = |pairing: &Pairing| {
        let (wins, draws, losses) = (pairing.result.wins(), pairing.result.draws(), pairing.result.losses());
        match (pairing.agent.as_str(), pairing.opponent.as_str()) {
            pair if pair == names => Some(format!("{wins}-{draws}-{losses}")),
            (one, another) if (another, one) == names => Some(format!("{losses}-{draws}-{wins}")),
            _ => None,
        }
    };
    report.table.pairings.iter().find_map(of).unwrap_or_else(|| "-".to_owned())
}

/// What the last columns mean, and the column of ratings where it holds no number.
fn explanations(report: &Report) -> Vec<String> {
    let (anchor, columns) = (&report.anchor, report.table.places.len());
    let cells = format!("    1 to {columns}: wins-draws-losses against the agent of that number");
    let meanings = [
        (
            Standing::Above,
            format!("above: it gave {anchor} no point, directly or through others, so that no finite difference is likeliest"),
        ),
        (
            Standing::Below,
            format!("below: {anchor} gave it no point, directly or through others, so that no finite difference is likeliest"),
        ),
        (Standing::Incomparable, format!("-: no chain of points connects it with {anchor}")),
    ];
    let occurs = |standing| report.table.places.iter().any(|place| place.rating.standing == standing);
    let meanings = meanings.into_iter().filter(|(standing, _)| occurs(*standing));
    std::iter::once(cells).chain(meanings.map(|(_, meaning)| format!("    {meaning}"))).collect()
}

/// A line about a pairing.
fn pairing(pairing: &Pairing) -> String {
    let mut line = contest(&pairing.agent, &pairing.opponent, &pairing.result);
    if let Some(forfeit) = &pairing.result.first_forfeit {
        line += &format!(" (first in {forfeit})");
    }
    if let Some(superiority) = pairing.result.superiority {
        line += &format!("; likelihood of superiority {:.1} %", 100.0 * superiority);
    }
    line
}

/// A line about the test that could end the tournament.
fn sprt(trial: &Trial, report: &Report) -> String {
    let (Trial { test, ratio, lower, upper, .. }, agents) = (trial, &report.terms.agents);
    let verdict = match trial.verdict {
        Verdict::H0 => format!("H0 accepted: {} Elo explain the games better than {}", test.elo0, test.elo1),
        Verdict::H1 => format!("H1 accepted: {} Elo explain the games better than {}", test.elo1, test.elo0),
        Verdict::Undecided => "undecided after all games".to_owned(),
    };
    let pairs: Vec<String> = trial.pairs.iter().map(u64::to_string).collect();
    let left_out =
        if trial.left_out > 0 { format!(", left out for an unfinished game: {}", trial.left_out) } else { String::new() };
    format!(
        "    SPRT of {} against {} by {test}: {verdict}; log-likelihood ratio {ratio:.2} between {lower:.2} and {upper:.2}; pairs with 0, 1/2, 1, 3/2 and 2 points: {}{left_out}",
        agents[0].name,
        agents[1].name,
        pairs.join(", "),
    )
}
