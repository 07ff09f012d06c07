//! A game between a person and an agent over text: any reader and writer will do, so that it can be scripted.
//!
//! Rule: the position is drawn after every ply; whatever the person says is a move if it names a legal one, else a command,
//! else answered with the legal moves. Nothing the person says, and no end of the input, is an error.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use super::command::Command;
use super::wording;
use crate::agent::{Agent, AgentFactory, Forfeit, decide_legally};
use crate::game::{Action, Game, ParseMoveError, Payoff, Player, Position, Step, Turn};
use crate::rng::{self, Rng};
use crate::search::Decision;

/// A person and an agent about to play.
pub struct Table<G: Game> {
    /// The rules.
    pub game: Arc<G>,
    /// Makes the person's opponent, and one more for each piece of advice, so that asking for it changes no game.
    pub agent: AgentFactory<G>,
    /// The person's side; as `Second` the person lets the agent open.
    pub human: Player,
    /// The agent and chance draw from the stream `(seed, "play", 0)`, advice from `(seed, "advice", ply)`.
    pub seed: u64,
    /// Whether to ask for moves with a prompt, as one does where a person and not a script types.
    pub show_prompt: bool,
}

impl<G: Game> Table<G> {
    /// Plays a game: reads moves and commands from `input`, one a line, and tells everything to `output`.
    ///
    /// Returns how the game ended, an agent that gives up losing it; nothing where the person left, the input ended, or the game
    /// reached its longest length undecided.
    ///
    /// # Errors
    /// When `input` cannot be read or `output` not be written.
    pub fn play(self, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Option<Payoff>> {
        let agent = (self.agent)();
        Session {
            position: Position::initial(&self.game),
            name: agent.name().to_owned(),
            agent,
            rng: rng::stream(self.seed, "play", 0),
            answered: Vec::new(),
            table: self,
            input,
            output,
        }
        .play()
    }
}

/// A game in progress.
struct Session<'a, G: Game> {
    table: Table<G>,
    agent: Box<dyn Agent<G>>,
    name: String,
    position: Position<G>,
    rng: Rng,
    /// The lengths, in plies, at which the person moved: where `undo` returns to.
    answered: Vec<usize>,
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

/// What a turn of the game came to.
enum Flow {
    Continue,
    End(Option<Payoff>),
}

impl<G: Game> Session<'_, G> {
    fn play(mut self) -> io::Result<Option<Payoff>> {
        self.greet()?;
        self.draw()?;
        loop {
            let flow = match self.position.turn() {
                Turn::Over(payoff) => self.over(payoff)?,
                _ if self.length() >= self.table.game.facts().max_plies => self.unfinished()?,
                Turn::Chance => self.chance()?,
                Turn::Move(mover) if mover == self.table.human => self.person()?,
                Turn::Move(_) => self.agent()?,
            };
            if let Flow::End(payoff) = flow {
                self.output.flush()?;
                return Ok(payoff);
            }
        }
    }

    fn length(&self) -> usize {
        self.position.steps().len()
    }

    fn greet(&mut self) -> io::Result<()> {
        let (game, human) = (&self.table.game.facts().id, self.table.human);
        let (own, other) = (human.mark(), human.other().mark());
        let opener = if human == Player::First { "you open" } else { "it opens" };
        writeln!(self.output, "{game}: you are {own}, {} is {other}; {opener}. Say help for the commands.", self.name)
    }

    fn draw(&mut self) -> io::Result<()> {
        write!(self.output, "\n{}\n", self.table.game.draw(self.position.state()))
    }

    fn over(&mut self, payoff: Payoff) -> io::Result<Flow> {
        let ending = wording::ending(self.table.game.facts(), payoff, self.table.human, &self.name, self.length());
        writeln!(self.output, "{ending}")?;
        Ok(Flow::End(Some(payoff)))
    }

    fn unfinished(&mut self) -> io::Result<Flow> {
        writeln!(
            self.output,
            "The game is unfinished after {}, its longest length: nobody wins.",
            wording::plies(self.length())
        )?;
        Ok(Flow::End(None))
    }

    fn chance(&mut self) -> io::Result<Flow> {
        let before = self.length();
        self.position.settle(&mut self.rng);
        let result = |step: &Step| if let Step::Chance(outcome) = step { Some(outcome.to_string()) } else { None };
        let results: Vec<String> = self.position.steps()[before..].iter().filter_map(result).collect();
        writeln!(self.output, "Chance has acted: {}.", results.join(" "))?;
        self.draw()?;
        Ok(Flow::Continue)
    }

