//! Games that were played, as text: a list of them, or one move by move.
//!
//! Where they come from is not this module's business: whoever has some puts them into the one form here. A game that does not
//! follow the rules is refused as a whole, so that nothing is shown that was not played.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::wording;
use crate::game::{Action, Entry, Facts, Game, Payoff, Player, Position, Step, Turn};

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its number in the collection that it belongs to.
    pub number: u64,
    /// Its place there, such as `pairing 2, game 5`.
    pub place: String,
    /// Who played for [`Player::First`] and [`Player::Second`].
    pub players: [String; 2],
    /// Plies of its opening, which the players did not choose.
    pub opening: usize,
    /// The position it began with, in the notation of the game, where that is not the initial one.
    pub start: Option<String>,
    /// All plies from there.
    pub plies: Vec<RecordedPly>,
    /// How it ended.
    pub ending: RecordedEnding,
}

/// A ply of such a game.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPly {
    /// What happened.
    pub step: Step,
    /// How often a search visited each move; empty where nothing is known of one.
    pub visits: Vec<(Action, u32)>,
    /// What that search thought of the position before the ply.
    pub value: Option<Payoff>,
    /// More of that search, where it is known.
    pub search: Option<Searched>,
}

/// How the move of a ply was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// How deep the search was, in plies.
    pub depth: Option<u32>,
    /// Plies to the end of the game, where it saw that.
    pub plies_to_end: Option<u32>,
    /// How long it took, in milliseconds.
    pub millis: u32,
}

/// How such a game ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedEnding {
    /// By the rules.
    Over(Payoff),
    /// Before its end by the rules, where a search had proven how it would be.
    Proven(Payoff),
    /// Before its end by the rules, because both players had been saying for some time that it would end so.
    Adjudicated(Payoff),
    /// This player lost, for this reason.
    Forfeited(Player, String),
    /// Not at all, within its longest length.
    Unfinished,
}

/// A game that the rules do not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it does not follow the rules of {game} after {}; was it another game?", wording::plies(*.plies))]
pub struct UnknownPlay {
    /// The game whose rules they are.
    pub game: String,
    /// Plies that follow them.
    pub plies: usize,
}

impl Recorded {
    /// The position it began with.
    ///
    /// # Errors
    /// When the rules do not know it.
    pub fn begin<G: Game>(&self, entry: &Entry<G>) -> Result<Position<G>, UnknownPlay> {
        entry.start(self.start.as_deref()).ok_or_else(|| UnknownPlay { game: entry.game.facts().id.clone(), plies: 0 })
    }
}

/// A line about each game: its number and place, who played, who won and how long it was.
#[must_use]
pub fn list(games: &[Recorded]) -> String {
    let width = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let place = width(&mut games.iter().map(|game| &game.place));
    let player = width(&mut games.iter().flat_map(|game| &game.players));
    let mut text = String::new();
    for game in games {
        let ([first, second], score) = (&game.players, score(&game.ending));
        let length = wording::plies(game.plies.len());
        let _ = writeln!(
            text,
            "{:>6}  {:<place$}  X {first:<player$}  O {second:<player$}  {score:<11} {length}",
            game.number, game.place
        );
    }
    text
}

/// A game move by move: the board after each ply, who played what, what a search thought of it, and how it ended.
///
/// # Errors
/// When it does not follow the rules.
pub fn show<G: Game>(entry: &Entry<G>, recorded: &Recorded) -> Result<String, UnknownPlay> {
    let (game, [first, second]) = (&entry.game, &recorded.players);
    let mut position = recorded.begin(entry)?;
    let mut text = format!(
        "game {} ({}): X is {first}, O is {second}\n\n{}\n",
        recorded.number,
        recorded.place,
        game.draw(position.state())
    );
    for (ply, at) in recorded.plies.iter().zip(0..) {
        let unknown = UnknownPlay { game: game.facts().id.clone(), plies: at };
        text += &describe(&position, ply, (at >= recorded.opening).then_some(&recorded.players)).ok_or(unknown)?;
        position.take(ply.step);
        let _ = writeln!(text, "\n{}", game.draw(position.state()));
    }
    let follows = match (&recorded.ending, position.turn()) {
        (RecordedEnding::Over(payoff), Turn::Over(found)) => *payoff == found,
        (RecordedEnding::Over(_), _) | (_, Turn::Over(_)) => false,
        _ => true,
    };
    if follows {
        Ok(text + &ending(game.facts(), recorded))
    } else {
        Err(UnknownPlay { game: game.facts().id.clone(), plies: recorded.plies.len() })
    }
}

