//! Every method that is off by default, on, but for sequential halving, which takes the place of some.

/// Changes of a configuration.
pub const ON: [&str; 21] = [
    "search.solve=true",
    "self_play.end_proven=true",
    "self_play.policy_temperature=1.25",
    "self_play.forced_playouts=2.0",
    "self_play.noise_shape=0.5",
    "self_play.fast_share=0.3",
    "self_play.fast_simulations=2",
    "self_play.first_simulations=4",
    "self_play.random_safe=true",
    "self_play.archive_share=0.25",
    "self_play.archive=64",
    "self_play.exploration=0.15",
    "self_play.final_exploration=0.05",
    "replay.lambda=0.9",
    "replay.cut_exploratory=true",
    "replay.tell_draws=true",
    "replay.surprise=0.5",
    "replay.proven_positions=2",
    "replay.average_duplicates=true",
    "replay.window_share=0.5",
    "replay.least_window=20",
];
