//! How a specification can be wrong. Every message says what, in which specification, and what to do.

use crate::config::options::OptionsError;

/// A specification that names no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No kind in front of the colon.
    #[error("{spec:?} names no agent; start with a kind, such as random or alpha-beta:depth=4")]
    NoKind {
        /// The whole specification.
        spec: String,
    },
    /// A colon with nothing behind it.
    #[error("nothing follows the colon of {spec:?}; add {wanted} or remove the colon")]
    NothingAfterColon {
        /// What could stand there.
        wanted: &'static str,
        /// The whole specification.
        spec: String,
    },
    /// What follows the colon is no list of options.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// A value that cannot be read.
    #[error("option {key:?} in {spec:?} cannot be {value:?}: {reason}; correct the value or leave the option out")]
    InvalidValue {
        /// The option.
        key: &'static str,
        /// Its value.
        value: String,
        /// Why it cannot be read.
        reason: String,
        /// The whole specification.
        spec: String,
    },
    /// An option that the agent needs and that was not given.
    #[error("{spec:?} lacks the option {key:?}, which {kind} needs; add {key}=VALUE")]
    MissingOption {
        /// The kind of agent.
        kind: String,
        /// The option.
        key: &'static str,
        /// The whole specification.
        spec: String,
    },
    /// An option that the agent does not have.
    #[error("{kind} has no option {key:?} (in {spec:?}); {advice}")]
    UnknownOption {
        /// The kind of agent.
        kind: String,
        /// The option.
        key: String,
        /// The nearest known option, and all of them.
        advice: String,
        /// The whole specification.
        spec: String,
    },
    /// An agent that does not exist.
    #[error("no agent is called {kind:?} (in {spec:?}); did you mean {nearest:?}? Known agents are {kinds}")]
    UnknownKind {
        /// What was asked for.
        kind: String,
        /// The nearest that exists.
        nearest: String,
        /// All that exist.
        kinds: String,
        /// The whole specification.
        spec: String,
    },
}
