//! Signs that a run goes wrong, and what to do about each.
//!
//! Rule: a symptom that shows in three iterations in a row is told once, and again only after an iteration without it. What is told changes nothing
//! in the run. The ranges are those in which published runs of this size went well; docs/curves.md says where they come from.
//! None looks at the rules of a game or at perfect play. Cost: a few comparisons an iteration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Iteration;

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symptom {
    /// Half the run is over and the games, which differ, are drawn more often than not much of the time.
    DrawPlateau,
    /// Most games of an iteration are copies of others.
    OpeningCollapse,
    /// Positions are trained on too often.
    OverReuse,
    /// The value head says no more than that positions are worth what they are worth on average.
    ValueHeadAsleep,
    /// The window holds most of what was ever played.
    StaleWindow,
    /// The window holds only what was just played.
    TinyWindow,
    /// There was less to train on than was asked for.
    StarvingLearner,
    /// Cores had little to do.
    IdleThreads,
}

/// For how many iterations in a row each symptom has shown.
pub type Watch = BTreeMap<Symptom, u32>;

/// What symptoms are read from.
pub(super) struct Signs<'a> {
    pub(super) done: &'a Iteration,
    /// Positions played since the run began.
    pub(super) total_positions: u64,
    pub(super) threads: usize,
    /// The reuse that was asked for.
    pub(super) reuse: f64,
}

/// Iterations in a row after which a symptom is told.
const PATIENCE: u32 = 3;
/// Beyond these a run is not well.
const MOST_DRAWS: f64 = 0.35;
const LEAST_DISTINCT: f64 = 0.5;
const MOST_REUSE: f64 = 12.0;
const ASLEEP: f64 = 0.98;
const STALE: f64 = 0.5;
const LEAST_ITERATIONS: f64 = 3.0;
const LEAST_FED: f64 = 0.5;
const LEAST_BUSY: f64 = 0.6;
/// Wall-clock seconds of an iteration from which how busy cores were says something.
const LEAST_SECONDS: f64 = 1.0;

impl Symptom {
    const ALL: [Symptom; 8] = [
        Symptom::DrawPlateau,
        Symptom::OpeningCollapse,
        Symptom::OverReuse,
        Symptom::ValueHeadAsleep,
        Symptom::StaleWindow,
        Symptom::TinyWindow,
        Symptom::StarvingLearner,
        Symptom::IdleThreads,
    ];

    fn shows(self, signs: &Signs) -> bool {
        let (done, window) = (signs.done, signs.done.window as f64);
        match self {
            // Where most positions are the same, a small game is drawn because it is understood.
            Symptom::DrawPlateau => done.progress > 0.5 && done.draw_share > MOST_DRAWS && done.distinct_share > LEAST_DISTINCT,
            Symptom::OpeningCollapse => done.distinct_games_share < LEAST_DISTINCT,
            Symptom::OverReuse => done.reuse > MOST_REUSE,
            Symptom::ValueHeadAsleep => done.progress > 0.2 && done.value_loss > ASLEEP * done.constant_value_loss,
            Symptom::StaleWindow => done.progress > 0.6 && window > STALE * signs.total_positions as f64,
            Symptom::TinyWindow => window < LEAST_ITERATIONS * done.positions as f64 && window < signs.total_positions as f64,
            Symptom::StarvingLearner => done.reuse < LEAST_FED * signs.reuse,
            Symptom::IdleThreads => {
                let seconds = done.self_play_seconds + done.learn_seconds;
                let busy = |core_seconds: f64| core_seconds < LEAST_BUSY * seconds * signs.threads as f64;
                seconds > LEAST_SECONDS && done.core_seconds.is_some_and(busy)
            }
        }
    }

    /// What was seen, and what to do.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Symptom::DrawPlateau => {
                "more than a third of the games are drawn past the middle of the run: play more games a network, search more (self_play.simulations), or train a smaller network"
            }
            Symptom::OpeningCollapse => {
                "most games of an iteration are the same: raise self_play.random_share, self_play.temperature or self_play.exploration"
            }
            Symptom::OverReuse => "each position is trained on more than 12 times: lower replay.reuse, or play more games",
            Symptom::ValueHeadAsleep => {
                "the value head knows no more than averages: raise learner.value_weight or self_play.games, or lower learner.learning_rate"
            }
            Symptom::StaleWindow => {
                "the window holds more than half of all that was played: lower replay.window or set replay.window_share"
            }
            Symptom::TinyWindow => "the window holds less than three iterations: raise replay.window or lower self_play.games",
            Symptom::StarvingLearner => "positions are used up: raise replay.max_uses or replay.window, or lower replay.reuse",
            Symptom::IdleThreads => {
                "cores were idle two fifths of the time: take fewer threads, raise self_play.games and learner.shards, or look what else runs on this machine"
            }
        }
    }
}

