//! The transposition table: what earlier visits of a position found, for when another order of moves leads to it again.
//!
//! Positions are known by their Zobrist key; all 64 bits are compared, yet two positions may share a key, so a move found here
//! must be checked before it is played. A bucket holds two entries: the first is kept while it is deeper than what
//! comes, the second takes the rest. Entries age: those of an earlier search give way to any of the running one. Unless
//! they are kept, they count as absent, so that a search depends on its arguments alone. Several searches may share a table.
//! R. Greenblatt et al., "The Greenblatt chess program", 1967; D. Breuker et al., "Replacement schemes for
//! transposition tables", 1994 (the scheme "two-deep").

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Window;
use crate::game::Action;
use crate::search::score::Score;

/// What a stored score says of the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is the value.
    Exact,
    /// The value is this or more.
    Lower,
    /// The value is this or less.
    Upper,
}

impl Bound {
    /// What a fail-soft search with `window` has learnt when it returns `score`.
    pub(super) fn of(score: Score, window: Window) -> Self {
        if score <= window.alpha {
            Bound::Upper
        } else if score >= window.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// For its mover; its distance to the end is counted from this position in the table, from the root in a search.
    pub(super) score: Score,
    pub(super) bound: Bound,
    /// Plies searched below it.
    pub(super) depth: u16,
    /// Whether no estimate went into the score, so that it holds for every greater depth too.
    pub(super) complete: bool,
    /// The best move, or the one that refuted the position.
    pub(super) action: Action,
}

impl Finding {
    /// Whether it answers for a search of `depth` plies with `window`, by giving just what that search would.
    ///
    /// A deeper finding does not, unless complete: a table must change the cost of a search, not its value. A search whose depth varies
    /// anyway takes it, `or_deeper`.
    pub(super) fn answers(&self, depth: u32, or_deeper: bool, window: Window) -> bool {
        let found = u32::from(self.depth);
        let holds = found == depth || self.complete && found < depth || or_deeper && found > depth;
        holds
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.score >= window.beta,
                Bound::Upper => self.score <= window.alpha,
            }
    }
}

/// A finding with the key of its position, in two words that several searches may read and write at the same time. The first word is the key
/// changed by the second, so that halves of different findings do not go together (R. Hyatt and T. Mann, "A lock-less transposition
/// table implementation for parallel search", 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// An entry as it lies in a slot.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    /// The search that stored it, from 1.
    search: u8,
    finding: Finding,
}

impl Slot {
    fn read(&self) -> Option<Entry> {
        let data = self.data.load(Ordering::Relaxed);
        let search = (data & SEARCHES) as u8;
        let bound = [Bound::Exact, Bound::Lower, Bound::Upper][(data >> 5 & 3).min(2) as usize];
        let finding = Finding {
            bound,
            complete: data >> 7 & 1 == 1,
            depth: (data >> 8 & 0xFF) as u16,
            action: Action((data >> 16) as u16),
            score: Score::from_steps((data >> 32) as u32 as i32),
        };
        (search > 0).then(|| Entry { key: self.check.load(Ordering::Relaxed) ^ data, search, finding })
    }

