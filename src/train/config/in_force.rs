//! Which settings of self-play are in force at some point of a run: the number of simulations may grow with it.
//!
//! Rule: simulations rise linearly with the progress of the run, from the first number to the full one. While a network knows little, more games teach
//! it more than deeper searches do. Source: Wu et al., "`MiniZero`", 2023 (progressive simulation).

use super::SelfPlayConfig;
use crate::search::mcts::Gumbel;

impl SelfPlayConfig {
    /// The settings at this progress of the run, in [0, 1]: with the number of simulations that is in force there, and without those of
    /// methods that are off. Games made there are a function of these.
    #[must_use]
    pub fn at(&self, progress: f64) -> Self {
        let simulations = self.simulations_at(progress);
        let mut now = Self { simulations, first_simulations: 0, full_simulations_at: 0.0, ..self.clone() };
        now.fast_simulations = if self.fast_share > 0.0 { self.fast_simulations.min(simulations) } else { 0 };
        if self.gumbel_moves == 0 {
            (now.gumbel_visit_scale, now.gumbel_value_scale) = (0.0, 0.0);
        }
        now
    }

    /// Simulations a move at this progress of the run, to the nearest whole number.
    fn simulations_at(&self, progress: f64) -> u32 {
        if self.first_simulations == 0 {
            return self.simulations;
        }
        let (first, full) = (f64::from(self.first_simulations), f64::from(self.simulations));
        let share = (progress / self.full_simulations_at).min(1.0);
        (first + share * (full - first)).round() as u32
    }

    /// How the root is searched by so many simulations, where sequential halving does it.
    pub(in crate::train) fn gumbel(&self, simulations: u32) -> Option<Gumbel> {
        let (visit_scale, value_scale) = (self.gumbel_visit_scale, self.gumbel_value_scale);
        (self.gumbel_moves > 0).then_some(Gumbel { considered: self.gumbel_moves, simulations, visit_scale, value_scale })
    }
}