/// A ply in words, a line and perhaps one about a search, if it is legal here; without players it belongs to the opening.
fn describe<G: Game>(position: &Position<G>, ply: &RecordedPly, players: Option<&[String; 2]>) -> Option<String> {
    let (game, state) = (position.game(), position.state());
    match (position.turn(), ply.step) {
        (Turn::Move(mover), Step::Move(action)) => {
            let legal = position.actions();
            if !ply.visits.iter().map(|(action, _)| action).chain([&action]).all(|action| legal.contains(action)) {
                return None;
            }
            let (mark, label) = (mover.mark(), game.label(state, action));
            let player = players.map_or("The opening", |players| players[mover.index()].as_str());
            let mut text = format!("{player} ({mark}) plays {label}{}.\n", value(ply, mover));
            let mut visits = ply.visits.clone();
            visits.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
            let visits: Vec<String> =
                visits.iter().map(|&(action, visits)| format!("{} {visits}", game.label(state, action))).collect();
            if !visits.is_empty() {
                let _ = writeln!(text, "Visits: {}", visits.join(", "));
            }
            Some(text)
        }
        (Turn::Chance, Step::Chance(outcome)) => {
            position.outcomes().contains(&outcome).then(|| format!("Chance has acted: {outcome}.\n"))
        }
        _ => None,
    }
}

fn value(ply: &RecordedPly, mover: Player) -> String {
    ply.value.map_or(String::new(), |value| format!(" (value {} for it)", wording::utility(value.of(mover))))
}

/// Who won, as `1-0` and the like.
pub(super) fn score(ending: &RecordedEnding) -> &'static str {
    match ending {
        RecordedEnding::Over(payoff) | RecordedEnding::Proven(payoff) | RecordedEnding::Adjudicated(payoff) => {
            match winner(*payoff) {
                Some(Player::First) => "1-0",
                Some(Player::Second) => "0-1",
                None => "1/2-1/2",
            }
        }
        RecordedEnding::Forfeited(Player::First, _) => "0-1 forfeit",
        RecordedEnding::Forfeited(Player::Second, _) => "1-0 forfeit",
        RecordedEnding::Unfinished => "unfinished",
    }
}

/// Whom a payoff is better for.
pub(super) fn winner(payoff: Payoff) -> Option<Player> {
    match payoff.of(Player::First).partial_cmp(&payoff.of(Player::Second))? {
        Ordering::Greater => Some(Player::First),
        Ordering::Less => Some(Player::Second),
        Ordering::Equal => None,
    }
}

fn ending(facts: &Facts, recorded: &Recorded) -> String {
    let length = wording::plies(recorded.plies.len());
    let wins = |player: Player| format!("{} ({}) wins after {length}.", recorded.players[player.index()], player.mark());
    let told = |result: String, payoff: Payoff| {
        let [first, second] = Player::BOTH.map(|player| wording::utility(payoff.of(player)));
        // Where there is more than winning and losing, the figures say what the words do not.
        if facts.wdl { result } else { format!("{result} Utility: {first} for X, {second} for O.") }
    };
    match &recorded.ending {
        RecordedEnding::Over(payoff) => told(winner(*payoff).map_or_else(|| format!("A draw after {length}."), wins), *payoff),
        RecordedEnding::Proven(payoff) => {
            let who = |player: Player| format!("a win of {} ({})", recorded.players[player.index()], player.mark());
            let what = winner(*payoff).map_or_else(|| "a draw".to_owned(), who);
            told(format!("The game ends after {length}: a search has proven {what}."), *payoff)
        }
        RecordedEnding::Adjudicated(payoff) => {
            let what = winner(*payoff).map_or_else(
                || "a draw".to_owned(),
                |player| format!("a win of {} ({})", recorded.players[player.index()], player.mark()),
            );
            told(format!("The game ends after {length}: both players hold it for {what}."), *payoff)
        }
        RecordedEnding::Forfeited(loser, reason) => format!("{reason}. {}", wins(loser.other())),
        RecordedEnding::Unfinished => format!("The game is unfinished after {length}, its longest length: nobody wins."),
    }
}
