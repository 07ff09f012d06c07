//! How the games of self-play leave the beaten track: what a root is given before it is searched, and which move is played after it.
//!
//! # Playout cap randomisation
//! Wu, "Accelerating Self-Play Learning in Go", 2019, section 3.1. Rule: a share of the moves, drawn at random, is searched with few simulations and without
//! anything that explores at the root, and its policy is not learned; like any other move it may be drawn evenly. So games go on faster, and
//! there are more of them to learn values from, while the policies that are learned come from full searches. Cost: one draw a move.

use rand::{Rng as _, RngExt as _};

use super::self_play::{SelfPlay, Slot};
use crate::game::{Action, Game};
use crate::search::mcts::{dirichlet, gumbel, pick};

impl<G: Game> SelfPlay<'_, G> {
    /// Decides how the position of a fresh tree is searched, and gives its root what that takes.
    pub(super) fn open_root(&self, slot: &mut Slot<G>) {
        let play = &self.config.self_play;
        // Without fast moves there is nothing to draw.
        slot.is_fast = play.fast_share > 0.0 && slot.rng.random::<f32>() < play.fast_share;
        slot.simulations = if slot.is_fast { play.fast_simulations } else { play.simulations };
        slot.tree.set_forced_playouts(if slot.is_fast { 0.0 } else { play.forced_playouts });
        if let Some(method) = play.gumbel(slot.simulations) {
            // A fast move too: without draws there would be nothing for the temperature to act on.
            let draws = gumbel(slot.position.actions().len(), &mut slot.rng);
            slot.tree.set_gumbel(method, draws);
        } else if !slot.is_fast {
            self.stir(slot);
        }
    }

    /// Gives a root fresh noise, and its priors their temperature.
    fn stir(&self, slot: &mut Slot<G>) {
        let play = &self.config.self_play;
        // At 1 it changes nothing but rounding, which is a change too.
        if play.policy_temperature != 1.0 {
            slot.tree.set_root_temperature(play.policy_temperature);
        }
        if play.noise_shape > 0.0 {
            slot.tree.set_shaped_noise(play.noise_alpha, play.noise_shape, play.noise_weight, slot.rng.next_u64());
        } else {
            let noise = dirichlet(slot.position.actions().len(), play.noise_alpha, &mut slot.rng);
            slot.tree.set_root_noise(noise, play.noise_weight);
        }
    }

    /// The move that the finished search of `slot` suggests at the temperature of its ply, or one that explores.
    pub(super) fn choose(&self, slot: &mut Slot<G>, ends_proven: bool) -> Action {
        let play = &self.config.self_play;
        let early = slot.position.steps().len() < play.temperature_plies as usize;
        let (temperature, exploration) =
            if early { (play.temperature, play.exploration) } else { (play.final_temperature, play.final_exploration) };
        // A game that ends with a proof ends with a move that is worth what was proven.
        if exploration > 0.0 && !ends_proven && slot.rng.random::<f32>() < exploration {
            let open = slot.tree.open_moves();
            return open[slot.rng.random_range(0..open.len())];
        }
        let halved = slot.tree.gumbel_move(temperature);
        halved.unwrap_or_else(|| pick(&slot.tree.policy(), temperature, &mut slot.rng))
    }
}
