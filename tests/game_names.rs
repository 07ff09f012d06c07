//! Games with options: what a name means, the one name that files use, and how wrong names are refused.

mod nim;

use nim::Nim;
use plyzero::config::options;
use plyzero::game::{Entry, Game, Games as _, InvalidGame, Registry, Variant, Visit};
use plyzero::games::registry;

fn canonical(name: &str) -> String {
    registry().canonical(name).unwrap()
}

fn refused(name: &str) -> String {
    registry().canonical(name).unwrap_err().to_string()
}

#[test]
fn different_words_for_one_game_have_one_canonical_name() {
    for (name, wanted) in [
        ("hex", "hex"),
        ("hex:size=7", "hex"),
        ("hex:swap=false,size=7", "hex"),
        (" hex : size = 05 ", "hex:size=5"),
        ("hex:size=\"5\"", "hex:size=5"),
        ("hex:swap=true,size=5", "hex:size=5,swap=true"),
        ("einstein:stones=6,size=5", "einstein"),
        ("einstein:size=3,stones=3,setup=random", "einstein:size=3,setup=random"),
        ("connect_four_tempo:delta=1/8", "connect_four_tempo"),
        ("tic_tac_toe", "tic_tac_toe"),
    ] {
        assert_eq!(canonical(name), wanted, "{name}");
        assert_eq!(canonical(wanted), wanted, "it names the same rules again");
    }
}

#[test]
fn options_choose_the_rules() {
    struct Sizes;
    impl Visit for Sizes {
        type Output = (usize, Vec<String>);
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> (usize, Vec<String>) {
            (entry.game.facts().actions, entry.options.iter().map(ToString::to_string).collect())
        }
    }
    let of = |name| registry().dispatch(name, &mut Sizes).unwrap();
    let options = ["size=2 to 11 [default: 7]", "swap=false|true [default: false]"].map(str::to_owned).to_vec();
    assert_eq!(of("hex"), (49, options.clone()));
    assert_eq!(of("hex:size=3,swap=true"), (10, options));
    assert_eq!(of("othello"), (65, vec![]));
    assert_eq!(of("einstein:size=3").1[1], "stones=3|1 [default: 3]", "what an option may be can depend on another");
}

#[test]
fn wrong_names_are_refused_with_advice() {
    let cases = [
        ("hexx:size=5", "no game is called \"hexx\"; did you mean hex? Known games are tic_tac_toe, "),
        (":size=5", "no game is called \"\"; did you mean "),
        ("", "no game is called \"\""),
        ("hex:", "nothing follows the colon of \"hex:\"; add options or remove the colon"),
        ("hex:5", "\"5\" in \"hex:5\" is not an option; write key=value"),
        ("hex:size=", "option \"size\" in \"hex:size=\" has no value"),
        ("hex:size=5,size=6", "option \"size\" stands twice in \"hex:size=5,size=6\"; keep one of them"),
        ("hex:sise=5", "hex has no option \"sise\" (in \"hex:sise=5\"); did you mean \"size\"? Its options are size, swap"),
        ("hex:size=12", "option \"size\" in \"hex:size=12\" cannot be \"12\": it must be a number from 2 to 11"),
        ("hex:size=1", "cannot be \"1\": it must be a number from 2 to 11"),
        ("hex:size=-3", "cannot be \"-3\""),
        ("hex:size=99999999999999999999999", "it must be a number from 2 to 11"),
        ("hex:swap=yes", "option \"swap\" in \"hex:swap=yes\" cannot be \"yes\": it must be false or true"),
        ("connect_four_tempo:delta=1", "cannot be \"1\": it must be 1/8 or 1/2 or 1/4 or 1/16"),
        ("einstein:size=3,stones=6", "cannot be \"6\": it must be 3 or 1"),
        ("einstein:size=2", "it must be a number from 3 to 9"),
        (
            "tic_tac_toe:size=4",
            "tic_tac_toe has no option \"size\" (in \"tic_tac_toe:size=4\"); it takes no options: remove this one",
        ),
    ];
    for (name, message) in cases {
        let refusal = refused(name);
        assert!(refusal.contains(message), "{name}: {refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn a_strangers_game_may_have_options_and_need_not() {
    let with_matches = |variant: &mut Variant| {
        let matches = variant.number("matches", 1..=12, 12)?;
        Ok(Entry::new(Nim::of(variant.name(), matches), "the last match wins"))
    };
    let games = Registry::new().with(Entry::new(Nim::new(), "the last match wins")).with_options("matches", with_matches);
    assert_eq!(games.ids(), ["nim", "matches"]);
    assert_eq!(games.canonical("matches:matches=5").as_deref(), Ok("matches:matches=5"));
    let error = games.canonical("nim:matches=5").unwrap_err();
    assert!(matches!(error, InvalidGame::UnknownOption { .. }), "{error}");
}

#[test]
fn a_game_that_refuses_its_own_defaults_is_in_no_list_and_says_why_when_it_is_asked_for() {
    let impossible = |variant: &mut Variant| {
        variant.number("matches", 1..=12, 12)?;
        Err::<Entry<Nim>, _>(InvalidGame::NothingAfterColon { name: variant.name() })
    };
    let games = Registry::new().with_options("impossible", impossible).with(Entry::new(Nim::new(), "the last match wins"));
    assert_eq!(games.ids(), ["nim"]);
    assert_eq!(games.canonical("impossible"), Err(InvalidGame::NothingAfterColon { name: "impossible".into() }));
}

#[test]
fn options_are_written_as_they_are_read() {
    let given = options::parse(r#"size=5, path="a,b" ,x=y=z"#, "whole").unwrap();
    assert_eq!(options::render("game", &given), r#"game:size=5,path="a,b",x=y=z"#);
    assert_eq!(options::parse(r#"size=5,path="a,b",x=y=z"#, "whole").unwrap(), given);
    assert_eq!(options::render("game", &[]), "game");
}
