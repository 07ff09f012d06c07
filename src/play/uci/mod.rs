//! The Universal Chess Interface: a program on the other side of a pipe asks for moves (S. Meyer-Kahlen, 2000; R. Huber).
//!
//! Lines come from any reader and go to any writer. Whatever is not understood is ignored, as the protocol wants it, and changes nothing. A search runs on a
//! thread of its own, so that `isready` and `stop` are answered at once. The engine is made when the first search or `isready` asks for it: `uciok` waits for no file.
//!
//! Two things differ from what engines of chess alone do. Where our rules end a game that the other side plays on (a third repetition, fifty moves),
//! the position is taken as new. And a position in which the game is over is answered with the null move 0000.

mod clock;
mod command;
mod engine;
mod line;
mod options;
mod report;

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::agent::thinker::Thinker;
use crate::game::{Entry, Game, Notation, Position};
use command::Command;
use engine::{Engine, Search};
use line::Lines;
pub use options::Settings;

/// Where answers go; searches write too.
pub type Output = Arc<Mutex<dyn Write + Send>>;

/// Makes the engine that settings ask for. The error is for people.
pub type Make<'a, G> = dyn Fn(&Settings) -> Result<Box<dyn Thinker<G>>, String> + 'a;

/// Why a session ended early.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no engine.
    #[error("{0}")]
    Engine(String),
}

/// A session of the protocol over one game.
pub struct Session<'a, G: Game> {
    /// The game.
    pub entry: &'a Entry<G>,
    /// How it is written.
    pub notation: Arc<dyn Notation<State = G::State>>,
    /// Makes the engine.
    pub make: &'a Make<'a, G>,
    /// What may be set, as it is at the beginning.
    pub settings: Settings,
}

impl<G: Game> Session<'_, G> {
    /// Answers the lines of `input` until it ends or one of them is `quit`. At the end of the input a search that has a limit is waited for.
    ///
    /// # Errors
    /// When reading or writing fails, or the engine cannot be made.
    pub fn serve(self, input: impl BufRead, output: &Output) -> Result<(), UciError> {
        let mut lines = Lines::new(input);
        let mut state = Served {
            position: Position::initial(&self.entry.game),
            engine: None,
            running: None,
            settings: self.settings.clone(),
        };
        while let Some(line) = lines.next()? {
            match Command::read(&line) {
                Some(Command::Quit) => {
                    self.finish(&mut state, true);
                    return Ok(());
                }
                Some(command) => self.obey(command, &mut state, output)?,
                None => {}
            }
        }
        let bounded = state.running.as_ref().is_some_and(Search::is_bounded);
        self.finish(&mut state, !bounded);
        Ok(())
    }

    fn obey(&self, command: Command, state: &mut Served<G>, output: &Output) -> Result<(), UciError> {
        match command {
            Command::Uci => say(output, &self.introduction(&state.settings))?,
            Command::IsReady => {
                // One that thinks is there.
                if state.running.as_ref().is_none_or(Search::is_over) {
                    state.engine = Some(self.engine(state, output)?);
                }
                say(output, "readyok")?;
            }
            Command::NewGame => {
                self.finish(state, true);
                state.engine.iter_mut().for_each(|engine| engine.thinker.forget());
            }
            Command::SetOption { name, value } => {
                self.finish(state, true);
                if state.settings.set(&name, value.as_deref()) {
                    // The next search makes another.
                    state.engine = None;
                } else if options::is_clear(&name) {
                    state.engine.iter_mut().for_each(|engine| engine.thinker.forget());
                }
            }
            Command::Position { start, moves } => {
                self.finish(state, true);
                if let Some(position) = self.position(start.as_deref(), &moves) {
                    state.position = position;
                }
            }
            Command::Go(go) => {
                self.finish(state, true);
                let engine = self.engine(state, output)?;
                let notation = Arc::clone(&self.notation);
                state.running = Some(engine.go(&state.position, notation, &go, &state.settings, output));
            }
            Command::PonderHit => state.running.iter().for_each(Search::ponder_hit),
            Command::Stop => self.finish(state, true),
            Command::Show => say(output, self.entry.game.draw(state.position.state()).trim_end())?,
            Command::Quit => {}
        }
        Ok(())
    }

    /// Ends the running search, at once or when it has come to its limit, and takes its engine back.
    fn finish(&self, state: &mut Served<G>, at_once: bool) {
        if let Some(search) = state.running.take() {
            state.engine = search.finish(at_once);
        }
    }

    /// The engine, made if there is none.
    fn engine(&self, state: &mut Served<G>, output: &Output) -> Result<Engine<G>, UciError> {
        self.finish(state, true);
        if let Some(engine) = state.engine.take() {
            return Ok(engine);
        }
        match (self.make)(&state.settings) {
            Ok(thinker) => Ok(Engine { thinker }),
            Err(problem) => {
                say(output, &format!("info string {}", problem.replace('\n', " ")))?;
                Err(UciError::Engine(problem))
            }
        }
    }

    /// The position after moves, of which the first that is not legal ends the line; nothing where the start is no position.
    fn position(&self, start: Option<&str>, moves: &[String]) -> Option<Position<G>> {
        let game = &self.entry.game;
        let mut position = match start {
            None => Position::initial(game),
            Some(text) => Position::at(game, self.notation.read(text).ok()?),
        };
        for text in moves {
            position = self.going_on(position);
            if position.play_text(text).is_err() {
                return None;
            }
        }
        Some(self.going_on(position))
    }

    /// The position, taken as new where the rules have ended the game for what was before.
    fn going_on(&self, position: Position<G>) -> Position<G> {
        if self.entry.game.ends_by_past(position.state()) {
            return Position::at(&self.entry.game, self.notation.forget(position.state()));
        }
        position
    }

    fn introduction(&self, settings: &Settings) -> String {
        let name = format!("id name {} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        format!("{name}\nid author the plyzero authors\n{}\nuciok", settings.describe())
    }
}

/// What a session has come to.
struct Served<G: Game> {
    position: Position<G>,
    /// The engine while it does not think.
    engine: Option<Engine<G>>,
    running: Option<Search<G>>,
    settings: Settings,
}

/// Writes lines, and lets the other side have them.
fn say(output: &Output, text: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(output, "{text}")?;
    output.flush()
}
