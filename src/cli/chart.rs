//! A chart of shares for a terminal: a column a value, with its interval.

/// Rows between 0 % and 100 %, both included.
const ROWS: usize = 11;
/// The widest chart, in columns.
const WIDTH: usize = 60;

/// A share at a place on the horizontal axis, with its interval where there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) at: u32,
    pub(super) share: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// Draws the points, which stand in the order of their places: `*` a share, `|` its interval.
pub(super) fn draw(points: &[Point], axis: &str) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let columns = WIDTH.min(4 * points.len()).max(1);
    let column = |at: u32| (at - first.at) as usize * (columns - 1) / ((last.at - first.at) as usize).max(1);
    let row = |share: f64| (share.clamp(0.0, 1.0) * (ROWS - 1) as f64).round() as usize;
    let mut cells = vec![vec![' '; columns]; ROWS];
    for point in points {
        if let Some((low, high)) = point.interval {
            cells[row(low)..=row(high)].iter_mut().for_each(|line| line[column(point.at)] = '|');
        }
        cells[row(point.share)][column(point.at)] = '*';
    }
    let mut text = String::new();
    for (number, line) in cells.iter().enumerate().rev() {
        let line: String = line.iter().collect();
        text += format!("{:>5} % +{line}", 100 * number / (ROWS - 1)).trim_end();
        text.push('\n');
    }
    let ends = format!("{:<width$}{}", first.at, last.at, width = columns.saturating_sub(last.at.to_string().len()).max(2));
    text += &format!("        {}\n        {ends}  {axis}\n", "-".repeat(columns));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stand_where_they_belong() {
        let point = |at, share, interval| Point { at, share, interval };
        let chart = draw(&[point(0, 0.0, None), point(5, 0.52, Some((0.38, 0.61))), point(10, 1.0, None)], "iterations");
        let lines: Vec<&str> = chart.lines().collect();
        assert_eq!(lines[0], "  100 % +           *");
        assert_eq!(lines[4], "   60 % +     |");
        assert_eq!(lines[5], "   50 % +     *");
        assert_eq!(lines[6], "   40 % +     |");
        assert_eq!(lines[10], "    0 % +*");
        assert_eq!(lines[12], "        0         10  iterations");
        assert_eq!(draw(&[], ""), "");
        assert!(draw(&[point(7, f64::NAN, None)], "x").contains("7"));
    }
}