    fn write(&self, entry: &Entry) {
        let Finding { score, bound, depth, complete, action } = entry.finding;
        let data = u64::from(score.steps() as u32) << 32
            | u64::from(action.0) << 16
            | u64::from(depth) << 8
            | u64::from(complete) << 7
            | (bound as u64) << 5
            | u64::from(entry.search);
        self.check.store(entry.key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

type Bucket = [Slot; 2];

/// The last number of a search, all of its bits set: the next one begins again with an empty table.
const SEARCHES: u64 = 31;
/// Findings of deeper searches are not kept: their depth has no room.
const DEEPEST: u16 = 255;

/// A table of a fixed number of buckets; none turns it off. Clones share its memory.
#[derive(Clone)]
pub(super) struct Table {
    buckets: Arc<[Bucket]>,
    /// The search now running.
    search: u8,
    /// Whether entries of earlier searches answer.
    keep: bool,
}

impl Table {
    /// A table of at most `mib` MiB; 0 is off. With `keep`, what earlier searches stored counts too.
    pub(super) fn new(mib: usize, keep: bool) -> Self {
        let buckets = (mib << 20) / size_of::<Bucket>();
        Self { buckets: (0..buckets).map(|_| Bucket::default()).collect(), search: 1, keep }
    }

    /// Whether it holds anything at all.
    pub(super) fn is_on(&self) -> bool {
        !self.buckets.is_empty()
    }

    /// Lets what is stored grow older by a search.
    pub(super) fn start_search(&mut self) {
        self.search += 1;
        if u64::from(self.search) > SEARCHES {
            self.clear();
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.iter().flatten().for_each(|slot| slot.data.store(0, Ordering::Relaxed));
        self.search = 1;
    }

    /// What is known of the position with `key`.
    pub(super) fn probe(&self, key: u64) -> Option<Finding> {
        let bucket = self.buckets.get(self.place(key))?;
        let mut known = bucket.iter().filter_map(Slot::read);
        known.find(|entry| entry.key == key && (self.keep || entry.search == self.search)).map(|entry| entry.finding)
    }

    /// Stores what was found of the position with `key`.
    pub(super) fn store(&self, key: u64, finding: Finding) {
        let Some([first, second]) = self.buckets.get(self.place(key)) else { return };
        if finding.depth > DEEPEST {
            return;
        }
        let (search, entry) = (self.search, Entry { key, search: self.search, finding });
        match first.read().filter(|old| old.key != key) {
            Some(old) if old.search == search && old.finding.depth > finding.depth => second.write(&entry),
            Some(old) => {
                second.write(&old);
                first.write(&entry);
            }
            None => first.write(&entry),
        }
    }

    /// How much of the table the running search has filled, in thousandths, by a sample.
    pub(super) fn filled(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(500)];
        let fresh = |slot: &&Slot| slot.read().is_some_and(|entry| entry.search == self.search);
        let filled = sample.iter().flatten().filter(fresh).count();
        (filled * 1000 / (2 * sample.len()).max(1)) as u32
    }

    /// The bucket of `key`: its share of the 64-bit range, so that a table need not have a power of two of them.
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(depth: u16) -> Finding {
        Finding { score: Score::estimate(0.0), bound: Bound::Exact, depth, complete: false, action: Action(depth) }
    }

    fn depth_of(table: &Table, key: u64) -> Option<u16> {
        table.probe(key).map(|found| found.depth)
    }

    /// Three keys of the same bucket.
    const KEYS: [u64; 3] = [1, 2, 3];

    #[test]
    fn a_bucket_keeps_the_deepest_and_the_latest() {
        let table = Table::new(1, false);
        for (key, depth) in KEYS.into_iter().zip([5, 2, 3]) {
            table.store(key, finding(depth));
        }
        assert_eq!(KEYS.map(|key| depth_of(&table, key)), [Some(5), None, Some(3)]);
        table.store(2, finding(6));
        assert_eq!(KEYS.map(|key| depth_of(&table, key)), [Some(5), Some(6), None]);
        table.store(2, finding(1));
        assert_eq!(depth_of(&table, 2), Some(1), "the same position is overwritten, not kept twice");
    }

    #[test]
    fn an_earlier_search_is_forgotten_and_gives_way() {
        let mut table = Table::new(1, false);
        table.store(1, finding(9));
        table.start_search();
        assert_eq!(depth_of(&table, 1), None);
        table.store(2, finding(1));
        assert_eq!(depth_of(&table, 2), Some(1));
    }

    #[test]
    fn what_is_kept_of_an_earlier_search_answers_until_it_gives_way() {
        let mut table = Table::new(1, true);
        table.store(1, finding(9));
        table.store(2, finding(7));
        table.start_search();
        assert_eq!(KEYS.map(|key| depth_of(&table, key)), [Some(9), Some(7), None]);
        table.store(3, finding(1));
        assert_eq!(KEYS.map(|key| depth_of(&table, key)), [Some(9), None, Some(1)], "however deep the older ones are");
    }

    #[test]
    fn everything_is_kept_as_it_was() {
        let table = Table::new(1, false);
        let bounds = [Bound::Exact, Bound::Lower, Bound::Upper];
        let scores = [Score::end(1.0, 3), Score::end(-1.0, 40), Score::estimate(0.3), Score::estimate(-0.7), Score::LOWEST];
        for (index, (bound, score)) in bounds.into_iter().flat_map(|bound| scores.map(|score| (bound, score))).enumerate() {
            let (complete, action) = (index % 2 == 0, Action(65_535 - index as u16));
            let finding = Finding { score, bound, depth: 240 + index as u16, complete, action };
            table.store(index as u64, finding);
            assert_eq!(table.probe(index as u64), Some(finding));
        }
        table.store(99, finding(256));
        assert!(table.probe(99).is_none(), "a depth that has no room");
    }

    #[test]
    fn a_finding_that_two_searches_mixed_is_of_no_position() {
        let table = Table::new(1, false);
        table.store(1, finding(3));
        let [first, _] = &table.buckets[0];
        first.data.store(first.data.load(Ordering::Relaxed) ^ 1 << 40, Ordering::Relaxed);
        assert!(table.probe(1).is_none());
    }

    #[test]
    fn after_the_last_number_of_a_search_the_table_is_empty() {
        let mut table = Table::new(1, true);
        table.store(1, finding(9));
        for _ in 0..30 {
            table.start_search();
        }
        assert_eq!(depth_of(&table, 1), Some(9));
        table.start_search();
        assert_eq!((depth_of(&table, 1), table.filled()), (None, 0));
        (0..1000).for_each(|key| table.store(key << 49, finding(1)));
        assert!(table.filled() > 0);
    }

    #[test]
    fn a_table_of_no_size_is_off() {
        let table = Table::new(0, false);
        table.store(1, finding(1));
        assert!(!table.is_on() && table.probe(1).is_none());
    }

    #[test]
    fn a_finding_answers_for_its_depth_or_for_more_if_complete() {
        let open = Window::OPEN;
        let depths = |found: Finding| [1, 2, 3].map(|depth| found.answers(depth, false, open));
        assert_eq!(depths(finding(2)), [false, true, false]);
        assert_eq!(depths(Finding { complete: true, ..finding(2) }), [false, true, true]);
        let or_deeper = [1, 2, 3].map(|depth| finding(2).answers(depth, true, open));
        assert_eq!(or_deeper, [true, true, false]);
        let lower = Finding { bound: Bound::Lower, ..finding(2) };
        assert!(!lower.answers(2, false, open));
        assert!(lower.answers(2, false, Window { alpha: Score::LOWEST, beta: lower.score }));
    }
}
