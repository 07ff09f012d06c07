//! What a step of training cost: means over positions, shards and steps.

/// Losses, means over some steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the policy, in nats.
    pub policy: f64,
    /// The value loss: cross-entropy in nats, or a mean squared error.
    pub value: f64,
    /// Mean squared error of the share of the longest game that is left, where the network has this head.
    pub plies_left: Option<f64>,
    /// Cross-entropy of the policy of the position after the next move, in nats, where the network has this head.
    pub reply: Option<f64>,
    /// The norm of the gradient before clipping.
    pub gradient_norm: f64,
}

impl Losses {
    /// Their mean, taken in order; not a number where there are none.
    #[must_use]
    pub fn mean(of: &[Self]) -> Self {
        let mean = |part: fn(&Self) -> f64| of.iter().map(part).sum::<f64>() / of.len() as f64;
        let mean_of_head = |part: fn(&Self) -> Option<f64>| {
            of.first().and_then(part)?;
            Some(of.iter().filter_map(part).sum::<f64>() / of.len() as f64)
        };
        Self {
            policy: mean(|losses| losses.policy),
            value: mean(|losses| losses.value),
            plies_left: mean_of_head(|losses| losses.plies_left),
            reply: mean_of_head(|losses| losses.reply),
            gradient_norm: mean(|losses| losses.gradient_norm),
        }
    }

    /// The first of them that is not finite, by name.
    pub(super) fn not_finite(&self) -> Option<&'static str> {
        let all = [
            ("policy loss", Some(self.policy)),
            ("value loss", Some(self.value)),
            ("plies-left loss", self.plies_left),
            ("reply loss", self.reply),
            ("gradient", Some(self.gradient_norm)),
        ];
        all.into_iter().find(|(_, loss)| loss.is_some_and(|loss| !loss.is_finite())).map(|(what, _)| what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_all_and_a_head_that_is_not_there_has_none() {
        let one = Losses { policy: 1.0, value: 0.5, plies_left: Some(0.25), reply: None, gradient_norm: 2.0 };
        let other = Losses { policy: 2.0, value: 0.0, plies_left: Some(0.75), reply: None, gradient_norm: 4.0 };
        let mean = Losses { policy: 1.5, value: 0.25, plies_left: Some(0.5), reply: None, gradient_norm: 3.0 };
        assert_eq!(Losses::mean(&[one, other]), mean);
        let none = Losses::mean(&[]);
        assert!(none.policy.is_nan() && none.plies_left.is_none());
        assert_eq!(none.not_finite(), Some("policy loss"));
        assert_eq!(mean.not_finite(), None);
        assert_eq!(Losses { reply: Some(f64::NAN), ..mean }.not_finite(), Some("reply loss"));
    }
}
