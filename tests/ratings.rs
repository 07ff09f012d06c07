//! Ratings against calculations made in another way, and where there is nothing to calculate.

use plyzero::arena::ratings::{Games, Rating, Standing, ratings};
use plyzero::arena::statistics::{Z_95, clustered, elo};
use plyzero::rng::{self, Rng};
use rand::RngExt as _;

/// Elo points a unit of log odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

fn games(players: [usize; 2], opening: usize, games: usize, points: f64) -> Games {
    Games { players, opening, games, points }
}

fn rated(rating: &Rating) -> (f64, f64) {
    assert_eq!(rating.standing, Standing::Rated);
    (rating.elo.unwrap(), rating.error.unwrap())
}

fn close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() < tolerance, "{left} is not {right}");
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-difference / 400.0))
}

/// A pair of games between any two players of these strengths from each opening; three in ten are drawn, whoever is stronger.
fn contest(strengths: &[f64], openings: usize, seed: u64) -> Vec<Games> {
    let mut rng = rng::stream(seed, "contest", 0);
    let game = |rng: &mut Rng, difference: f64| {
        let win = expected(difference);
        if rng.random::<f64>() < 0.3 { 0.5 } else { f64::from(rng.random::<f64>() < win) }
    };
    let mut played = Vec::new();
    for opening in 0..openings {
        for one in 0..strengths.len() {
            for other in one + 1..strengths.len() {
                let difference = strengths[one] - strengths[other];
                let points = game(&mut rng, difference + 50.0) + game(&mut rng, difference - 50.0);
                played.push(games([one, other], opening, 2, points));
            }
        }
    }
    played
}

/// Zermelo's iteration: the strength of a player is its points over the sum of games / (own strength + other strength).
fn zermelo(players: usize, played: &[Games], anchor: usize) -> Vec<f64> {
    let mut strengths = vec![1.0f64; players];
    for _ in 0..20_000 {
        let (mut points, mut shares) = (vec![0.0; players], vec![0.0; players]);
        for part in played {
            let [one, other] = part.players;
            points[one] += part.points;
            points[other] += part.games as f64 - part.points;
            let share = part.games as f64 / (strengths[one] + strengths[other]);
            shares[one] += share;
            shares[other] += share;
        }
        strengths = points.iter().zip(&shares).map(|(points, share)| points / share).collect();
        let unit = strengths[anchor];
        strengths.iter_mut().for_each(|strength| *strength /= unit);
    }
    strengths.iter().map(|strength| 400.0 * strength.log10()).collect()
}

#[test]
fn ratings_agree_with_zermelos_iteration() {
    let played = contest(&[0.0, 120.0, -80.0, 250.0, 30.0], 40, 1);
    for anchor in [0, 3] {
        for (rating, reference) in ratings(5, &played, anchor).iter().zip(zermelo(5, &played, anchor)) {
            close(rated(rating).0, reference, 1e-6);
        }
    }
    // A gauntlet: players who never met are compared through the one that all met.
    let gauntlet: Vec<Games> = played.iter().copied().filter(|part| part.players.contains(&0)).collect();
    for (rating, reference) in ratings(5, &gauntlet, 2).iter().zip(zermelo(5, &gauntlet, 2)) {
        close(rated(rating).0, reference, 1e-6);
    }
}

#[test]
fn a_table_worked_out_by_hand() {
    // 0 scores 3 of 4 against 1, and 1 scores 3 of 4 against 2: odds of 3 each, and of 9 between 0 and 2, as 9 of 10 points say.
    let table = [games([0, 1], 0, 4, 3.0), games([1, 2], 0, 4, 3.0), games([0, 2], 0, 10, 9.0)];
    let found = ratings(3, &table, 1);
    let step = 400.0 * 3f64.log10();
    close(rated(&found[0]).0, step, 1e-9);
    close(rated(&found[2]).0, -step, 1e-9);
    assert_eq!(rated(&found[1]), (0.0, 0.0));
    // With one opening the errors are the information's: weights 4 * 3/16, 4 * 3/16 and 10 * 9/100 in [[a + c, -c], [-c, b + c]].
    let (a, b, c) = (0.75, 0.75, 0.9);
    let variance = (b + c) / ((a + c) * (b + c) - c * c);
    close(rated(&found[0]).1, Z_95 * ELO * f64::sqrt(variance), 1e-9);
}

