//! The sliding window of positions, and the draws from it.

use std::collections::VecDeque;
use std::hash::Hash;

use rand::RngExt as _;

use super::ReplayConfig;
use super::duplicates::{self, Targets};
use super::samples::Sample;
use crate::rng::Rng;

/// The newest positions of a run, each with how often it was trained on.
#[derive(Debug)]
pub struct Replay<S> {
    config: ReplayConfig,
    /// How many positions there may be.
    size: usize,
    entries: VecDeque<Entry<S>>,
}

#[derive(Debug)]
pub(super) struct Entry<S> {
    /// What is learned from it.
    pub(super) sample: Sample<S>,
    /// Its targets before they were averaged with those of its duplicates.
    pub(super) own: Option<Targets>,
    uses: u16,
}

/// The positions that may still be drawn in one learning phase.
#[derive(Debug)]
pub struct Deck {
    live: Vec<u32>,
    /// The largest weight; none where all are the same.
    most: Option<f32>,
}

impl<S: Eq + Hash> Replay<S> {
    /// An empty window.
    #[must_use]
    pub fn new(config: &ReplayConfig) -> Self {
        Self { config: config.clone(), size: config.window, entries: VecDeque::new() }
    }

    /// Makes it a window of so many positions, from the next [`Replay::extend`] on.
    pub fn resize(&mut self, size: usize) {
        self.size = size;
    }

    /// Appends samples; the oldest beyond the window's size fall out.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = Sample<S>>) {
        for sample in samples {
            while self.entries.len() >= self.size {
                self.entries.pop_front();
            }
            self.entries.push_back(Entry { sample, own: None, uses: 0 });
        }
    }

    /// How often each position was trained on, oldest first.
    #[must_use]
    pub fn uses(&self) -> Vec<u16> {
        self.entries.iter().map(|entry| entry.uses).collect()
    }

    /// The window with these uses, oldest position first; none where they are not as many as the positions.
    #[must_use]
    pub fn with_uses(mut self, uses: &[u16]) -> Option<Self> {
        if uses.len() != self.entries.len() {
            return None;
        }
        self.entries.iter_mut().zip(uses).for_each(|(entry, &uses)| entry.uses = uses);
        Some(self)
    }

    /// Positions in the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the window is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The samples in the window, oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &Sample<S>> {
        self.entries.iter().map(|entry| &entry.sample)
    }

    /// The sample at a place that [`Replay::draw`] gave out since the last [`Replay::extend`].
    #[must_use]
    pub fn sample(&self, place: u32) -> &Sample<S> {
        &self.entries[place as usize].sample
    }

    /// Averages the targets of equal positions, if that is asked for, and shuffles what may still be used into a deck for one learning
    /// phase.
    #[must_use]
    pub fn deck(&mut self) -> Deck {
        if self.config.average_duplicates {
            duplicates::average(self.entries.make_contiguous());
        }
        let is_live = |entry: &Entry<S>| entry.uses < self.config.max_uses && entry.sample.weight > 0.0;
        let live: Vec<u32> = self.entries.iter().zip(0..).filter(|(entry, _)| is_live(entry)).map(|(_, at)| at).collect();
        let weights = || live.iter().map(|&at| self.entries[at as usize].sample.weight);
        let (least, most) = (weights().fold(f32::INFINITY, f32::min), weights().fold(0.0, f32::max));
        Deck { live, most: (least < most).then_some(most) }
    }

    /// Draws `count` places, by their weights among positions that were not yet used up; a position may come twice. None once too few
    /// are left, and then nothing is counted as used.
    pub fn draw(&mut self, deck: &mut Deck, count: usize, rng: &mut Rng) -> Option<Vec<u32>> {
        let left: usize = deck.live.iter().map(|&at| usize::from(self.config.max_uses - self.entries[at as usize].uses)).sum();
        if left < count {
            return None;
        }
        let drawn = (0..count).map(|_| {
            let at = self.pick(deck, rng);
            let place = deck.live[at];
            let entry = &mut self.entries[place as usize];
            entry.uses += 1;
            if entry.uses == self.config.max_uses {
                deck.live.swap_remove(at);
            }
            place
        });
        Some(drawn.collect())
    }

    /// An index of the deck, drawn by weight: evenly drawn ones are refused until one is let pass, with a probability that is its weight's
    /// part of the largest.
    fn pick(&self, deck: &Deck, rng: &mut Rng) -> usize {
        loop {
            let at = rng.random_range(0..deck.live.len());
            let weight = self.entries[deck.live[at] as usize].sample.weight;
            if deck.most.is_none_or(|most| rng.random::<f32>() * most < weight) {
                return at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Payoff;
    use crate::rng::stream;

    fn replay(window: usize, max_uses: u16, states: std::ops::Range<u32>) -> Replay<u32> {
        let config = ReplayConfig {
            window,
            search_value: 0.0,
            reuse: 1.0,
            max_uses,
            lambda: 1.0,
            cut_exploratory: false,
            tell_draws: false,
            surprise: 0.0,
            proven_positions: 0,
            average_duplicates: false,
            window_share: 0.0,
            least_window: 1,
        };
        let mut replay = Replay::new(&config);
        replay.extend(states.map(|state| Sample::new(state, [], Payoff::DRAW)));
        replay
    }

    #[test]
    fn the_window_slides() {
        let replay = replay(3, 1, 0..5);
        assert_eq!(replay.samples().map(|sample| sample.state).collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn no_position_is_used_more_than_allowed_and_all_uses_can_be_had() {
        let mut replay = replay(10, 3, 0..10);
        let mut rng = stream(1, "test", 0);
        let mut deck = replay.deck();
        let mut uses = [0; 10];
        for _ in 0..6 {
            for place in replay.draw(&mut deck, 5, &mut rng).unwrap() {
                uses[replay.sample(place).state as usize] += 1;
            }
        }
        assert_eq!(uses, [3; 10]);
        assert_eq!(replay.draw(&mut deck, 1, &mut rng), None);
        let mut next = replay.deck();
        assert_eq!(replay.draw(&mut next, 1, &mut rng), None, "uses outlive a phase");
    }

    #[test]
    fn a_refused_draw_uses_nothing() {
        let mut replay = replay(2, 1, 0..2);
        let mut rng = stream(1, "test", 0);
        let mut deck = replay.deck();
        assert_eq!(replay.draw(&mut deck, 3, &mut rng), None);
        assert_eq!(replay.draw(&mut deck, 2, &mut rng).map(|drawn| drawn.len()), Some(2));
    }

    #[test]
    fn places_are_drawn_by_weight() {
        let mut replay = replay(4, u16::MAX, 0..4);
        for (entry, weight) in replay.entries.iter_mut().zip([0.5, 1.0, 0.0, 2.5]) {
            entry.sample.weight = weight;
        }
        let mut deck = replay.deck();
        let mut counts = [0; 4];
        for place in replay.draw(&mut deck, 8000, &mut stream(1, "test", 0)).unwrap() {
            counts[place as usize] += 1;
        }
        for (count, expected) in counts.into_iter().zip([1000, 2000, 0, 5000]) {
            assert!(expected * 9 <= count * 10 && count * 10 <= expected * 11, "{counts:?}");
        }
    }

    #[test]
    fn a_window_that_grows_loses_no_position_that_it_has_room_for() {
        let mut replay = replay(3, 1, 0..5);
        replay.resize(5);
        replay.extend((5..8).map(|state| Sample::new(state, [], Payoff::DRAW)));
        assert_eq!(replay.samples().map(|sample| sample.state).collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
    }
}
