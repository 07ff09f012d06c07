//! The shape of a network: what a file must agree with before its weights are used.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Facts;

/// The `[network]` section: the shape of the residual network. A file's header leaves out what it does not have.
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
    /// How the sums of its convolutions are normalised.
    #[serde(default, skip_serializing_if = "is_off")]
    pub norm: Norm,
    /// Units of the policy head's hidden layer; 0 where it has none.
    #[serde(default, skip_serializing_if = "is_off")]
    pub policy_hidden: usize,
    /// Heads that are trained beside policy and value, and not asked in play.
    #[serde(default, skip_serializing_if = "is_off")]
    pub auxiliary: Vec<Auxiliary>,
}

/// Whether a network does without, as those did that were made before there was such a key.
fn is_off<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How the sums of a convolution are normalised before the rectifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// By mean and variance of a batch (Ioffe and Szegedy 2015), in play by running ones.
    #[default]
    Batch,
    /// Not at all.
    None,
}

/// A head that a network is trained with and that is not asked in play: what it must know to answer is of use to the trunk (Wu,
/// "Accelerating self-play learning in Go", 2019, section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auxiliary {
    /// How long the game goes on, as a share of its longest length.
    PliesLeft,
    /// The policy of the position after the next move.
    Reply,
}

impl NetworkConfig {
    /// Every key with its value as TOML writes it.
    #[must_use]
    pub fn settings(&self) -> [(&'static str, String); 8] {
        let Self { channels, blocks, policy_channels, value_channels, value_hidden, norm, policy_hidden, auxiliary } = self;
        let norm = match norm {
            Norm::Batch => "batch",
            Norm::None => "none",
        };
        let heads: Vec<&str> = auxiliary
            .iter()
            .map(|head| match head {
                Auxiliary::PliesLeft => "plies_left",
                Auxiliary::Reply => "reply",
            })
            .collect();
        [
            ("channels", channels.to_string()),
            ("blocks", blocks.to_string()),
            ("policy_channels", policy_channels.to_string()),
            ("value_channels", value_channels.to_string()),
            ("value_hidden", value_hidden.to_string()),
            ("norm", format!("{norm:?}")),
            ("policy_hidden", policy_hidden.to_string()),
            ("auxiliary", format!("{heads:?}")),
        ]
    }

    /// Whether it has this head.
    #[must_use]
    pub fn has(&self, head: Auxiliary) -> bool {
        self.auxiliary.contains(&head)
    }
}

impl fmt::Display for NetworkConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings: Vec<String> = self.settings().iter().map(|(key, value)| format!("{key} {value}")).collect();
        formatter.write_str(&settings.join(", "))
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
        // A kernel, and four numbers a channel: scale and shift, and statistics, which do not move where nothing is normalised.
        let conv = |inputs: u64, outputs: u64, side: u64| (inputs * side * side + 4) * outputs;
        let dense = |inputs: u64, outputs: u64| (inputs + 1) * outputs;
        let trunk = conv(size(self.planes[0]), channels, 3) + size(sizes.blocks) * 2 * conv(channels, channels, 3);
        let (policy_input, actions) = (policy * cells, size(self.actions));
        let logits = match size(sizes.policy_hidden) {
            0 => dense(policy_input, actions),
            units => dense(policy_input, units) + dense(units, actions),
        };
        let policy = conv(channels, policy, 1) + logits;
        let value = conv(channels, value, 1) + dense(value * cells, hidden) + dense(hidden, size(self.value.outputs()));
        let plies_left = if sizes.has(Auxiliary::PliesLeft) { dense(hidden, 1) } else { 0 };
        let reply = if sizes.has(Auxiliary::Reply) { dense(policy_input, actions) } else { 0 };
        trunk + policy + value + plies_left + reply
    }

    /// Cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.planes[1] * self.planes[2]
    }
}
