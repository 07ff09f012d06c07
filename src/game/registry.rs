//! The list of games a program knows. It is a list of types, so that each command is compiled for each game and nothing is
//! erased; a stranger's crate extends it with one call of [`Registry::with`].

use std::sync::Arc;

use super::{Game, Knowledge};
use crate::config::nearest;

/// A game with what a program may know beside its rules.
pub struct Entry<G: Game> {
    /// The rules.
    pub game: Arc<G>,
    /// Hand-written judgement for classical search, where there is one.
    pub knowledge: Option<Arc<dyn Knowledge<State = G::State>>>,
    /// A configuration (TOML) that trains this game.
    pub config: Option<&'static str>,
    /// Whether all positions can be visited one by one, so that a network can be compared with perfect play in each.
    pub enumerable: bool,
    /// A line for people.
    pub summary: &'static str,
}

impl<G: Game> Entry<G> {
    /// An entry with rules alone.
    #[must_use]
    pub fn new(game: G, summary: &'static str) -> Self {
        Self { game: Arc::new(game), knowledge: None, config: None, enumerable: false, summary }
    }

    /// Adds the configuration that trains this game.
    #[must_use]
    pub fn config(mut self, toml: &'static str) -> Self {
        self.config = Some(toml);
        self
    }

    /// Says that all positions can be visited one by one.
    #[must_use]
    pub fn enumerable(mut self) -> Self {
        self.enumerable = true;
        self
    }
}

impl<G: Knowledge> Entry<G> {
    /// Lets classical search use the game's hand-written judgement.
    #[must_use]
    pub fn knowledge(mut self) -> Self {
        self.knowledge = Some(Arc::clone(&self.game) as Arc<dyn Knowledge<State = G::State>>);
        self
    }
}

impl<G: Game> Clone for Entry<G> {
    fn clone(&self) -> Self {
        Self { game: Arc::clone(&self.game), knowledge: self.knowledge.clone(), ..*self }
    }
}

/// Something to do with a game of any type.
pub trait Visit {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Self::Output;
}

/// A list of games.
pub trait Games {
    /// Visits every game, in order.
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>);

    /// Visits the game called `id`, if there is one.
    fn find<V: Visit>(&self, id: &str, visitor: &mut V) -> Option<V::Output>;

    /// Visits the game called `id`.
    ///
    /// # Errors
    /// When no game is called so; the error names those there are.
    fn dispatch<V: Visit>(&self, id: &str, visitor: &mut V) -> Result<V::Output, UnknownGame> {
        self.find(id, visitor).ok_or_else(|| UnknownGame::new(id, &self.ids()))
    }

    /// The names of all games, in order.
    fn ids(&self) -> Vec<&'static str> {
        struct Id;
        impl Visit for Id {
            type Output = &'static str;
            fn visit<G: Game>(&mut self, entry: &Entry<G>) -> &'static str {
                entry.game.facts().id
            }
        }
        let mut ids = Vec::new();
        self.each(&mut Id, &mut ids);
        ids
    }
}

/// No game is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no game is called {id:?}; {advice}")]
pub struct UnknownGame {
    /// What was asked for.
    pub id: String,
    /// The name most like it, and all there are.
    pub advice: String,
}

impl UnknownGame {
    fn new(id: &str, known: &[&str]) -> Self {
        let advice = match nearest(id, known) {
            Some(nearest) => format!("did you mean {nearest}? Known games are {}", known.join(", ")),
            None => "this program knows no games".to_owned(),
        };
        Self { id: id.to_owned(), advice }
    }
}

/// The empty list.
pub struct End;

/// A list with `entry` after everything in `before`.
pub struct Listed<G: Game, Before> {
    before: Before,
    entry: Entry<G>,
}

/// Builds lists of games.
pub struct Registry<L>(L);

impl Registry<End> {
    /// The empty registry.
    #[must_use]
    pub fn new() -> Self {
        Registry(End)
    }
}

impl Default for Registry<End> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Games> Registry<L> {
    /// Adds a game at the end.
    #[must_use]
    pub fn with<G: Game>(self, entry: Entry<G>) -> Registry<Listed<G, L>> {
        Registry(Listed { before: self.0, entry })
    }
}

impl Games for End {
    fn each<V: Visit>(&self, _: &mut V, _: &mut Vec<V::Output>) {}
    fn find<V: Visit>(&self, _: &str, _: &mut V) -> Option<V::Output> {
        None
    }
}

impl<G: Game, Before: Games> Games for Listed<G, Before> {
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>) {
        self.before.each(visitor, out);
        out.push(visitor.visit(&self.entry));
    }

    fn find<V: Visit>(&self, id: &str, visitor: &mut V) -> Option<V::Output> {
        if self.entry.game.facts().id == id { Some(visitor.visit(&self.entry)) } else { self.before.find(id, visitor) }
    }
}

impl<L: Games> Games for Registry<L> {
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>) {
        self.0.each(visitor, out);
    }

    fn find<V: Visit>(&self, id: &str, visitor: &mut V) -> Option<V::Output> {
        self.0.find(id, visitor)
    }
}
