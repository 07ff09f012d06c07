//! How much of the time left a move may take.

use std::time::{Duration, Instant};

use super::command::Go;

/// Moves that the time left is to suffice for, where nobody says how many.
const MOVES: u32 = 30;
/// The least time of a move.
const LEAST: Duration = Duration::from_millis(1);

/// The time of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allotted {
    /// After which no further iteration begins.
    pub(super) soft: Duration,
    /// At which the search ends.
    pub(super) hard: Duration,
}

/// The time for a move of `player`, 0 for the first, of which `overhead` is lost on the way; none where nothing binds it.
pub(super) fn allot(go: &Go, player: usize, overhead: Duration) -> Option<Allotted> {
    if let Some(time) = go.move_time {
        let time = time.saturating_sub(overhead).max(time / 2).max(LEAST);
        return Some(Allotted { soft: time, hard: time });
    }
    let left = go.left[player]?;
    let (added, moves) = (go.added[player].unwrap_or_default(), go.moves_to_go.unwrap_or(MOVES).clamp(1, MOVES));
    // Never so much that nothing is left; with a single move to go nearly all of it.
    let usable = left.saturating_sub(overhead).max(left / 4).max(LEAST);
    let share = usable / moves + added * 3 / 4;
    let most = if moves == 1 { usable * 9 / 10 } else { usable * 2 / 5 };
    Some(Allotted { soft: (share * 3 / 5).min(most).max(LEAST), hard: (share * 5 / 2).min(most).max(LEAST) })
}

/// Runs from when it was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch(Instant);

impl Watch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_time_for_the_move_is_used_but_for_what_is_lost_on_the_way() {
        let go = Go { move_time: Some(millis(100)), ..Go::default() };
        assert_eq!(allot(&go, 0, millis(10)), Some(Allotted { soft: millis(90), hard: millis(90) }));
        assert_eq!(allot(&go, 0, millis(1000)).unwrap().hard, millis(50));
        assert_eq!(allot(&Go { move_time: Some(millis(0)), ..go }, 0, millis(10)).unwrap().hard, millis(1));
    }

    #[test]
    fn time_left_is_never_spent() {
        assert_eq!(allot(&Go::default(), 0, millis(10)), None);
        for left in [0, 1, 9, 50, 1_000, 60_000, 3_600_000] {
            for added in [0, 100, 10_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(500)] {
                    let go =
                        Go { left: [None, Some(millis(left))], added: [None, Some(millis(added))], moves_to_go, ..Go::default() };
                    let Allotted { soft, hard } = allot(&go, 1, millis(10)).unwrap();
                    assert!(soft <= hard && hard >= LEAST, "{go:?}");
                    assert!(hard <= millis(left.saturating_sub(9)).max(millis(left) / 4).max(LEAST), "{go:?}: {hard:?}");
                }
            }
        }
    }
}