#[test]
fn two_players_have_the_closed_form() {
    let points = [2.0, 1.0, 0.5, 1.5, 1.0, 2.0, 1.5, 0.0];
    let table: Vec<Games> = points.iter().enumerate().map(|(opening, &points)| games([0, 1], opening, 2, points)).collect();
    let (share, error) = clustered(&points.map(|points| (points, 2))).unwrap();
    let (rating, width) = rated(&ratings(2, &table, 1)[0]);
    close(rating, elo(share).unwrap(), 1e-9);
    close(width, Z_95 * ELO * error.unwrap() / (share * (1.0 - share)), 1e-9);
    // The same games as if from one opening: a binomial variance.
    let one = [games([0, 1], 0, 16, points.iter().sum())];
    close(rated(&ratings(2, &one, 1)[0]).1, Z_95 * ELO / (16.0 * share * (1.0 - share)).sqrt(), 1e-9);
    // And openings that are all alike tell nothing of their spread.
    let alike: Vec<Games> = (0..50).map(|opening| games([0, 1], opening, 2, 1.0)).collect();
    close(rated(&ratings(2, &alike, 1)[0]).1, Z_95 * ELO / 25f64.sqrt(), 1e-9);
}

#[test]
fn errors_agree_with_the_jackknife() {
    // Each opening left out in turn: the spread of what is left estimates the same variance without any formula of the model.
    let (players, openings) = (4, 60);
    let played = contest(&[0.0, 100.0, -60.0, 200.0], openings, 3);
    let found = ratings(players, &played, 0);
    let without: Vec<Vec<f64>> = (0..openings)
        .map(|left_out| {
            let rest: Vec<Games> = played.iter().copied().filter(|part| part.opening != left_out).collect();
            ratings(players, &rest, 0).iter().map(|rating| rated(rating).0).collect()
        })
        .collect();
    for player in 1..players {
        let mean = without.iter().map(|left| left[player]).sum::<f64>() / openings as f64;
        let squares: f64 = without.iter().map(|left| (left[player] - mean).powi(2)).sum();
        let jackknife = Z_95 * (squares * (openings - 1) as f64 / openings as f64).sqrt();
        let (_, error) = rated(&found[player]);
        assert!((error / jackknife - 1.0).abs() < 0.05, "{error} is not near {jackknife}");
    }
}

#[test]
fn permuting_the_players_permutes_the_ratings() {
    let played = contest(&[0.0, 100.0, -60.0, 200.0], 30, 2);
    let order = [2, 0, 3, 1];
    // The pairs turn round too where the order does.
    let turn = |part: &Games| {
        let [one, other] = part.players.map(|player| order[player]);
        if one < other {
            games([one, other], part.opening, part.games, part.points)
        } else {
            games([other, one], part.opening, part.games, part.games as f64 - part.points)
        }
    };
    let permuted: Vec<Games> = played.iter().map(turn).collect();
    let (before, after) = (ratings(4, &played, 1), ratings(4, &permuted, order[1]));
    for player in 0..4 {
        let (one, other) = (rated(&before[player]), rated(&after[order[player]]));
        close(one.0, other.0, 1e-8);
        close(one.1, other.1, 1e-8);
    }
}

#[test]
fn four_times_the_games_halve_the_errors() {
    let played = contest(&[0.0, 100.0, -60.0], 50, 2);
    let copies = |again: usize| played.iter().map(move |part| Games { opening: part.opening + 50 * again, ..*part });
    let more: Vec<Games> = (0..4).flat_map(copies).collect();
    let single: Vec<Games> = played.iter().map(|part| Games { opening: 0, ..*part }).collect();
    let single_more: Vec<Games> = more.iter().map(|part| Games { opening: 0, ..*part }).collect();
    // The clustered variance has the factor m / (m - 1) for m openings; the information has none.
    for (few, many, factor) in [(played, more, (49.0f64 / 199.0).sqrt()), (single, single_more, 0.5)] {
        let (few, many) = (ratings(3, &few, 0), ratings(3, &many, 0));
        for player in 1..3 {
            close(rated(&few[player]).0, rated(&many[player]).0, 1e-8);
            close(rated(&many[player]).1, factor * rated(&few[player]).1, 1e-8);
        }
    }
}

