//! The sliding window of positions, and the draws from it.

use std::collections::VecDeque;

use rand::RngExt as _;

use super::ReplayConfig;
use super::record::Sample;
use crate::rng::Rng;

/// The newest positions of a run, each with how often it was trained on.
#[derive(Debug)]
pub struct Replay<S> {
    config: ReplayConfig,
    entries: VecDeque<Entry<S>>,
}

#[derive(Debug)]
struct Entry<S> {
    sample: Sample<S>,
    uses: u16,
}

/// The positions that may still be drawn in one learning phase.
#[derive(Debug)]
pub struct Deck {
    live: Vec<u32>,
}

impl<S> Replay<S> {
    /// An empty window.
    #[must_use]
    pub fn new(config: &ReplayConfig) -> Self {
        Self { config: config.clone(), entries: VecDeque::new() }
    }

    /// Appends samples; the oldest beyond the window's size fall out.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = Sample<S>>) {
        for sample in samples {
            if self.entries.len() == self.config.window {
                self.entries.pop_front();
            }
            self.entries.push_back(Entry { sample, uses: 0 });
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

    /// Shuffles what may still be used into a deck for one learning phase.
    #[must_use]
    pub fn deck(&self) -> Deck {
        let live =
            self.entries.iter().zip(0..).filter(|(entry, _)| entry.uses < self.config.max_uses).map(|(_, at)| at).collect();
        Deck { live }
    }

    /// Draws `count` places, uniformly among positions that were not yet used up; a position may come twice. None once too few
    /// are left, and then nothing is counted as used.
    pub fn draw(&mut self, deck: &mut Deck, count: usize, rng: &mut Rng) -> Option<Vec<u32>> {
        let left: usize = deck.live.iter().map(|&at| usize::from(self.config.max_uses - self.entries[at as usize].uses)).sum();
        if left < count {
            return None;
        }
        let drawn = (0..count).map(|_| {
            let at = rng.random_range(0..deck.live.len());
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Payoff;
    use crate::rng::stream;

    fn replay(window: usize, max_uses: u16, states: std::ops::Range<u32>) -> Replay<u32> {
        let mut replay = Replay::new(&ReplayConfig { window, search_value: 0.0, reuse: 1.0, max_uses });
        replay.extend(states.map(|state| Sample { state, policy: Box::default(), payoff: Payoff::DRAW }));
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
}