/// The symptoms to be told after an iteration.
pub(super) fn look(watch: &mut Watch, signs: &Signs) -> Vec<Symptom> {
    let mut told = Vec::new();
    for symptom in Symptom::ALL {
        if symptom.shows(signs) {
            let row = watch.entry(symptom).or_insert(0);
            *row = row.saturating_add(1);
            if *row == PATIENCE {
                told.push(symptom);
            }
        } else {
            watch.remove(&symptom);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut Iteration);

    /// Numbers of a run that is well.
    fn well() -> Iteration {
        Iteration {
            progress: 0.7,
            self_play_seconds: 2.0,
            learn_seconds: 3.0,
            core_seconds: Some(9.0),
            positions: 1000,
            window: 20_000,
            draw_share: 0.1,
            distinct_share: 0.8,
            distinct_games_share: 0.95,
            reuse: 7.0,
            value_loss: 0.6,
            constant_value_loss: 0.9,
            ..Iteration::default()
        }
    }

    fn look_at(watch: &mut Watch, done: &Iteration) -> Vec<Symptom> {
        look(watch, &Signs { done, total_positions: 60_000, threads: 2, reuse: 7.0 })
    }

    #[test]
    fn each_sign_is_that_of_one_symptom_and_none_shows_in_a_run_that_is_well() {
        assert!(look_at(&mut Watch::new(), &well()).is_empty());
        let sick: [(Symptom, Change); 8] = [
            (Symptom::DrawPlateau, |done| done.draw_share = 0.4),
            (Symptom::OpeningCollapse, |done| done.distinct_games_share = 0.4),
            (Symptom::OverReuse, |done| done.reuse = 12.5),
            (Symptom::ValueHeadAsleep, |done| done.value_loss = 0.89),
            (Symptom::StaleWindow, |done| done.window = 31_000),
            (Symptom::TinyWindow, |done| done.window = 2_999),
            (Symptom::StarvingLearner, |done| done.reuse = 3.0),
            (Symptom::IdleThreads, |done| done.core_seconds = Some(5.9)),
        ];
        for (symptom, change) in sick {
            let (mut watch, mut done) = (Watch::new(), well());
            change(&mut done);
            let told: Vec<_> = (0..5).map(|_| look_at(&mut watch, &done)).collect();
            assert_eq!(told, [vec![], vec![], vec![symptom], vec![], vec![]], "once, after three iterations in a row");
            assert!(look_at(&mut watch, &well()).is_empty() && watch.is_empty());
            let again: Vec<_> = (0..3).map(|_| look_at(&mut watch, &done)).collect();
            assert_eq!(again[2], [symptom], "again after it was gone");
            assert!(symptom.advice().contains(':'));
        }
    }

    #[test]
    fn what_is_early_or_small_is_no_symptom() {
        let mut watch = Watch::new();
        let early = Iteration { progress: 0.1, draw_share: 0.9, value_loss: 1.1, window: 50_000, ..well() };
        let small = Iteration { draw_share: 0.9, distinct_share: 0.1, ..well() };
        let quick = Iteration { self_play_seconds: 0.1, learn_seconds: 0.1, core_seconds: Some(0.0), ..well() };
        let unknown = Iteration { core_seconds: None, value_loss: f64::NAN, ..well() };
        for done in [early, small, quick, unknown] {
            for _ in 0..4 {
                assert!(look_at(&mut watch, &done).is_empty());
            }
        }
        let begun = Iteration { window: 1000, ..well() };
        assert!(look(&mut watch, &Signs { done: &begun, total_positions: 1000, threads: 2, reuse: 7.0 }).is_empty());
        assert!(!watch.contains_key(&Symptom::TinyWindow), "all that was played is in the window");
    }
}