#[test]
fn drawn_and_decided_games_of_one_sum_give_one_rating() {
    let drawn = [games([0, 1], 0, 2, 1.0), games([0, 1], 1, 2, 1.0)];
    let shared = [games([0, 1], 0, 2, 2.0), games([0, 1], 1, 2, 0.0)];
    close(rated(&ratings(2, &drawn, 0)[1]).0, 0.0, 1e-12);
    close(rated(&ratings(2, &shared, 0)[1]).0, 0.0, 1e-12);
}

fn standings(players: usize, table: &[Games], anchor: usize) -> Vec<Standing> {
    let found = ratings(players, table, anchor);
    for rating in &found {
        assert_eq!(rating.elo.is_some(), rating.standing == Standing::Rated);
        assert_eq!(rating.error.is_some(), rating.standing == Standing::Rated);
    }
    found.iter().map(|rating| rating.standing).collect()
}

#[test]
fn without_a_maximum_no_number_is_made_up() {
    use Standing::{Above, Below, Incomparable, Rated};
    let won = [games([0, 1], 0, 20, 20.0)];
    assert_eq!(standings(2, &won, 0), [Rated, Below]);
    assert_eq!(standings(2, &won, 1), [Above, Rated]);
    // 0 beats everyone; 1 and 2 share points; 3 loses to everyone.
    let ladder = [
        games([0, 1], 0, 2, 2.0),
        games([0, 2], 0, 2, 2.0),
        games([1, 2], 0, 4, 3.0),
        games([1, 3], 0, 2, 2.0),
        games([3, 2], 0, 2, 0.0),
        games([0, 3], 0, 2, 2.0),
    ];
    assert_eq!(standings(4, &ladder, 1), [Above, Rated, Rated, Below]);
    close(rated(&ratings(4, &ladder, 1)[2]).0, -elo(0.75).unwrap(), 1e-9);
    assert_eq!(standings(4, &ladder, 3), [Above, Above, Above, Rated]);
    // Below through another, who is tied to the anchor.
    let chain = [games([0, 1], 0, 2, 1.0), games([1, 2], 0, 2, 2.0)];
    assert_eq!(standings(3, &chain, 0), [Rated, Rated, Below]);
    // Two who only beat a third cannot be compared, nor can those who never met, directly or through others.
    let apart = [games([0, 2], 0, 2, 2.0), games([1, 2], 0, 2, 2.0), games([3, 4], 0, 2, 1.0)];
    assert_eq!(standings(5, &apart, 0), [Rated, Incomparable, Below, Incomparable, Incomparable]);
    assert_eq!(standings(2, &[], 0), [Rated, Incomparable]);
    assert_eq!(standings(2, &[games([0, 1], 0, 0, 0.0)], 0), [Rated, Incomparable]);
    assert_eq!(standings(1, &[], 0), [Rated]);
}

#[test]
fn lopsided_tables_converge() {
    // One half point in a million games, and a chain of such.
    let table: Vec<Games> = (0..4).map(|player| games([player, player + 1], player, 1_000_000, 0.5)).collect();
    let step = -elo(0.5 / 1e6).unwrap();
    for (player, rating) in ratings(5, &table, 0).iter().enumerate() {
        close(rated(rating).0, player as f64 * step, 1e-3);
        assert!(rated(rating).1.is_finite());
    }
    // Any table at all: numbers where there are numbers, and no NaN.
    for table in 0..300 {
        let mut rng = rng::stream(7, "tables", table);
        let players = rng.random_range(2..6);
        let mut random = |_| {
            let one = rng.random_range(0..players - 1);
            let (other, count) = (rng.random_range(one + 1..players), rng.random_range(0..4usize));
            games([one, other], rng.random_range(0..5), count, rng.random_range(0..=2 * count) as f64 / 2.0)
        };
        let played: Vec<Games> = (0..12).map(&mut random).collect();
        for rating in ratings(players, &played, 0).iter().filter(|rating| rating.standing == Standing::Rated) {
            let (elo, error) = rated(rating);
            assert!(elo.is_finite() && error.is_finite() && error >= 0.0, "{played:?}");
        }
    }
}
