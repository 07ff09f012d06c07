//! Monte-Carlo tree search: one tree for PUCT and for UCT, with any evaluator.
//!
//! The tree does no input or output and knows no thread. Whoever drives it takes leaves out ([`Tree::descend`]) and puts
//! evaluations in ([`Tree::absorb`]), so that one thread can step many games and ask a network about all their leaves at once.
//!
//! - UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006 (rule [`Rule::Ucb1`], evaluator `Rollout`).
//! - PUCT: Silver et al., "Mastering the game of Go without human knowledge", 2017, Methods.
//!
//! Where chance acts, a simulation follows a result drawn with its probability, and nobody selects. A tree has a seed, and its
//! k-th descent draws from the k-th stream under it ([`crate::rng::quick`]), which is set up when chance or a rollout first draws.
//! A descent that collides with a leaf given out changes nothing and is made again with the same stream. The leaf carries its
//! stream on, so that a rollout goes on with what its descent began. So what a descent draws depends on the tree's seed and on
//! which descent it is: not on how many leaves are gathered, in which order they come back, on threads or on other trees. Where
//! waiting leaves change no selection, nothing depends on gathering at all.
//!
//! # Wins on the spot
//! Under PUCT, a position in which a move ends the game with the best payoff there is ([`crate::game::Payoff::MOST`]) is not
//! evaluated. The first such move, in the order of the rules, has prior 1 and its siblings 0; its payoff is the position's own
//! evaluation; every later simulation there follows it. So at a root the policy to learn from is that move, and noise has no say.
//! This needs no hypothesis but that utilities lie in [-1, 1] and that each player maximises its own: no other move can be worth
//! more to the mover. It holds with chance and for general sums, where the other player gets what that first move gives. A
//! result of chance is no end. Cost: each legal move is tried once at each new position, which is nothing beside a network.
//! UCT is left as the paper has it, with its four phases: it evaluates whatever it adds.
//!
//! With [`Rule::Puct`]'s `solve`, what the ends of games prove is carried up the tree ([`Proof`]); a win on the spot is a proof of one ply.
//!
//! At the root, sequential halving may choose in the rule's place ([`Gumbel`]).
//!
//! Cost: a simulation visits one path and allocates nothing once the tree's lists have grown; selection reads 12 bytes a move.
//! Memory is one node (28 bytes) a simulation and one edge (44 bytes) a legal move of each node; proofs take 16 bytes a node more.

mod drive;
mod expand;
mod forced;
mod gumbel;
mod node;
mod noise;
mod prove;
mod root;
mod select;
mod tree;

pub use drive::{Driver, lockstep, next_leaf};
pub use gumbel::{Gumbel, gumbel};
pub use noise::dirichlet;
pub use prove::Proof;
pub use root::{Evaluated, RootMove, most_probable, pick};
pub use select::Rule;
pub use tree::{Descent, Leaf, Tree};
