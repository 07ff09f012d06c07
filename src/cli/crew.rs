//! Work shared out over threads whose results come in the order of the work.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Where work comes from: the next piece and its number.
struct Source<I> {
    pieces: I,
    taken: u64,
}

/// Where results go: those that came before their turn wait.
struct Sink<R, F> {
    waiting: BTreeMap<u64, R>,
    given: u64,
    give: F,
    wants_more: bool,
}

/// Lets each of `workers` take the next of `pieces` as it is free, on a thread of its own, and gives the results to `give` in the order
/// of the pieces until that says no. A piece is taken when somebody is free for it, and given as soon as those before it are.
pub(super) fn in_order<W: Send, P, R: Send>(
    workers: &mut [W],
    pieces: impl Iterator<Item = P> + Send,
    work: impl Fn(&mut W, P) -> R + Sync,
    give: impl FnMut(R) -> bool + Send,
) {
    let source = Mutex::new(Source { pieces, taken: 0 });
    let sink = Mutex::new(Sink { waiting: BTreeMap::new(), given: 0, give, wants_more: true });
    thread::scope(|scope| {
        for worker in workers {
            scope.spawn(|| {
                // No lock is held while somebody works.
                let next = || {
                    let wants_more = locked(&sink).wants_more;
                    if wants_more { locked(&source).take() } else { None }
                };
                while let Some((number, piece)) = next() {
                    let result = work(worker, piece);
                    locked(&sink).give(number, result);
                }
            });
        }
    });
}

impl<I: Iterator> Source<I> {
    fn take(&mut self) -> Option<(u64, I::Item)> {
        let piece = self.pieces.next()?;
        self.taken += 1;
        Some((self.taken - 1, piece))
    }
}

impl<R, F: FnMut(R) -> bool> Sink<R, F> {
    fn give(&mut self, number: u64, result: R) {
        self.waiting.insert(number, result);
        while self.wants_more
            && let Some(result) = self.waiting.remove(&self.given)
        {
            self.given += 1;
            self.wants_more = (self.give)(result);
        }
    }
}

/// A worker that panicked ends the program with all others; what it held is not looked at any more.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_end_where_they_are_refused() {
        let mut given = Vec::new();
        let spin = |_: &mut (), piece: u64| {
            // Earlier pieces take longer.
            (0..(100 - piece) * 1000).fold(piece, |sum, step| sum ^ std::hint::black_box(step) ^ step)
        };
        in_order(&mut [(); 4], 0..100, spin, |piece| {
            given.push(piece);
            piece < 60
        });
        assert_eq!(given, (0..=60).collect::<Vec<_>>());
    }
}
