//! Labels of moves and drawn boards.

use std::collections::HashSet;

use super::sample::Sample;
use super::{Property, Test, ensure};
use crate::game::{Game, ParseMoveError};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![
        Property {
            name: "labels",
            law: "labels of legal moves are distinct words, and parse back without regard to case and blanks",
            test: Test::Position(labels),
        },
        Property {
            name: "nonsense",
            law: "text that names no legal move is refused, with those there are",
            test: Test::Position(nonsense),
        },
        Property { name: "drawing", law: "boards are drawn in whole lines", test: Test::Position(drawing) },
    ]
}

/// A comma or a blank would part a label in two where a list of moves is given.
fn labels<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let game = sample.game();
    let mut seen = HashSet::new();
    for action in sample.actions(state) {
        let label = game.label(state, action);
        let is_word = !label.is_empty() && !label.contains(|letter: char| letter.is_whitespace() || letter == ',');
        ensure(is_word, || format!("the label {label:?} is empty, or holds a blank or a comma"))?;
        ensure(seen.insert(label.to_ascii_lowercase()), || format!("two moves are called {label:?}"))?;
        for text in [label.clone(), label.to_ascii_uppercase(), label.to_ascii_lowercase(), format!("  {label}\n")] {
            let parsed = game.parse(state, &text);
            ensure(parsed == Ok(action), || format!("{text:?}, the label of {action:?}, is read as {parsed:?}"))?;
        }
    }
    Ok(())
}

fn nonsense<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let game = sample.game();
    let labels: Vec<String> = sample.actions(state).into_iter().map(|action| game.label(state, action)).collect();
    for text in ["", " ", "no move", "\u{1F600}", "-1", "99999999999999999999", "a1a1a1"] {
        if !labels.iter().any(|label| label.eq_ignore_ascii_case(text)) {
            let wanted = Err(ParseMoveError { text: text.trim().to_owned(), legal: labels.join(" ") });
            let parsed = game.parse(state, text);
            ensure(parsed == wanted, || format!("{text:?} is read as {parsed:?} instead of {wanted:?}"))?;
        }
    }
    Ok(())
}

fn drawing<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let text = sample.game().draw(state);
    ensure(text.ends_with('\n') && !text.trim().is_empty(), || format!("the board is drawn as {text:?}"))
}