    /// One ply of the agent.
    fn agent(&mut self) -> io::Result<Flow> {
        let player = self.table.human.other();
        writeln!(self.output, "{} is to move ({}).", self.name, player.mark())?;
        self.output.flush()?;
        match decide_legally(self.agent.as_mut(), &self.position, &mut self.rng) {
            Ok(decision) => {
                let label = self.label(decision.action);
                writeln!(self.output, "{} plays {label}{}.", self.name, wording::judgement(&decision, player, "it"))?;
                self.position.play(decision.action);
                self.draw()?;
                Ok(Flow::Continue)
            }
            Err(forfeit) => {
                writeln!(self.output, "{forfeit}. You win after {}.", wording::plies(self.length()))?;
                Ok(Flow::End(Some(Payoff::win(self.table.human))))
            }
        }
    }

    /// One answer of the person, who may have to be asked again.
    fn person(&mut self) -> io::Result<Flow> {
        writeln!(self.output, "Your turn ({}).", self.table.human.mark())?;
        loop {
            let Some(text) = self.ask()? else { return self.leave() };
            let refusal = match self.table.game.parse(self.position.state(), &text) {
                Ok(action) => {
                    self.answered.push(self.length());
                    self.position.play(action);
                    self.draw()?;
                    return Ok(Flow::Continue);
                }
                Err(refusal) => refusal,
            };
            match Command::parse(&text) {
                Some(Command::Quit) => return self.leave(),
                Some(Command::Undo) => {
                    if self.undo()? {
                        return Ok(Flow::Continue);
                    }
                }
                Some(command) => self.tell(command)?,
                None => self.refuse(&refusal)?,
            }
        }
    }

    /// The next line, without its end; nothing at the end of the input.
    fn ask(&mut self) -> io::Result<Option<String>> {
        if self.table.show_prompt {
            write!(self.output, "> ")?;
        }
        self.output.flush()?;
        let mut line = Vec::new();
        let length = self.input.read_until(b'\n', &mut line)?;
        if length == 0 && self.table.show_prompt {
            writeln!(self.output)?;
        }
        // Bytes that are no text are bad text, not an error.
        Ok((length > 0).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
    }

    fn leave(&mut self) -> io::Result<Flow> {
        writeln!(self.output, "Goodbye. The game ends here, undecided after {}.", wording::plies(self.length()))?;
        Ok(Flow::End(None))
    }

    fn refuse(&mut self, refusal: &ParseMoveError) -> io::Result<()> {
        writeln!(self.output, "{refusal}")
    }

    /// Takes back the person's last move and all that followed; false, with a word why, where there is none.
    fn undo(&mut self) -> io::Result<bool> {
        let Some(length) = self.answered.pop() else {
            writeln!(self.output, "There is nothing to undo: you have not moved yet.")?;
            return Ok(false);
        };
        let taken = self.length() - length;
        self.position = self.position.before(taken);
        writeln!(self.output, "{} taken back.", wording::plies(taken))?;
        self.draw()?;
        Ok(true)
    }

    /// Answers a command that leaves the game as it is.
    fn tell(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Hint => self.hint(),
            Command::Show => self.show(),
            Command::Moves => writeln!(self.output, "Legal moves: {}", wording::moves(&self.position)),
            Command::Board => self.draw(),
            _ => self.help(),
        }
    }

    fn help(&mut self) -> io::Result<()> {
        writeln!(self.output, "Type a move ({}) or one of these:", wording::moves(&self.position))?;
        Command::ALL.iter().try_for_each(|(_, name, purpose)| writeln!(self.output, "  {name:<6} {purpose}"))
    }

    fn hint(&mut self) -> io::Result<()> {
        match self.advise() {
            Ok(decision) => {
                let (label, judgement) = (self.label(decision.action), wording::judgement(&decision, self.table.human, "you"));
                writeln!(self.output, "{} would play {label}{judgement}.", self.name)
            }
            Err(forfeit) => writeln!(self.output, "No hint: {forfeit}."),
        }
    }

    fn show(&mut self) -> io::Result<()> {
        match self.advise() {
            Ok(decision) => {
                let table = wording::table(&self.position, &decision, self.table.human);
                writeln!(self.output, "Your moves as {} sees them, values for you:\n{table}", self.name)
            }
            Err(forfeit) => writeln!(self.output, "Nothing to show: {forfeit}."),
        }
    }

    /// What the agent would do in the person's place: an agent and a stream of their own, so that asking changes nothing.
    fn advise(&self) -> Result<Decision, Forfeit> {
        let mut rng = rng::stream(self.table.seed, "advice", self.length() as u64);
        decide_legally((self.table.agent)().as_mut(), &self.position, &mut rng)
    }

    fn label(&self, action: Action) -> String {
        self.table.game.label(self.position.state(), action)
    }
}
