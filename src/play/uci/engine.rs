//! Searches on a thread of their own, and how they end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::clock::{Allotted, Watch, allot};
use super::command::Go;
use super::options::Settings;
use super::report::Report;
use super::{Output, say};
use crate::agent::thinker::{Limits, Thinker, Thought};
use crate::game::{Action, Game, Notation, Position, Turn};
use crate::search::Budget;

/// An engine that does not think.
pub(super) struct Engine<G: Game> {
    pub(super) thinker: Box<dyn Thinker<G>>,
}

/// A search that is under way.
pub(super) struct Search<G: Game> {
    signals: Arc<Signals>,
    /// The time it gets once the other side has made the move that was pondered on.
    allotted: Option<Allotted>,
    handle: JoinHandle<Engine<G>>,
}

/// What a search is told while it goes on.
#[derive(Default)]
struct Signals {
    stop: Arc<AtomicBool>,
    /// Whether the move may be told: not while pondering, nor in a search without limit, until it is stopped.
    released: Mutex<bool>,
    changed: Condvar,
    /// When time began to count, and how much there is.
    counting: Mutex<Option<(Watch, Allotted)>>,
}

impl Signals {
    fn release(&self) {
        *self.released.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        while !*released {
            released = self.changed.wait(released).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets time count from now on.
    fn count(self: &Arc<Self>, allotted: Allotted) {
        *self.counting.lock().unwrap_or_else(PoisonError::into_inner) = Some((Watch::start(), allotted));
        let signals = Arc::clone(self);
        thread::spawn(move || {
            thread::sleep(allotted.hard);
            signals.stop.store(true, Ordering::Relaxed);
        });
    }

    /// Whether time is left for another iteration.
    fn goes_on(&self) -> bool {
        let counting = *self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        counting.is_none_or(|(watch, allotted)| watch.elapsed() < allotted.soft)
    }
}

impl<G: Game> Search<G> {
    /// Whether it has told its move, or panicked.
    pub(super) fn is_over(&self) -> bool {
        self.handle.is_finished()
    }

    /// Whether it ends by itself.
    pub(super) fn is_bounded(&self) -> bool {
        *self.signals.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The move that was pondered on has been made: time counts from now.
    pub(super) fn ponder_hit(&self) {
        if let Some(allotted) = self.allotted {
            self.signals.count(allotted);
        }
        self.signals.release();
    }

    /// Waits for its move, at once if asked for, and gives the engine back; none if it panicked.
    pub(super) fn finish(self, at_once: bool) -> Option<Engine<G>> {
        if at_once {
            self.signals.stop.store(true, Ordering::Relaxed);
        }
        self.signals.release();
        self.handle.join().ok()
    }
}

impl<G: Game> Engine<G> {
    /// Begins to search. The move is told when the search ends.
    pub(super) fn go(
        mut self,
        position: &Position<G>,
        notation: Arc<dyn Notation<State = G::State>>,
        go: &Go,
        settings: &Settings,
        output: &Output,
    ) -> Search<G> {
        let signals = Arc::new(Signals::default());
        let player = if let Turn::Move(player) = position.turn() { player.index() } else { 0 };
        let allotted = allot(go, player, settings.overhead);
        if !go.ponder && !go.is_endless() {
            signals.release();
            allotted.iter().for_each(|&allotted| signals.count(allotted));
        }
        let job = Job {
            position: position.clone(),
            notation,
            limits: limits(position, go, settings, &signals),
            settings: settings.clone(),
            output: Arc::clone(output),
            signals: Arc::clone(&signals),
        };
        let handle = thread::spawn(move || {
            job.run(self.thinker.as_mut());
            self
        });
        Search { signals, allotted, handle }
    }
}

fn limits<G: Game>(position: &Position<G>, go: &Go, settings: &Settings, signals: &Signals) -> Limits {
    // A mate in n moves takes 2 n - 1 plies.
    let mate = go.mate.map(|moves| moves.saturating_mul(2));
    let depth = [go.depth, mate].into_iter().flatten().min();
    let stop = Some(Arc::clone(&signals.stop));
    // A time, though the flag ends the search, lets a single legal move be answered at once.
    let time = (!go.is_endless() && !go.ponder && (go.move_time.is_some() || go.left.iter().any(Option::is_some)))
        .then_some(Duration::from_secs(u32::MAX.into()));
    let moves: Vec<Action> = go.moves.iter().filter_map(|text| position.game().parse(position.state(), text).ok()).collect();
    Limits {
        budget: Budget { depth, nodes: go.nodes, time, stop },
        lines: settings.lines,
        moves: (!moves.is_empty()).then_some(moves),
    }
}

/// A search with what it needs.
struct Job<G: Game> {
    position: Position<G>,
    notation: Arc<dyn Notation<State = G::State>>,
    limits: Limits,
    settings: Settings,
    output: Output,
    signals: Arc<Signals>,
}

impl<G: Game> Job<G> {
    fn run(&self, thinker: &mut dyn Thinker<G>) {
        let Turn::Move(mover) = self.position.turn() else {
            self.signals.wait();
            self.tell("info depth 0\nbestmove 0000");
            return;
        };
        let chess960 = self.settings.chess960;
        let report = Report::<G> { notation: self.notation.as_ref(), state: self.position.state(), mover, chess960 };
        let (watch, mut told) = (Watch::start(), None);
        let mut tell = |thought: &Thought| {
            let lines = report.info(thought, self.limits.lines, watch.elapsed());
            // A tree search thinks often; what it thinks is told when it has changed its depth.
            let depth = thought.decision.principal_variation.len();
            if thought.moves.is_empty() || told != Some(depth) {
                told = Some(depth);
                lines.iter().for_each(|line| self.tell(line));
            }
            self.signals.goes_on()
        };
        let thought = thinker.think(&self.position, &self.limits, &mut tell);
        self.signals.wait();
        if self.settings.verbose {
            report.moves(&thought).iter().for_each(|line| self.tell(line));
        }
        report.info(&thought, self.limits.lines, watch.elapsed()).iter().for_each(|line| self.tell(line));
        let line = &thought.decision.principal_variation;
        let answer = report.line(&line[..line.len().min(2)]);
        let mut words = answer.split(' ');
        let best = words.next().unwrap_or("0000");
        self.tell(&words.next().map_or_else(|| format!("bestmove {best}"), |reply| format!("bestmove {best} ponder {reply}")));
    }

    /// Whoever does not listen any more misses nothing.
    fn tell(&self, text: &str) {
        let _ = say(&self.output, text);
    }
}
