//! The list of games a program knows. It is a list of types, so that each command is compiled for each game and nothing is
//! erased; a stranger's crate extends it with one call of [`Registry::with`]. A game with options is made when it is asked for.

use std::sync::Arc;

use super::{Game, GameOption, InvalidGame, Knowledge, Known, Notation, Position, ShowStones, Variant};

/// A game with what a program may know beside its rules.
pub struct Entry<G: Game> {
    /// The rules.
    pub game: Arc<G>,
    /// Hand-written judgement for classical search, where there is one.
    pub knowledge: Option<Known<G::State>>,
    /// Positions and moves as other programs write them, where the game has such a notation.
    pub notation: Option<Arc<dyn Notation<State = G::State>>>,
    /// A configuration (TOML) that trains this game.
    pub config: Option<&'static str>,
    /// Whether all positions can be visited one by one, so that a network can be compared with perfect play in each.
    pub enumerable: bool,
    /// Shows a position to the solver of four in a row, where the game is one.
    pub four_in_a_row: Option<ShowStones<G::State>>,
    /// Networks that are shipped with the program, the strongest first.
    pub networks: &'static [ShippedNetwork],
    /// Opponents for people, the weakest first.
    pub ladder: &'static [Rung],
    /// A line for people.
    pub summary: &'static str,
    /// The options that the game was made with; the list fills them in.
    pub options: Vec<GameOption>,
}

/// What agents call the strongest network that a game is shipped with.
pub const SHIPPED: &str = "builtin";

/// A network that is shipped with the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedNetwork {
    /// What tells it from the game's others.
    pub name: &'static str,
    /// The file.
    pub bytes: &'static [u8],
}

/// An opponent of a ladder.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The specification of the agent.
    pub agent: &'static str,
    /// Its strength in Elo points above random play.
    pub elo: i32,
}

impl<G: Game> Entry<G> {
    /// An entry with rules alone.
    #[must_use]
    pub fn new(game: G, summary: &'static str) -> Self {
        Self {
            game: Arc::new(game),
            knowledge: None,
            notation: None,
            config: None,
            enumerable: false,
            four_in_a_row: None,
            networks: &[],
            ladder: &[],
            summary,
            options: Vec::new(),
        }
    }

    /// The position that `text` describes in the game's notation, or the initial one without a text; nothing where it describes none.
    #[must_use]
    pub fn start(&self, text: Option<&str>) -> Option<Position<G>> {
        let Some(text) = text else { return Some(Position::initial(&self.game)) };
        Some(Position::at(&self.game, self.notation.as_ref()?.read(text).ok()?))
    }

    /// Adds the configuration that trains this game.
    #[must_use]
    pub fn config(mut self, toml: &'static str) -> Self {
        self.config = Some(toml);
        self
    }

    /// Adds networks that play the game, the strongest first, and a ladder of opponents, the weakest first.
    #[must_use]
    pub fn shipped(mut self, networks: &'static [ShippedNetwork], ladder: &'static [Rung]) -> Self {
        (self.networks, self.ladder) = (networks, ladder);
        self
    }

    /// The file of the shipped network that agents call `name`: [`SHIPPED`] the strongest, and with a colon and its own name any.
    #[must_use]
    pub fn network(&self, name: &str) -> Option<&'static [u8]> {
        let rest = name.strip_prefix(SHIPPED)?;
        let mut networks = self.networks.iter();
        let found = match rest.strip_prefix(':') {
            Some(own) => networks.find(|network| network.name == own),
            None => networks.next().filter(|_| rest.is_empty()),
        };
        found.map(|network| network.bytes)
    }

    /// Says that all positions can be visited one by one.
    #[must_use]
    pub fn enumerable(mut self) -> Self {
        self.enumerable = true;
        self
    }

    /// Says that the game is four in a row on seven columns of six cells, with gravity, and how to see that in its states: it then
    /// has perfect play. Action c is column c from the left, in this order among the legal moves.
    #[must_use]
    pub fn four_in_a_row(mut self, show: ShowStones<G::State>) -> Self {
        self.four_in_a_row = Some(show);
        self
    }
}

impl<G: Knowledge> Entry<G> {
    /// Lets classical search use the game's hand-written judgement.
    #[must_use]
    pub fn knowledge(mut self) -> Self {
        self.knowledge = Some(Arc::clone(&self.game) as Known<G::State>);
        self
    }
}

