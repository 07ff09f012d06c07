//! Equal positions of the window, seen with one target.
//!
//! Rule: positions that are equal are each learned from with the mean of their policies and values; n of them together are drawn as often as
//! sqrt(n) single ones. So a position that every game goes through has a target that says what happens on average, and does not crowd out
//! the others. Hypothesis: equal states have equal futures, which the rules of a game see to. Symmetric images count as different.
//!
//! Source: AlphaZero.jl (Laurent) merges samples of the same state and weights them by the logarithm of their number; the root is
//! between that and none. Cost: one look at each position of the window a learning phase.

use std::collections::HashMap;
use std::hash::Hash;

use super::replay::Entry;
use super::samples::{Policy, Sample};
use crate::eval::Forecast;
use crate::game::Payoff;

/// What averaging replaces in a sample.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    policy: Policy,
    payoff: Payoff,
    draw: Option<f32>,
    weight: f32,
}

impl Targets {
    fn of<S>(sample: &Sample<S>) -> Self {
        Self { policy: Policy::clone(&sample.policy), payoff: sample.payoff, draw: sample.draw, weight: sample.weight }
    }

    fn give<S>(self, sample: &mut Sample<S>) {
        (sample.policy, sample.payoff, sample.draw, sample.weight) = (self.policy, self.payoff, self.draw, self.weight);
    }
}

/// Averages the targets of equal positions, afresh: what was averaged before counts no more.
pub(super) fn average<S: Eq + Hash>(entries: &mut [Entry<S>]) {
    for entry in entries.iter_mut() {
        if let Some(own) = entry.own.take() {
            own.give(&mut entry.sample);
        }
    }
    for group in groups(entries) {
        if let Some((policy, mean)) = mean(group.iter().map(|&at| &entries[at].sample)) {
            for &at in &group {
                let Entry { sample, own, .. } = &mut entries[at];
                *own = Some(Targets::of(sample));
                (sample.policy, sample.payoff) = (Policy::clone(&policy), mean.payoff);
                sample.draw = sample.draw.map(|_| mean.draw);
                sample.weight /= (group.len() as f32).sqrt();
            }
        }
    }
}

/// The places of equal positions, where there are several; in the order of the window.
fn groups<S: Eq + Hash>(entries: &[Entry<S>]) -> Vec<Vec<usize>> {
    let (mut numbers, mut groups) = (HashMap::new(), Vec::<Vec<usize>>::new());
    for (at, entry) in entries.iter().enumerate() {
        let number = *numbers.entry(&entry.sample.state).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The mean of policies and values, taken in order; none where policies are not about the same moves.
fn mean<'a, S: 'a>(samples: impl Iterator<Item = &'a Sample<S>> + Clone) -> Option<(Policy, Forecast)> {
    let count = samples.clone().count() as f32;
    let mut policy: Vec<_> = samples.clone().next()?.policy.iter().map(|&(action, _)| (action, 0.0)).collect();
    let mut total = Forecast::default();
    for sample in samples {
        if sample.policy.len() != policy.len() {
            return None;
        }
        for (sum, (action, share)) in policy.iter_mut().zip(sample.policy.iter()) {
            if sum.0 != *action {
                return None;
            }
            sum.1 += share / count;
        }
        let Payoff([first, second]) = total.payoff;
        total.payoff = Payoff([first + sample.payoff.0[0] / count, second + sample.payoff.0[1] / count]);
        total.draw += sample.draw.unwrap_or(0.0) / count;
    }
    Some((policy.into(), total))
}
