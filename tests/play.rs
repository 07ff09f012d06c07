//! Games at a table, scripted through memory.

mod counting;

use std::sync::Arc;

use counting::Counting;
use plyzero::agent::{Agent, AgentFactory, Forfeit, Random, TreeAgent, TreeOptions};
use plyzero::game::{Action, Game, Payoff, Player, Position, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::play::Table;
use plyzero::rng::Rng;
use plyzero::search::mcts::Rule;
use plyzero::search::{Budget, Candidate, Decision};

/// Plays the first legal move and claims to know a little of it.
#[derive(Clone, Copy)]
struct First;

impl<G: Game> Agent<G> for First {
    fn name(&self) -> &str {
        "first"
    }

    fn decide(&mut self, position: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        let Turn::Move(mover) = position.turn() else { panic!("asked out of turn") };
        let (action, value) = (position.actions()[0], Some(Payoff::zero_sum(mover, 0.534)));
        let candidates = vec![Candidate { value, visits: Some(7), prior: Some(0.1234), ..Candidate::new(action) }];
        Ok(Decision { action, candidates, principal_variation: vec![action], value, nodes: 7, depth: None })
    }
}

/// Gives up, or plays what it is told.
#[derive(Clone, Copy)]
struct Odd(Option<Action>);

impl<G: Game> Agent<G> for Odd {
    fn name(&self) -> &str {
        "odd"
    }

    fn decide(&mut self, _: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        let forfeit = || Forfeit { agent: "odd".to_owned(), reason: "it is out of memory".to_owned() };
        let action = self.0.ok_or_else(forfeit)?;
        Ok(Decision { action, candidates: Vec::new(), principal_variation: Vec::new(), value: None, nodes: 0, depth: None })
    }
}

fn seat<G: Game>(game: G, agent: impl Agent<G> + Copy + Sync + 'static, human: Player) -> Table<G> {
    Table { game: Arc::new(game), agent: Arc::new(move || Box::new(agent)), human, seed: 1, show_prompt: false }
}

/// The ending and the text of a game in which the person says `script`, words separated by blanks.
fn scripted<G: Game>(table: Table<G>, script: &str) -> (Option<Payoff>, String) {
    let lines: String = script.split_whitespace().map(|word| format!("{word}\n")).collect();
    raw(table, lines.as_bytes())
}

fn raw<G: Game>(table: Table<G>, mut input: &[u8]) -> (Option<Payoff>, String) {
    let mut output = Vec::new();
    let ending = table.play(&mut input, &mut output).unwrap();
    (ending, String::from_utf8(output).unwrap())
}

fn tic_tac_toe(script: &str) -> (Option<Payoff>, String) {
    scripted(seat(TicTacToe::new(), First, Player::First), script)
}

/// Lines of `text` that contain `part`.
fn count(text: &str, part: &str) -> usize {
    text.lines().filter(|line| line.contains(part)).count()
}

#[test]
fn a_whole_game_reads_like_this() {
    let (ending, text) = tic_tac_toe("a1 b1 c1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    let expected = "\
tic_tac_toe: you are X, first is O; you open. Say help for the commands.

3  . . .
2  . . .
1  . . .
   a b c

Your turn (X).

3  . . .
2  . . .
1  X . .
   a b c

first is to move (O).
first plays a3 (value +0.53 for it, 7 visits).

3  O . .
2  . . .
1  X . .
   a b c

Your turn (X).

3  O . .
2  . . .
1  X X .
   a b c

first is to move (O).
first plays b3 (value +0.53 for it, 7 visits).

3  O O .
2  . . .
1  X X .
   a b c

Your turn (X).

3  O O .
2  . . .
1  X X X
   a b c

You win after 5 plies.
";
    assert_eq!(text, expected);
}

#[test]
fn the_agent_opens_and_can_win() {
    let (ending, text) = scripted(seat(TicTacToe::new(), First, Player::Second), "a1 b1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert!(text.starts_with("tic_tac_toe: you are O, first is X; it opens."));
    assert!(text.contains("first is to move (X).\nfirst plays a3 "));
    assert!(text.ends_with("first wins after 5 plies.\n"), "{text}");
}

#[test]
fn a_draw_is_told() {
    // The agent takes a3, c3, a2, b1.
    let (ending, text) = tic_tac_toe("b2 b3 c2 a1 c1");
    assert_eq!(ending, Some(Payoff::DRAW), "{text}");
    assert!(text.ends_with("A draw after 9 plies.\n"));
}

#[test]
fn connect_four_is_played_from_either_side() {
    let (ending, text) = scripted(seat(ConnectFour::new(), First, Player::First), "4 4 4 4");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert!(text.contains(" O . . X . . .\n 1 2 3 4 5 6 7\n") && text.ends_with("You win after 7 plies.\n"));
    let (ending, text) = scripted(seat(ConnectFour::new(), First, Player::Second), "4 4 4 7");
    assert_eq!(ending, Some(Payoff::win(Player::First)), "{text}");
    assert!(text.ends_with("first wins after 7 plies.\n"));
}

#[test]
fn random_games_are_a_function_of_their_seed() {
    let played = |seed| {
        let table = Table { seed, ..seat(ConnectFour::new(), Random, Player::Second) };
        scripted(table, "1 1 2 2 3 3 4 4 5 5 6 6 7 7 1 2 3 4 5 6 7")
    };
    assert_eq!(played(1), played(1));
    assert_ne!(played(1), played(2));
    assert!(played(1).1.contains("random plays ") && !played(1).1.contains("value"));
}

#[test]
fn bad_text_lists_the_legal_moves_and_asks_again() {
    let (ending, text) = tic_tac_toe("a1 a1 fly b1 c1");
    assert_eq!(ending, Some(Payoff::win(Player::First)), "bad text costs nothing");
    assert_eq!(count(&text, "\"a1\" is not a legal move here; legal moves are b3 c3 a2 b2 c2 b1 c1"), 1);
    assert_eq!(count(&text, "\"fly\" is not a legal move here; legal moves are b3 c3 a2 b2 c2 b1 c1"), 1);
    let (ending, text) = raw(seat(TicTacToe::new(), First, Player::First), b"\xff\x1b[2J\n\n  A1  \r\nB1\nc1");
    assert_eq!(ending, Some(Payoff::win(Player::First)), "case, blanks and a missing last line end do not matter");
    assert_eq!(count(&text, "is not a legal move here"), 2);
    assert!(!text.contains('\x1b'), "what was read is not sent back raw");
}

#[test]
fn quitting_and_the_end_of_input_are_polite() {
    for script in ["a1 quit b1", "a1 QUIT", "a1"] {
        let (ending, text) = tic_tac_toe(script);
        assert_eq!(ending, None);
        assert!(text.ends_with("Goodbye. The game ends here, undecided after 2 plies.\n"), "{text}");
    }
    assert!(tic_tac_toe("").1.ends_with("undecided after 0 plies.\n"));
    assert!(scripted(seat(TicTacToe::new(), First, Player::Second), "").1.ends_with("undecided after 1 ply.\n"));
}

#[test]
fn undo_takes_back_a_move_and_its_reply() {
    let (ending, text) = tic_tac_toe("c3 undo a1 b1 undo undo c1 b1 undo b1");
    assert_eq!(ending, None);
    assert_eq!(count(&text, "2 plies taken back."), 4);
    let end = "3  O O .\n2  . . .\n1  . X X\n   a b c\n\nYour turn (X).\nGoodbye. The game ends here, undecided after 4 plies.\n";
    assert!(text.ends_with(end), "{text}");
    let (ending, _) = tic_tac_toe("c2 undo a1 c2 undo b1 c1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
}

#[test]
fn undo_at_the_start_does_nothing() {
    let (ending, text) = tic_tac_toe("undo a1 b1 c1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert_eq!(count(&text, "There is nothing to undo: you have not moved yet."), 1);
    let (_, text) = scripted(seat(TicTacToe::new(), First, Player::Second), "undo a1 undo undo");
    assert_eq!(count(&text, "There is nothing to undo"), 2, "the agent's opening move stays");
    assert_eq!(count(&text, "2 plies taken back."), 1);
    assert!(text.ends_with("undecided after 1 ply.\n"));
}

#[test]
fn hint_show_and_moves_tell_and_change_nothing() {
    let (ending, text) = tic_tac_toe("a1 hint show moves board help b1 c1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert_eq!(count(&text, "first would play b3 (value +0.53 for you, 7 visits)."), 1);
    assert_eq!(count(&text, "Legal moves: b3 c3 a2 b2 c2 b1 c1"), 1);
    assert_eq!(count(&text, "take back your last move and the reply to it"), 1);
    let table = "\
Your moves as first sees them, values for you:
  move  visits   prior   value
    b3       7  12.3 %   +0.53
    c3       -       -       -
    a2       -       -       -
    b2       -       -       -
    c2       -       -       -
    b1       -       -       -
    c1       -       -       -
";
    assert!(text.contains(table), "{text}");
    let random = |script| scripted(seat(ConnectFour::new(), Random, Player::First), script);
    let replies =
        |text: &str| text.lines().filter(|line| line.starts_with("random plays")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(replies(&random("4 hint hint show 4 hint 4").1), replies(&random("4 4 4").1), "advice draws from another stream");
    assert!(random("show").1.contains("     1       -  14.3 %       -\n"));
}

#[test]
fn an_agent_that_forfeits_or_cheats_loses() {
    let (ending, text) = scripted(seat(TicTacToe::new(), Odd(None), Player::First), "hint show a1");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert!(text.contains("No hint: odd forfeits: it is out of memory.\n"), "asking it for advice ends nothing");
    assert!(text.contains("Nothing to show: odd forfeits: it is out of memory.\n"));
    assert!(text.ends_with("odd forfeits: it is out of memory. You win after 1 ply.\n"));
    let (ending, text) = scripted(seat(TicTacToe::new(), Odd(Some(Action(0))), Player::First), "a3");
    assert_eq!(ending, Some(Payoff::win(Player::First)));
    assert!(text.ends_with("odd forfeits: it chose action 0, which is not legal there. You win after 1 ply.\n"));
}

#[test]
fn a_prompt_is_shown_on_request_only() {
    let prompted = |show_prompt| scripted(Table { show_prompt, ..seat(TicTacToe::new(), First, Player::First) }, "a1").1;
    assert!(!prompted(false).contains('>'));
    assert!(prompted(true).ends_with("Your turn (X).\n> \nGoodbye. The game ends here, undecided after 2 plies.\n"));
}

/// A move and a coin that always adds 1 by turns.
fn race(length: usize, max_plies: usize) -> Counting {
    Counting::new(length, max_plies, Some(1.0))
}

#[test]
fn chance_acts_and_general_payoffs_are_told() {
    let (ending, text) = scripted(seat(race(4, 4), First, Player::First), "1 0");
    assert_eq!(ending, Some(Payoff([0.75, 0.0])));
    assert_eq!(count(&text, "Chance has acted: #"), 2);
    assert!(text.ends_with("You win after 4 plies. Utility: +0.75 for you, +0.00 for first.\n"), "{text}");
}

#[test]
fn undo_takes_back_chance_too() {
    let (_, text) = scripted(seat(race(40, 40), First, Player::First), "1 undo 0");
    assert_eq!(count(&text, "4 plies taken back."), 1);
    assert!(text.contains("4 plies taken back.\n\nplies 0, sum 0\n"));
}

#[test]
fn a_game_at_its_longest_length_is_unfinished() {
    let (ending, text) = scripted(seat(race(40, 3), First, Player::First), "1 1 1");
    assert_eq!(ending, None);
    assert!(text.ends_with("The game is unfinished after 3 plies, its longest length: nobody wins.\n"), "{text}");
}

#[test]
fn advice_changes_neither_the_game_nor_itself() {
    let options = TreeOptions {
        rule: Rule::Ucb1 { c: std::f32::consts::SQRT_2 },
        simulations: 60,
        gather: 1,
        reuse: true,
        budget: Budget::default(),
    };
    let play = |script: &str| {
        let (game, options) = (Arc::new(ConnectFour::new()), options.clone());
        let agent: AgentFactory<ConnectFour> = Arc::new(move || Box::new(TreeAgent::uct("uct", options.clone())));
        scripted(Table { game, agent, human: Player::First, seed: 1, show_prompt: false }, script).1
    };
    let replies = |text: &str| text.lines().filter(|line| line.starts_with("uct plays")).map(str::to_owned).collect::<Vec<_>>();
    let plain = replies(&play("4 3 2 1"));
    assert_eq!(plain.len(), 4);
    assert_eq!(replies(&play("4 show hint 3 show show show 2 hint 1")), plain);
    let text = play("show show");
    let tables: Vec<&str> = text.split("Your moves as").skip(1).map(|table| table.split("\n\n").next().unwrap()).collect();
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].trim_end(), tables[1].split("\nGoodbye").next().unwrap().trim_end());
}
