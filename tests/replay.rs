//! Games that were played, shown: endings and rules that the games of the command line do not have.

mod counting;

use counting::Counting;
use plyzero::game::{Action, Entry, Outcome, Payoff, Player, Step};
use plyzero::games::TicTacToe;
use plyzero::play::replay::{Recorded, RecordedEnding, RecordedPly, list, show};

fn recorded(steps: &[Step], ending: RecordedEnding) -> Recorded {
    let ply = |&step: &Step| RecordedPly { step, visits: Vec::new(), value: None, search: None };
    let players = ["one".to_owned(), "another".to_owned()];
    let plies = steps.iter().map(ply).collect();
    Recorded { number: 7, place: "here".to_owned(), players, opening: 1, start: None, plies, ending }
}

fn moves(actions: &[u16]) -> Vec<Step> {
    actions.iter().map(|&action| Step::Move(Action(action))).collect()
}

fn tic_tac_toe(actions: &[u16], ending: RecordedEnding) -> Result<String, String> {
    show(&Entry::new(TicTacToe::new(), "three in a row"), &recorded(&moves(actions), ending)).map_err(|error| error.to_string())
}

#[test]
fn a_game_reads_like_this() {
    let shown = tic_tac_toe(&[4], RecordedEnding::Forfeited(Player::Second, "another forfeits: it is tired".to_owned())).unwrap();
    let expected = "\
game 7 (here): X is one, O is another

3  . . .
2  . . .
1  . . .
   a b c

The opening (X) plays b2.

3  . . .
2  . X .
1  . . .
   a b c

another forfeits: it is tired. one (X) wins after 1 ply.";
    assert_eq!(shown, expected);
}

#[test]
fn endings_are_told_in_words_and_in_the_list() {
    let drawn = [4, 0, 2, 6, 3, 5, 1, 7, 8];
    let draw = RecordedEnding::Over(Payoff::DRAW);
    assert!(tic_tac_toe(&drawn, draw.clone()).unwrap().ends_with("\nA draw after 9 plies."));
    let games: Vec<Recorded> = [
        draw,
        RecordedEnding::Over(Payoff::win(Player::First)),
        RecordedEnding::Over(Payoff::win(Player::Second)),
        RecordedEnding::Proven(Payoff::win(Player::Second)),
        RecordedEnding::Forfeited(Player::First, String::new()),
        RecordedEnding::Forfeited(Player::Second, String::new()),
        RecordedEnding::Unfinished,
    ]
    .map(|ending| recorded(&moves(&[0]), ending))
    .to_vec();
    let lines = list(&games);
    assert_eq!(lines.lines().next().unwrap(), "     7  here  X one      O another  1/2-1/2     1 ply");
    let scores: Vec<&str> =
        lines.lines().map(|line| line.split("another").nth(1).unwrap().split("1 ply").next().unwrap().trim()).collect();
    assert_eq!(scores, ["1/2-1/2", "1-0", "0-1", "0-1", "0-1 forfeit", "1-0 forfeit", "unfinished"]);
}

#[test]
fn a_game_that_ended_with_a_proof_says_so() {
    let shown = |ending| tic_tac_toe(&[0, 3, 1, 4], ending);
    let won = shown(RecordedEnding::Proven(Payoff::win(Player::First))).unwrap();
    assert!(won.ends_with("\nThe game ends after 4 plies: a search has proven a win of one (X)."), "{won}");
    assert!(shown(RecordedEnding::Proven(Payoff::DRAW)).unwrap().ends_with("a search has proven a draw."));
    let over = tic_tac_toe(&[0, 3, 1, 4, 2], RecordedEnding::Proven(Payoff::win(Player::First)));
    assert!(over.is_err(), "what is over needs no proof");
}

#[test]
fn chance_and_general_payoffs_are_told() {
    let game = Entry::new(Counting::new(4, 4, Some(0.5)), "counting");
    let coin = |outcome| Step::Chance(Outcome(outcome));
    let steps = [Step::Move(Action(1)), coin(1), Step::Move(Action(0)), coin(1)];
    let shown = show(&game, &recorded(&steps, RecordedEnding::Over(Payoff([0.75, 0.0])))).unwrap();
    assert_eq!(shown.matches("Chance has acted: #").count(), 2);
    assert!(shown.contains("The opening (X) plays 1.\n") && shown.contains("another (O) plays 0.\n"), "{shown}");
    assert!(shown.ends_with("one (X) wins after 4 plies. Utility: +0.75 for X, +0.00 for O."), "{shown}");
    let cut = show(&game, &recorded(&steps[..2], RecordedEnding::Unfinished)).unwrap();
    assert!(cut.ends_with("The game is unfinished after 2 plies, its longest length: nobody wins."), "{cut}");
}

#[test]
fn games_that_do_not_follow_the_rules_are_refused_as_a_whole() {
    let won = || RecordedEnding::Over(Payoff::win(Player::First));
    for (actions, ending, plies) in [
        (&[0, 0][..], won(), "1 ply"),
        (&[9], won(), "0 plies"),
        (&[0, 3, 1, 4], won(), "4 plies"),
        (&[0, 3, 1, 4, 2], RecordedEnding::Over(Payoff::DRAW), "5 plies"),
        (&[0, 3, 1, 4, 2], RecordedEnding::Unfinished, "5 plies"),
        (&[0, 3, 1, 4, 2, 5], won(), "5 plies"),
    ] {
        let error = tic_tac_toe(actions, ending).unwrap_err();
        assert_eq!(error, format!("it does not follow the rules of tic_tac_toe after {plies}; was it another game?"));
    }
    assert!(tic_tac_toe(&[0, 3, 1, 4, 2], won()).is_ok());
    let chance = show(&Entry::new(TicTacToe::new(), "three in a row"), &recorded(&[Step::Chance(Outcome(0))], won()));
    assert!(chance.is_err());
    let mut visited = recorded(&moves(&[0, 3, 1, 4, 2]), won());
    visited.plies[2].visits = vec![(Action(1), 3), (Action(3), 1)];
    assert!(show(&Entry::new(TicTacToe::new(), "three in a row"), &visited).is_err(), "visits of moves that are not legal");
}
