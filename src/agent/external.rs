//! An engine that is another program: it is spoken to in the Universal Chess Interface.
//!
//! Whatever it does wrong is a forfeit of its own with a reason: that it cannot be started, ends, says nothing in time, or names an illegal move. It is
//! started for its first move and ended with its agent.

mod opinion;

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Agent, Forfeit};
use crate::game::{Action, Game, Notation, Position, Step};
use crate::rng::Rng;
use crate::search::Decision;
use opinion::Opinion;

/// How the program is run, and what it may spend.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
    /// Its own options, with their values.
    pub(super) options: Vec<(String, String)>,
    /// What follows `go`.
    pub(super) limit: String,
    /// How long it may take to answer: to its start, and to a move.
    pub(super) patience: [Duration; 2],
}

/// The agent.
pub(super) struct External<G: Game> {
    name: String,
    program: Program,
    notation: Arc<dyn Notation<State = G::State>>,
    link: Option<Link>,
}

impl<G: Game> External<G> {
    pub(super) fn new(name: &str, program: Program, notation: Arc<dyn Notation<State = G::State>>) -> Self {
        Self { name: name.to_owned(), program, notation, link: None }
    }

    /// The move that the program chooses, or what it did wrong.
    fn ask(&mut self, position: &Position<G>) -> Result<(Action, Opinion), String> {
        let link = match self.link.take() {
            Some(link) => link,
            None => Link::start(&self.program)?,
        };
        // It is gone if anything goes wrong.
        let link = self.link.insert(link);
        let moves = moves(position);
        let start = self.notation.write(position.start());
        link.say(&format!("position fen {start}{}{moves}", if moves.is_empty() { "" } else { " moves" }))?;
        link.say(&format!("go {}", self.program.limit))?;
        let mut opinion = Opinion::default();
        let answer = link.until("bestmove", self.program.patience[1], &mut |line| opinion.hear(line))?;
        let text = answer.split_whitespace().nth(1).unwrap_or_default();
        let action = position.game().parse(position.state(), text);
        let action = action.map_err(|error| format!("it chose a move that is not legal: {error}"))?;
        Ok((action, opinion))
    }
}

/// The moves that led to a position, each behind a blank.
fn moves<G: Game>(position: &Position<G>) -> String {
    let (game, mut state) = (position.game(), position.start().clone());
    let mut text = String::new();
    for &step in position.steps() {
        if let Step::Move(action) = step {
            text += " ";
            text += &game.label(&state, action);
            game.play(&mut state, action);
        }
    }
    text
}

impl<G: Game> Agent<G> for External<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, position: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        match self.ask(position) {
            Ok((action, opinion)) => Ok(opinion.decision(position, self.notation.as_ref(), action)),
            Err(reason) => {
                self.link = None;
                Err(Forfeit { agent: self.name.clone(), reason })
            }
        }
    }
}

/// A running program.
struct Link {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Link {
    /// Bytes of a line that are read; the rest of a longer one is taken for another.
    const LONGEST: u64 = 1 << 16;

    fn start(program: &Program) -> Result<Self, String> {
        let mut command = Command::new(&program.command);
        let command = command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{} cannot be run: {error}", program.command))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{} has no input or no output", program.command));
        };
        // Bounded, so that a program that talks without end waits.
        let (sender, lines) = sync_channel(1024);
        thread::spawn(move || read(output, |line| sender.send(line).is_ok()));
        let mut link = Self { child, input, lines };
        let patience = program.patience[0];
        link.say("uci")?;
        link.until("uciok", patience, &mut |_| {})?;
        for (name, value) in &program.options {
            link.say(&format!("setoption name {name} value {value}"))?;
        }
        link.say("ucinewgame")?;
        link.say("isready")?;
        link.until("readyok", patience, &mut |_| {})?;
        Ok(link)
    }

    fn say(&mut self, text: &str) -> Result<(), String> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|error| format!("it does not listen any more: {error}"))
    }

    /// The next line whose first word is `word`; those before it go to `heard`.
    fn until(&mut self, word: &str, patience: Duration, heard: &mut dyn FnMut(&str)) -> Result<String, String> {
        let begun = Instant::now();
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.split_whitespace().next() == Some(word) => return Ok(line),
                Ok(line) if !left.is_zero() => heard(&line),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("it did not say {word} within {:.1} s", patience.as_secs_f64()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(format!("it ended before it said {word}")),
            }
        }
    }
}

/// Gives the lines of a program to `take` until that or the program ends.
fn read(output: ChildStdout, take: impl Fn(String) -> bool) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let mut next = || -> io::Result<String> {
        line.clear();
        output.by_ref().take(Link::LONGEST).read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    };
    while let Ok(line) = next()
        && !line.is_empty()
        && take(line)
    {}
}

impl Drop for Link {
    fn drop(&mut self) {
        // It may be gone already, or hang.
        let _ = self.say("quit");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
