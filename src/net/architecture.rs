//! The shape of a network: what a file must agree with before its weights are used.

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
    /// The network of these sizes for a game.
    #[must_use]
    pub fn new(facts: &Facts, network: &NetworkConfig) -> Self {
        Self {
            game: facts.id.to_owned(),
            planes: facts.planes,
            actions: facts.actions,
            value: if facts.wdl { ValueHead::Wdl } else { ValueHead::Utilities },
            network: network.clone(),
        }
    }

    /// Cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.planes[1] * self.planes[2]
    }
}
