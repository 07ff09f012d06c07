//! Symmetries of a board: permutations of cells that the rules do not notice.

use super::Action;

/// One symmetry: where each action goes. What it does to a state is the game's business ([`super::Game::transform`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// The place in [`super::Game::symmetries`]; 0 is the identity.
    pub index: usize,
    /// `images[a]` is the image of action `a`; where there is no list, every action is its own.
    images: Option<Vec<u16>>,
}

/// The symmetries of a board without any but the identity.
pub(super) static IDENTITY: [Symmetry; 1] = [Symmetry::IDENTITY];

impl Symmetry {
    /// The identity of every game.
    pub const IDENTITY: Symmetry = Symmetry { index: 0, images: None };

    /// The symmetry number `index` under which action `a` becomes `image(a)`, for `actions` actions.
    #[must_use]
    pub fn new(index: usize, actions: usize, image: impl Fn(usize) -> usize) -> Self {
        let narrow = |image| u16::try_from(image).unwrap_or(u16::MAX);
        Self { index, images: Some((0..actions).map(|action| narrow(image(action))).collect()) }
    }

    /// The image of `action`.
    #[must_use]
    pub fn action(&self, action: Action) -> Action {
        self.images.as_ref().map_or(action, |images| Action(images[action.index()]))
    }
}

/// The eight symmetries of a square board of `side` cells a side, as maps (row, column) -> (row, column): the identity,
/// then every combination of a transposition, a flip of rows and a flip of columns.
#[must_use]
pub fn square(index: usize, side: usize, (row, column): (usize, usize)) -> (usize, usize) {
    let (row, column) = if index & 4 != 0 { (column, row) } else { (row, column) };
    let flip = |bit: usize, at: usize| if index & bit != 0 { side - 1 - at } else { at };
    (flip(1, row), flip(2, column))
}
