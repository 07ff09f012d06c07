//! Measuring networks while a run goes on. The loop does not know how it is done.

use std::sync::atomic::Ordering;

use super::TrainError;
use super::event::{Event, Finding, Phase};
use super::run::Run;
use super::state::{Best, State};
use crate::game::Game;
use crate::net::{Architecture, Network};
use crate::storage::write_atomic;

/// Someone who measures networks.
pub trait Judge {
    /// Measures a network; `progress` is told of (done, total) units of work.
    ///
    /// # Errors
    /// When the measurement cannot be made; this ends the run.
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String>;
}

impl<G: Game> Run<'_, G> {
    /// Lets the judges measure the network. Points in matches, and nothing else, decide which network is the best.
    pub(super) fn evaluate(&mut self, state: &mut State<G>) -> Result<(), TrainError> {
        let iteration = state.progress.iteration;
        let cpu_minutes = state.clock.core_seconds().map(|seconds| seconds / 60.0);
        let findings = self.measure(state)?;
        let points: Vec<f64> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Match { result, .. } => result.share.map(|share| share.value),
                Finding::Accuracy { .. } => None,
            })
            .collect();
        for finding in findings {
            self.tell(state, &Event::Evaluation { iteration, cpu_minutes, finding })?;
        }
        let share = points.iter().sum::<f64>() / points.len() as f64;
        // Of equals the later network, which has learned longer.
        if !points.is_empty() && state.progress.best.is_none_or(|best| share >= best.share) {
            state.progress.best = Some(Best { iteration, share });
            let bytes = self.network_file(state)?;
            self.patiently(|| write_atomic(self.folder.disk(), &self.folder.best(), &bytes))?;
            self.tell(state, &Event::Best { iteration, share })?;
        }
        state.progress.measured = iteration;
        state.progress.next = self.ahead(state)?;
        Ok(())
    }

    fn measure(&mut self, state: &State<G>) -> Result<Vec<Finding>, TrainError> {
        let (network, architecture) = (state.learner.network(), state.learner.architecture());
        let (observer, stop) = (self.observer, self.stop);
        let progress = |done, total| observer.progress(Phase::Evaluation, done, total);
        let mut findings = Vec::new();
        for judge in &mut self.judges {
            let found = judge.judge(network, architecture, &progress);
            // Once somebody said stop, neither a finding nor an error is to be believed.
            if stop.load(Ordering::Relaxed) {
                return Err(TrainError::Interrupted);
            }
            findings.extend(found.map_err(TrainError::Judge)?);
        }
        Ok(findings)
    }
}
