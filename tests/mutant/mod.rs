//! A sound game with one part of it replaced: what a property of the conformance suite must notice.

use plyzero::game::{Action, Entry, Facts, Game, Knowledge, Outcome, ParseMoveError, Payoff, Symmetry, Turn};

/// The results of chance, with their probabilities.
pub type Lots = Vec<(Outcome, f32)>;

/// `sound`, but for what is set otherwise. It knows no more of its positions than that they are even.
pub struct Mutant<G: Game> {
    pub sound: G,
    pub facts: Facts,
    pub symmetries: Vec<Symmetry>,
    pub turn: fn(&G, &G::State) -> Turn,
    pub actions: fn(&G, &G::State, &mut Vec<Action>),
    pub outcomes: fn(&G, &G::State, &mut Lots),
    pub play: fn(&G, &mut G::State, Action),
    pub roll: fn(&G, &mut G::State, Outcome),
    pub encode: fn(&G, &G::State, &mut [f32]),
    pub transform: fn(&G, &G::State, &Symmetry) -> G::State,
    pub key: fn(&G, &G::State) -> u64,
    pub draw: fn(&G, &G::State) -> String,
    pub label: fn(&G, &G::State, Action) -> String,
    pub parse: fn(&G, &G::State, &str) -> Result<Action, ParseMoveError>,
    pub heuristic: fn(&G, &G::State) -> Payoff,
    pub is_threatened: fn(&G, &G::State) -> bool,
    pub ordering: fn(&G, &G::State, Action) -> i32,
}

impl<G: Game> Mutant<G> {
    /// Nothing replaced yet.
    pub fn of(sound: G) -> Self {
        Self {
            facts: sound.facts().clone(),
            symmetries: sound.symmetries().to_vec(),
            sound,
            turn: G::turn,
            actions: G::actions,
            outcomes: G::outcomes,
            play: G::play,
            roll: G::roll,
            encode: G::encode,
            transform: G::transform,
            key: G::key,
            draw: G::draw,
            label: G::label,
            parse: G::parse,
            heuristic: |_, _| Payoff::DRAW,
            is_threatened: |_, _| false,
            ordering: |_, _, _| 0,
        }
    }

    /// As a program lists it.
    pub fn entry(self) -> Entry<Self> {
        Entry::new(self, "a game with a fault").knowledge()
    }
}

impl<G: Game> Game for Mutant<G> {
    type State = G::State;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> G::State {
        self.sound.initial()
    }

    fn turn(&self, state: &G::State) -> Turn {
        (self.turn)(&self.sound, state)
    }

    fn actions(&self, state: &G::State, out: &mut Vec<Action>) {
        (self.actions)(&self.sound, state, out);
    }

    fn outcomes(&self, state: &G::State, out: &mut Vec<(Outcome, f32)>) {
        (self.outcomes)(&self.sound, state, out);
    }

    fn play(&self, state: &mut G::State, action: Action) {
        (self.play)(&self.sound, state, action);
    }

    fn roll(&self, state: &mut G::State, outcome: Outcome) {
        (self.roll)(&self.sound, state, outcome);
    }

    fn encode(&self, state: &G::State, planes: &mut [f32]) {
        (self.encode)(&self.sound, state, planes);
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &G::State, by: &Symmetry) -> G::State {
        (self.transform)(&self.sound, state, by)
    }

    fn key(&self, state: &G::State) -> u64 {
        (self.key)(&self.sound, state)
    }

    fn draw(&self, state: &G::State) -> String {
        (self.draw)(&self.sound, state)
    }

    fn label(&self, state: &G::State, action: Action) -> String {
        (self.label)(&self.sound, state, action)
    }

    fn parse(&self, state: &G::State, text: &str) -> Result<Action, ParseMoveError> {
        (self.parse)(&self.sound, state, text)
    }
}

impl<G: Game> Knowledge for Mutant<G> {
    fn heuristic(&self, state: &G::State) -> Payoff {
        (self.heuristic)(&self.sound, state)
    }

    fn is_threatened(&self, state: &G::State) -> bool {
        (self.is_threatened)(&self.sound, state)
    }

    fn ordering(&self, state: &G::State, action: Action) -> i32 {
        (self.ordering)(&self.sound, state, action)
    }
}
