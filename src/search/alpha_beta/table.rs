//! The transposition table: what earlier visits of a position found, for when another order of moves leads to it again.
//!
//! Positions are known by their Zobrist key; all 64 bits are compared, yet two positions may share a key, so a move found here
//! must be checked before it is played. A bucket holds two entries: the first is kept while it is deeper than what
//! comes, the second takes the rest. Entries age: those of an earlier search give way to any of the running one. Unless
//! they are kept, they count as absent, so that a search depends on its arguments alone.
//! R. Greenblatt et al., "The Greenblatt chess program", 1967; D. Breuker et al., "Replacement schemes for
//! transposition tables", 1994 (the scheme "two-deep").

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
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    /// For its mover, its distance to the end counted from this position.
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
    /// A deeper finding does not, unless complete: a table must change the cost of a search, not its value.
    pub(super) fn answers(&self, depth: u32, window: Window, score: Score) -> bool {
        let found = u32::from(self.depth);
        let holds = found == depth || self.complete && found < depth;
        holds
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => score >= window.beta,
                Bound::Upper => score <= window.alpha,
            }
    }
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    /// The search that stored it.
    search: u32,
    finding: Finding,
}

type Bucket = [Option<Entry>; 2];

/// A table of a fixed number of buckets; none turns it off.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The search now running.
    search: u32,
    /// Whether entries of earlier searches answer.
    keep: bool,
}

impl Table {
    /// A table of at most `mib` MiB; 0 is off. With `keep`, what earlier searches stored counts too.
    pub(super) fn new(mib: usize, keep: bool) -> Self {
        let buckets = (mib << 20) / size_of::<Bucket>();
        Self { buckets: vec![[None; 2]; buckets], search: 0, keep }
    }

    /// Whether it holds anything at all.
    pub(super) fn is_on(&self) -> bool {
        !self.buckets.is_empty()
    }

    /// Lets what is stored grow older by a search.
    pub(super) fn start_search(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.buckets.fill([None; 2]);
        }
    }

    /// What is known of the position with `key`.
    pub(super) fn probe(&self, key: u64) -> Option<Finding> {
        let bucket = self.buckets.get(self.place(key))?;
        let known = bucket.iter().flatten().find(|entry| entry.key == key && (self.keep || entry.search == self.search));
        known.map(|entry| entry.finding)
    }

    /// Stores what was found of the position with `key`.
    pub(super) fn store(&mut self, key: u64, finding: Finding) {
        let (place, search) = (self.place(key), self.search);
        let Some(bucket) = self.buckets.get_mut(place) else { return };
        let entry = Some(Entry { key, search, finding });
        let is_deeper = |old: &Entry| old.search == search && old.finding.depth > finding.depth && old.key != key;
        if bucket[0].as_ref().is_some_and(is_deeper) {
            bucket[1] = entry;
        } else {
            if bucket[0].as_ref().is_some_and(|old| old.key != key) {
                bucket[1] = bucket[0];
            }
            bucket[0] = entry;
        }
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
        let mut table = Table::new(1, false);
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
    fn a_table_of_no_size_is_off() {
        let mut table = Table::new(0, false);
        table.store(1, finding(1));
        assert!(!table.is_on() && table.probe(1).is_none());
    }

    #[test]
    fn a_finding_answers_for_its_depth_or_for_more_if_complete() {
        let (open, score) = (Window::OPEN, Score::estimate(0.0));
        let depths = |found: Finding| [1, 2, 3].map(|depth| found.answers(depth, open, score));
        assert_eq!(depths(finding(2)), [false, true, false]);
        assert_eq!(depths(Finding { complete: true, ..finding(2) }), [false, true, true]);
        let lower = Finding { bound: Bound::Lower, ..finding(2) };
        assert!(!lower.answers(2, open, score));
        assert!(lower.answers(2, Window { alpha: Score::LOWEST, beta: score }, score));
    }
}