impl<G: Notation> Entry<G> {
    /// Lets commands read and write positions in the game's notation.
    #[must_use]
    pub fn notation(mut self) -> Self {
        self.notation = Some(Arc::clone(&self.game) as Arc<dyn Notation<State = G::State>>);
        self
    }
}

impl<G: Game> Clone for Entry<G> {
    fn clone(&self) -> Self {
        let (game, options) = (Arc::clone(&self.game), self.options.clone());
        Self { game, options, knowledge: self.knowledge.clone(), notation: self.notation.clone(), ..*self }
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
    /// Visits every game, in order, with its options as they are by default.
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>);

    /// Visits the game that `variant` names, if there is one.
    ///
    /// # Errors
    /// When the game has no such variant.
    fn find<V: Visit>(&self, variant: &Variant, visitor: &mut V) -> Option<Result<V::Output, InvalidGame>>;

    /// Visits the game called `name`, options included.
    ///
    /// # Errors
    /// When no game is called so, or it has no such options; the error names those there are.
    fn dispatch<V: Visit>(&self, name: &str, visitor: &mut V) -> Result<V::Output, InvalidGame> {
        let variant = Variant::parse(name)?;
        self.find(&variant, visitor).unwrap_or_else(|| Err(InvalidGame::unknown(variant.game(), &self.ids())))
    }

    /// The one name of the game called `name` that files know it by ([`Variant::name`]).
    ///
    /// # Errors
    /// As [`Games::dispatch`].
    fn canonical(&self, name: &str) -> Result<String, InvalidGame> {
        self.dispatch(name, &mut Id)
    }

    /// The names of all games, in order.
    fn ids(&self) -> Vec<String> {
        let mut ids = Vec::new();
        self.each(&mut Id, &mut ids);
        ids
    }
}

struct Id;

impl Visit for Id {
    type Output = String;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> String {
        entry.game.facts().id.clone()
    }
}

/// The empty list.
pub struct End;

/// Makes a game in the variant that is asked for.
type Make<G> = dyn Fn(&mut Variant) -> Result<Entry<G>, InvalidGame> + Send + Sync;

/// A list with a game after everything in `before`.
pub struct Listed<G: Game, Before> {
    before: Before,
    /// The game's name without options.
    name: String,
    make: Box<Make<G>>,
}

impl<G: Game, Before> Listed<G, Before> {
    fn entry(&self, mut variant: Variant) -> Result<Entry<G>, InvalidGame> {
        let mut entry = (self.make)(&mut variant)?;
        entry.options = variant.finish()?;
        Ok(entry)
    }
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
        let name = entry.game.facts().id.clone();
        Registry(Listed { before: self.0, name, make: Box::new(move |_| Ok(entry.clone())) })
    }

    /// Adds a game with options at the end: `make` asks for them, and gives the game the name that they make of `name`.
    #[must_use]
    pub fn with_options<G: Game>(
        self,
        name: &str,
        make: impl Fn(&mut Variant) -> Result<Entry<G>, InvalidGame> + Send + Sync + 'static,
    ) -> Registry<Listed<G, L>> {
        Registry(Listed { before: self.0, name: name.to_owned(), make: Box::new(make) })
    }
}

impl Games for End {
    fn each<V: Visit>(&self, _: &mut V, _: &mut Vec<V::Output>) {}
    fn find<V: Visit>(&self, _: &Variant, _: &mut V) -> Option<Result<V::Output, InvalidGame>> {
        None
    }
}

impl<G: Game, Before: Games> Games for Listed<G, Before> {
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>) {
        self.before.each(visitor, out);
        // A game that refuses its own defaults has nothing to show; asked for by name, it says why.
        out.extend(self.entry(Variant::plain(&self.name)).map(|entry| visitor.visit(&entry)));
    }

    fn find<V: Visit>(&self, variant: &Variant, visitor: &mut V) -> Option<Result<V::Output, InvalidGame>> {
        if variant.game() == self.name {
            Some(self.entry(variant.clone()).map(|entry| visitor.visit(&entry)))
        } else {
            self.before.find(variant, visitor)
        }
    }
}

impl<L: Games> Games for Registry<L> {
    fn each<V: Visit>(&self, visitor: &mut V, out: &mut Vec<V::Output>) {
        self.0.each(visitor, out);
    }

    fn find<V: Visit>(&self, variant: &Variant, visitor: &mut V) -> Option<Result<V::Output, InvalidGame>> {
        self.0.find(variant, visitor)
    }
}
