//! The shape of a network: what a file must agree with before its weights are used.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Facts;

/// The `[network]` section: sizes of the residual network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfig {
    /// Channels of the trunk.
    pub channels: usize,
    /// Residual blocks of two 3x3 convolutions each.
    pub blocks: usize,
    /// Channels of the 1x1 convolution before the policy's linear layer.
    pub policy_channels: usize,
    /// Channels of the 1x1 convolution before the value's linear layers.
    pub value_channels: usize,
    /// Units of the value head's hidden layer.
    pub value_hidden: usize,
}

impl NetworkConfig {
    /// Every size with its key.
    #[must_use]
    pub fn sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("channels", self.channels),
            ("blocks", self.blocks),
            ("policy_channels", self.policy_channels),
            ("value_channels", self.value_channels),
            ("value_hidden", self.value_hidden),
        ]
    }
}

impl fmt::Display for NetworkConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes().iter().map(|(key, size)| format!("{key} {size}")).collect();
        formatter.write_str(&sizes.join(", "))
    }
}

/// What the value head predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueHead {
    /// Logits of a win, a draw and a loss for the mover.
    Wdl,
    /// Through tanh, the utility of the mover and that of the other player.
    Utilities,
}

impl ValueHead {
    /// Numbers a position.
    #[must_use]
    pub const fn outputs(self) -> usize {
        match self {
            ValueHead::Wdl => 3,
            ValueHead::Utilities => 2,
        }
    }
}

/// Everything that fixes the names and shapes of a network's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Architecture {
    /// The game it plays.
    pub game: String,
    /// `[planes, height, width]` of its input.
    pub planes: [usize; 3],
    /// The size of its policy head.
    pub actions: usize,
    /// What its value head predicts.
    pub value: ValueHead,
    /// Its sizes.
    pub network: NetworkConfig,
}

impl Architecture {
    /// The most numbers a network may have, so that its file is one that is read.
    pub const MOST_PARAMETERS: u64 = 1 << 27;

    /// The network of these sizes for a game.
    #[must_use]
    pub fn new(facts: &Facts, network: &NetworkConfig) -> Self {
        Self {
            game: facts.id.clone(),
            planes: facts.planes,
            actions: facts.actions,
            value: if facts.wdl { ValueHead::Wdl } else { ValueHead::Utilities },
            network: network.clone(),
        }
    }

    /// How many numbers a network of this shape has, running statistics included.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        let size = |size: usize| size as u64;
        let sizes = &self.network;
        let (channels, policy, value) = (size(sizes.channels), size(sizes.policy_channels), size(sizes.value_channels));
        let (cells, hidden) = (size(self.cells()), size(sizes.value_hidden));
        // A kernel, and four numbers a channel of batch normalisation.
        let conv = |inputs: u64, outputs: u64, side: u64| (inputs * side * side + 4) * outputs;
        let dense = |inputs: u64, outputs: u64| (inputs + 1) * outputs;
        let trunk = conv(size(self.planes[0]), channels, 3) + size(sizes.blocks) * 2 * conv(channels, channels, 3);
        let policy = conv(channels, policy, 1) + dense(policy * cells, size(self.actions));
        let value = conv(channels, value, 1) + dense(value * cells, hidden) + dense(hidden, size(self.value.outputs()));
        trunk + policy + value
    }

    /// Cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.planes[1] * self.planes[2]
    }
}
