//! Writing: a game with what its players thought of it, evaluations (`%eval`, for White, in pawns or as `#` with moves to the mate, with the
//! depth) and the time of each move (`%emt`).

use std::fmt::Write as _;

use crate::game::{Entry, Game, Notation, Player, Position, Step, Turn};
use crate::play::replay::{Recorded, RecordedEnding, RecordedPly, UnknownPlay, score, winner};

/// Columns of a line of moves.
const WIDTH: usize = 80;
/// Pawns that stand for an advantage beyond measure.
const MOST: f32 = 200.0;

/// A game that was played in the event of this name.
///
/// # Errors
/// When it does not follow the rules.
pub fn write<G: Game>(
    entry: &Entry<G>,
    notation: &dyn Notation<State = G::State>,
    recorded: &Recorded,
    event: &str,
) -> Result<String, UnknownPlay> {
    let mut position = recorded.begin(entry)?;
    let start = notation.write(position.start());
    let mut number = start.split_whitespace().nth(5).and_then(|field| field.parse().ok()).unwrap_or(1_u32);
    let mut words: Vec<String> = Vec::new();
    for (ply, at) in recorded.plies.iter().zip(0..) {
        let unknown = || UnknownPlay { game: entry.game.facts().id.clone(), plies: at };
        let (Turn::Move(mover), Step::Move(action)) = (position.turn(), ply.step) else { return Err(unknown()) };
        if !position.allows(ply.step) {
            return Err(unknown());
        }
        match mover {
            Player::First => words.push(format!("{number}.")),
            Player::Second if at == 0 => words.push(format!("{number}...")),
            Player::Second => {}
        }
        number += u32::from(mover == Player::Second);
        words.push(notation.short(position.state(), action));
        words.extend(comment::<G>(notation, ply));
        position.play(action);
    }
    if let RecordedEnding::Forfeited(_, reason) = &recorded.ending {
        words.extend(format!("{{{}}}", reason.replace('}', ")")).split(' ').map(str::to_owned));
    }
    let result = result(&recorded.ending);
    words.push(result.to_owned());
    Ok(format!("{}\n{}", tags(entry, notation, recorded, &position, event), wrapped(&words)))
}

fn tags<G: Game>(
    entry: &Entry<G>,
    notation: &dyn Notation<State = G::State>,
    recorded: &Recorded,
    position: &Position<G>,
    event: &str,
) -> String {
    let number = recorded.number.to_string();
    let plies = recorded.plies.len().to_string();
    let [white, black] = &recorded.players;
    let start = notation.write(position.start());
    // With options the game begins elsewhere than the notation takes for granted.
    let is_standard = recorded.start.is_none() && !entry.game.facts().id.contains(':');
    let mut tags = vec![
        ("Event", event),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", &number),
        ("White", white),
        ("Black", black),
        ("Result", result(&recorded.ending)),
    ];
    tags.extend(notation.variant(position.start()).map(|variant| ("Variant", variant)));
    if !is_standard {
        tags.extend([("SetUp", "1"), ("FEN", &start)]);
    }
    tags.extend([("PlyCount", plies.as_str()), ("Termination", termination(&recorded.ending))]);
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    tags.iter().map(|(name, value)| format!("[{name} \"{}\"]\n", quoted(value))).collect()
}

fn result(ending: &RecordedEnding) -> &'static str {
    match ending {
        RecordedEnding::Unfinished => "*",
        RecordedEnding::Forfeited(Player::First, _) => "0-1",
        RecordedEnding::Forfeited(Player::Second, _) => "1-0",
        _ => score(ending),
    }
}

/// How the game ended, in the words of the standard.
fn termination(ending: &RecordedEnding) -> &'static str {
    match ending {
        RecordedEnding::Over(_) => "normal",
        RecordedEnding::Proven(_) | RecordedEnding::Adjudicated(_) => "adjudication",
        RecordedEnding::Forfeited(..) => "rules infraction",
        RecordedEnding::Unfinished => "unterminated",
    }
}

/// What a player thought of the position and how long, where that is known: the words of a comment, which lines may part.
fn comment<G: Game>(notation: &dyn Notation<State = G::State>, ply: &RecordedPly) -> Vec<String> {
    let mut parts = Vec::new();
    let depth = ply.search.and_then(|search| search.depth).map_or_else(String::new, |depth| format!(",{depth}"));
    if let Some(value) = ply.value {
        let pawns = || notation.hundredths(value.of(Player::First)) / 100.0;
        let eval = match (ply.search.and_then(|search| search.plies_to_end), winner(value)) {
            (Some(plies), Some(winner)) => {
                let sign = if winner == Player::First { "" } else { "-" };
                format!("#{sign}{}", plies.div_ceil(2))
            }
            _ => format!("{:.2}", pawns().clamp(-MOST, MOST)),
        };
        parts.push(format!("[%eval {eval}{depth}]"));
    }
    if let Some(search) = ply.search {
        let (seconds, millis) = (search.millis / 1000, search.millis % 1000);
        parts.push(format!("[%emt {}:{:02}:{:02}.{millis:03}]", seconds / 3600, seconds / 60 % 60, seconds % 60));
    }
    if let Some(first) = parts.first_mut() {
        first.insert(0, '{');
    }
    if let Some(last) = parts.last_mut() {
        last.push('}');
    }
    parts
}

/// The words in lines that are not too long, each ending with a newline.
fn wrapped(words: &[String]) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        }
        let _ = write!(text, "{}{word}", if column > 0 { " " } else { "" });
        column += length + usize::from(column > 0);
    }
    text.push('\n');
    text
}
