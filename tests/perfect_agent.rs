//! The solver as an agent: perfect, at random among equals, and refused where nothing is solved.

mod nim;

use std::collections::BTreeSet;

use nim::Nim;
use plyzero::agent::{Agent, Builder};
use plyzero::game::{Entry, Game, Position, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::open_device;
use plyzero::rng::stream;
use plyzero::solver::{Exhaustive, Solver};
use rand::RngExt as _;

fn agent<G: Game>(entry: &Entry<G>, text: &str) -> Result<Box<dyn Agent<G>>, String> {
    let device = open_device("cpu").unwrap();
    let factory = Builder { entry, device: &device, stop: None }.factory(text).map_err(|error| error.to_string())?;
    Ok(factory())
}

fn small() -> Entry<TicTacToe> {
    Entry::new(TicTacToe::new(), "").enumerable()
}

#[test]
fn it_plays_the_strongest_moves_and_all_of_them() {
    let entry = small();
    let mut agent = agent(&entry, "solver").unwrap();
    let mut exhaustive = Exhaustive::new(&entry.game).unwrap();
    for game in 0..20 {
        let mut rng = stream(1, "positions", game);
        let mut position = Position::initial(&entry.game);
        while matches!(position.turn(), Turn::Move(_)) {
            let moves = exhaustive.moves(position.state());
            let best = moves.iter().map(|&(_, verdict)| verdict).max().unwrap();
            let strongest: BTreeSet<_> =
                moves.iter().filter(|(_, verdict)| verdict.is_as_strong_as(best)).map(|&(action, _)| action).collect();
            let chosen: BTreeSet<_> =
                (0..100).map(|index| agent.decide(&position, &mut stream(2, "ties", index)).unwrap().action).collect();
            assert_eq!(chosen, strongest, "{}", entry.game.draw(position.state()));
            let actions = position.actions();
            position.play(actions[rng.random_range(0..actions.len())]);
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_move_and_every_legal_one_has_a_value() {
    let entry = Entry::new(ConnectFour::new(), "").four_in_a_row(ConnectFour::stones);
    let mut position = Position::initial(&entry.game);
    "44455554221".chars().for_each(|column| assert!(position.play_text(&column.to_string()).is_ok()));
    let decide = || agent(&entry, "solver:table=1").unwrap().decide(&position, &mut stream(1, "ties", 0)).unwrap();
    let (one, other) = (decide(), decide());
    assert_eq!((one.action, &one.candidates), (other.action, &other.candidates));
    assert_eq!(one.candidates.len(), position.actions().len());
    assert!(one.candidates.iter().all(|candidate| candidate.value.is_some()));
}

#[test]
fn it_is_refused_for_a_game_that_nobody_has_solved_and_for_options_it_has_not() {
    let unsolved = agent(&Entry::new(Nim::new(), ""), "solver").err().unwrap();
    let advice = "no solver plays nim, which is no small game of wins, draws and losses without chance; take a search, such as uct:sims=1000";
    assert_eq!(unsolved, format!("agent solver: {advice}"));
    let unknown = agent(&small(), "solver:depth=4").err().unwrap();
    assert!(unknown.contains("solver has no option \"depth\""), "{unknown}");
    assert!(agent(&small(), "solver:table=x").is_err());
}
