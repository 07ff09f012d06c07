//! Games shared out over threads: whoever is free takes the next, and nobody goes on once one has failed.
//!
//! It knows neither agents nor results. What a game comes to is a function of its number, so that the threads decide nothing but
//! the order in which games end.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::ArenaError;
use super::duel::panic_message;

/// Games waiting to be played.
struct Queue<'a> {
    numbers: &'a [usize],
    next: AtomicUsize,
    failed: AtomicBool,
    /// Raised by someone else to end it early.
    stop: &'a AtomicBool,
}

/// What plays a game: it is given a number and a question to ask now and then, whether the game goes on, and returns nothing for
/// a game that it abandoned because the answer was no.
type Play<'a, T, E> = dyn Fn(usize, &dyn Fn() -> bool) -> Result<Option<T>, E> + Sync + 'a;

/// Plays the games with these numbers on so many threads (0 counts as 1) and returns what they came to, in the order of their
/// numbers.
///
/// Once `stop` is raised, games in hand are abandoned and no more begin.
///
/// # Errors
/// The first that `play` returns, and [`ArenaError::Broken`] when it panics; the other games are then abandoned too.
pub(super) fn play_all<T: Send, E: From<ArenaError> + Send>(
    numbers: &[usize],
    threads: usize,
    stop: &AtomicBool,
    play: &Play<'_, T, E>,
) -> Result<Vec<(usize, T)>, E> {
    let queue = Queue { numbers, next: AtomicUsize::new(0), failed: AtomicBool::new(false), stop };
    let joined: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.clamp(1, numbers.len().max(1))).map(|_| scope.spawn(|| queue.work(play))).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut played = Vec::with_capacity(numbers.len());
    for result in joined {
        let broken = |payload: Box<dyn Any + Send>| ArenaError::Broken { message: panic_message(payload.as_ref()) };
        played.extend(result.map_err(broken)??);
    }
    played.sort_unstable_by_key(|(number, _)| *number);
    Ok(played)
}

impl Queue<'_> {
    /// Plays games until none is left or somebody failed.
    fn work<T, E>(&self, play: &Play<'_, T, E>) -> Result<Vec<(usize, T)>, E> {
        let alarm = Alarm(self);
        let mut played = Vec::new();
        while let Some(number) = self.next() {
            let Some(came_to) = play(number, &|| self.goes_on())? else { break };
            played.push((number, came_to));
        }
        alarm.disarm();
        Ok(played)
    }

    fn next(&self) -> Option<usize> {
        let number = self.numbers.get(self.next.fetch_add(1, Ordering::Relaxed)).copied();
        number.filter(|_| self.goes_on())
    }

    fn goes_on(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed)
    }
}

/// Ends the games of all threads when its own leaves early, by an error or by a panic.
struct Alarm<'a>(&'a Queue<'a>);

impl Alarm<'_> {
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.failed.store(true, Ordering::Relaxed);
    }
}
