//! Tournaments: what they promise about threads, interruptions, early ends and the counting of results.

mod counting;
mod faulty;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use counting::Counting;
use faulty::{EIO, ENOSPC, Faulty};
use plyzero::agent::{Agent, AgentFactory, Forfeit, Random, TreeAgent, TreeOptions};
use plyzero::arena::ratings::Standing;
use plyzero::arena::sprt::{FEWEST_PAIRS, Sprt, Verdict};
use plyzero::arena::{
    Adjudication, Archive, CrossTable, Entrant, Format, GameRecord, OpeningSource, Terms, Tournament, TournamentError, openings,
};
use plyzero::game::{Action, Game, Position, Step};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::Rng;
use plyzero::search::mcts::Rule;
use plyzero::search::{Budget, Decision};
use plyzero::storage::System;
use tempfile::TempDir;

/// Chooses by a function of the position.
struct Puppet<F>(F);

impl<G: Game, F> Agent<G> for Puppet<F>
where
    F: FnMut(&Position<G>) -> Result<Action, String> + Send,
{
    fn name(&self) -> &str {
        "puppet"
    }

    fn decide(&mut self, position: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        let action = (self.0)(position).map_err(|reason| Forfeit { agent: "puppet".to_owned(), reason })?;
        Ok(Decision { action, candidates: Vec::new(), principal_variation: Vec::new(), value: None, nodes: 0, depth: None })
    }
}

fn puppet<G: Game>(choose: fn(&Position<G>) -> Result<Action, String>) -> AgentFactory<G> {
    Arc::new(move || Box::new(Puppet(choose)))
}

fn first<G: Game>() -> AgentFactory<G> {
    puppet(|position| Ok(position.actions()[0]))
}

fn last<G: Game>() -> AgentFactory<G> {
    puppet(|position| Ok(*position.actions().last().unwrap()))
}

fn quitter<G: Game>() -> AgentFactory<G> {
    puppet(|_| Err("it has had enough".to_owned()))
}

fn random<G: Game>() -> AgentFactory<G> {
    Arc::new(|| Box::new(Random))
}

fn uct<G: Game>(simulations: u32) -> AgentFactory<G> {
    let rule = Rule::Ucb1 { c: std::f32::consts::SQRT_2 };
    let options = TreeOptions { rule, simulations, gather: 1, reuse: true, budget: Budget::default() };
    Arc::new(move || Box::new(TreeAgent::uct("uct", options.clone())))
}

/// A tournament in a file of its own.
struct Bench<G: Game> {
    terms: Terms,
    agents: Vec<AgentFactory<G>>,
    openings: Vec<Position<G>>,
    folder: TempDir,
}

impl<G: Game> Bench<G> {
    /// Of these agents, called a, b, c and so on, from openings of two plies.
    fn new(game: G, agents: Vec<AgentFactory<G>>, games: usize) -> Self {
        let names = (b'a'..).map(|letter| (letter as char).to_string()).take(agents.len());
        let terms = Terms {
            version: "1".to_owned(),
            game: game.facts().id.to_owned(),
            agents: names.map(|name| Entrant { name, network: None }).collect(),
            format: Format::RoundRobin,
            games,
            openings: OpeningSource::Random { plies: 2 },
            adjudication: Adjudication::default(),
            seed: 5,
            sprt: None,
            device: "cpu".to_owned(),
        };
        let openings = openings::distinct(&Arc::new(game), games / 2, 2, 5);
        Self { terms, agents, openings, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("a.games")
    }

    fn archive(&self) -> Archive {
        Archive::open(&System, &self.path(), &self.terms).unwrap()
    }

    /// Goes on with the tournament until so many games are done.
    fn play_until(&self, threads: usize, games: usize) -> Result<Option<Vec<GameRecord>>, TournamentError> {
        let stop = AtomicBool::new(false);
        let on_game = |done, _| stop.store(done >= games, Ordering::Relaxed);
        let tournament = Tournament {
            terms: &self.terms,
            agents: &self.agents,
            openings: &self.openings,
            notation: None,
            threads,
            on_full: &|_| false,
        };
        tournament.play(&mut self.archive(), &stop, &on_game)
    }

    fn play(&self, threads: usize) -> Vec<GameRecord> {
        self.play_until(threads, usize::MAX).unwrap().unwrap()
    }

    /// Begins anew.
    fn clear(&self) {
        fs::remove_file(self.path()).unwrap();
    }

    fn table(&self, records: &[GameRecord]) -> CrossTable {
        CrossTable::of(&self.terms, self.openings.len(), records, 0)
    }
}

fn four() -> Bench<TicTacToe> {
    Bench::new(TicTacToe::new(), vec![random(), first(), uct(20), last()], 20)
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let bench = four();
    let games = bench.play(1);
    assert_eq!(games.len(), 120);
    for threads in [0, 2, 5] {
        bench.clear();
        assert_eq!(bench.play(threads), games);
    }
    assert_eq!(bench.play(1), games, "a complete tournament is not played again");
}

#[test]
fn an_interrupted_tournament_goes_on_to_the_same_games() {
    let bench = four();
    let games = bench.play(2);
    bench.clear();
    // Each time it is stopped some games later, and goes on with another number of threads.
    let mut kept = 0;
    for (until, threads) in [(0, 2), (7, 1), (40, 3), (41, 2), (90, 1)] {
        assert_eq!(bench.play_until(threads, until).unwrap(), None);
        let now = bench.archive().games().len();
        assert!((kept..120).contains(&now) && now >= until, "{now} games after {kept}");
        kept = now;
    }
    let made = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&made);
    let mut rest = four();
    rest.agents[0] = Arc::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Box::new(Random)
    });
    let missing = (0..120).filter(|number| !bench.archive().games().contains_key(number));
    // The first agent plays in three of the six pairings of a round, and only in games that are missing.
    let expected = missing.filter(|number| number / 2 % 6 < 3).count();
    let rest = Bench { folder: bench.folder, ..rest };
    assert_eq!(rest.play(2), games);
    assert_eq!(made.load(Ordering::Relaxed), expected);
}

#[test]
fn a_file_cut_anywhere_costs_its_last_games_alone() {
    let bench = Bench::new(TicTacToe::new(), vec![random(), first()], 4);
    let games = bench.play(1);
    let whole = fs::read(bench.path()).unwrap();
    for length in 0..whole.len() {
        fs::write(bench.path(), &whole[..length]).unwrap();
        assert_eq!(bench.play(2), games, "cut at {length}");
        assert_eq!(Archive::read(&bench.path()).unwrap().1.len(), 4);
    }
}

#[test]
fn whatever_call_of_the_disk_fails_no_game_on_it_is_lost() {
    let bench = Bench::new(TicTacToe::new(), vec![random(), first()], 4);
    let games = bench.play(1);
    let play = |disk: &Faulty| {
        let mut archive = Archive::open(disk, &bench.path(), &bench.terms).map_err(|error| error.to_string())?;
        let tournament = Tournament {
            terms: &bench.terms,
            agents: &bench.agents,
            openings: &bench.openings,
            notation: None,
            threads: 1,
            on_full: &|_| false,
        };
        tournament.play(&mut archive, &AtomicBool::new(false), &|_, _| ()).map_err(|error| error.to_string())
    };
    for (cause, told) in [(ENOSPC, "No space left on device"), (EIO, "cannot write")] {
        for fails in 1.. {
            bench.clear();
            let disk = Faulty::new(fails, cause);
            let played = play(&disk);
            if disk.calls() < fails {
                assert_eq!((played, fails > 8), (Ok(Some(games.clone())), true));
                break;
            }
            let error = played.unwrap_err();
            assert!(error.contains(told) && error.contains("cannot write"), "call {fails}: {error}");
            assert_eq!(bench.play(1), games, "call {fails}");
        }
    }
}

#[test]
fn another_tournament_is_refused_with_what_differs() {
    let bench = four();
    bench.play(1);
    let before = fs::read(bench.path()).unwrap();
    let entrant = |name: &str, network: &str| Entrant { name: name.to_owned(), network: Some(network.to_owned()) };
    let terms = || bench.terms.clone();
    let sprt = Some(Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap());
    let changed = vec![entrant("a", "f00"), bench.terms.agents[1].clone(), entrant("c", "1"), entrant("d", "1")];
    for (other, expected) in [
        (Terms { game: "hex".to_owned(), ..terms() }, "its game is tic_tac_toe, not hex"),
        (Terms { agents: terms().agents[..3].to_vec(), ..terms() }, "its list of agents is a b c d, not a b c"),
        (Terms { format: Format::Gauntlet, ..terms() }, "its format is round robin, not gauntlet"),
        (Terms { games: 22, ..terms() }, "its number of games a pairing is 20, not 22"),
        (
            Terms { openings: OpeningSource::Random { plies: 3 }, ..terms() },
            "its source of openings is 2 random plies, not 3 random plies",
        ),
        (Terms { seed: 6, ..terms() }, "its seed is 5, not 6"),
        (Terms { sprt, ..terms() }, "its SPRT is none, not 0 (H0) or 10 Elo (H1), alpha 0.05, beta 0.05"),
        (Terms { device: "gpu".to_owned(), ..terms() }, "its device is cpu, not gpu"),
        (Terms { version: "2".to_owned(), ..terms() }, "its program version is 1, not 2"),
        (Terms { agents: changed, ..terms() }, "the network file of a is not the one that played"),
    ] {
        assert_ne!(other.digest(), bench.terms.digest(), "{expected}");
        let error = Archive::open(&System, &bench.path(), &other).err().unwrap().to_string();
        assert!(error.contains("a.games holds another tournament") && error.contains(expected), "{error}");
    }
    assert_eq!(fs::read(bench.path()).unwrap(), before);
    assert_eq!(terms().digest().len(), 12);
}

#[cfg(unix)]
#[test]
fn nobody_else_adds_games_meanwhile() {
    let bench = four();
    let held = bench.archive();
    let error = Archive::open(&System, &bench.path(), &bench.terms).err().unwrap().to_string();
    assert!(error.contains("a.games is in use by another process"), "{error}");
    assert!(Archive::read(&bench.path()).is_ok(), "reading is free");
    drop(held);
    bench.archive();
}

#[test]
fn every_pairing_plays_every_opening_from_both_sides() {
    let bench = Bench::new(ConnectFour::new(), vec![first(), random(), last()], 12);
    let (games, schedule) = (bench.play(2), bench.terms.schedule(6));
    let mut seen = vec![[[0; 2]; 6]; 3];
    for (number, game) in games.iter().enumerate() {
        let opening = bench.openings.iter().position(|opening| game.steps.starts_with(opening.steps())).unwrap();
        let (seating, seats) = (schedule.game(number), schedule.seats(number));
        assert_eq!(seating.place / 2, opening);
        seen[seating.pairing][opening][usize::from(seats[0] > seats[1])] += 1;
    }
    assert_eq!(seen, vec![[[1; 2]; 6]; 3]);
    // Who sits where is what was played: the agent that plays first moves first where it is to move.
    for (number, game) in games.iter().enumerate() {
        let opening = game.steps.iter().take(2).count();
        let mut position = bench.openings[schedule.game(number).place / 2].clone();
        for (ply, &step) in game.steps.iter().enumerate().skip(opening) {
            let (Step::Move(action), legal) = (step, position.actions()) else { panic!("there is no chance") };
            match schedule.seats(number)[ply % 2] {
                0 => assert_eq!(action, legal[0], "game {number}, ply {ply}"),
                2 => assert_eq!(action, *legal.last().unwrap(), "game {number}, ply {ply}"),
                _ => {}
            }
            position.play(action);
        }
    }
}

#[test]
fn no_agent_takes_anything_from_one_game_to_another() {
    // An agent that sees a position which does not continue the last one it saw was in another game before.
    let leaky: AgentFactory<TicTacToe> = Arc::new(|| {
        let mut seen: Vec<Step> = Vec::new();
        Box::new(Puppet(move |position: &Position<TicTacToe>| {
            assert!(position.steps().starts_with(&seen) && position.steps().len() > seen.len(), "it remembers another game");
            seen = position.steps().to_vec();
            Ok(position.actions()[0])
        }))
    });
    let bench = Bench::new(TicTacToe::new(), vec![Arc::clone(&leaky), leaky, random()], 10);
    assert_eq!(bench.play(1).len(), 30);
}

#[test]
fn a_panic_is_told_with_agent_and_game_and_the_others_are_kept() {
    let made = AtomicUsize::new(0);
    let sleeper: AgentFactory<TicTacToe> = Arc::new(move || {
        let game = made.fetch_add(1, Ordering::Relaxed);
        Box::new(Puppet(move |position: &Position<TicTacToe>| {
            assert!(game != 3, "it woke");
            Ok(position.actions()[0])
        }))
    });
    let bench = Bench::new(TicTacToe::new(), vec![sleeper, random()], 10);
    let error = bench.play_until(1, usize::MAX).unwrap_err().to_string();
    assert_eq!(error, "in game 4 of the tournament agent puppet panicked: it woke");
    assert_eq!(bench.archive().games().len(), 3);
    assert_eq!(bench.play(1).len(), 10, "what did not fail again goes on");
}

#[test]
fn results_add_up_and_forfeits_are_told() {
    let bench = Bench::new(TicTacToe::new(), vec![random(), quitter(), first(), uct(30)], 20);
    let table = bench.table(&bench.play(2));
    assert_eq!((table.games, table.pairings.len(), table.places.len()), (120, 6, 4));
    let tallies = || table.places.iter().map(|place| place.tally);
    assert_eq!(tallies().map(|tally| tally.wins).sum::<usize>(), tallies().map(|tally| tally.losses).sum::<usize>());
    assert!(table.places.iter().all(|place| place.finished() == 60 && place.unfinished == 0));
    assert_eq!(table.places.iter().map(plyzero::arena::Place::points).sum::<f64>(), 120.0);
    let quitter = table.places.last().unwrap();
    assert_eq!((quitter.agent.as_str(), quitter.forfeits, quitter.tally.losses), ("b", 60, 60));
    assert_eq!((quitter.rating.standing, quitter.rating.elo), (Standing::Below, None));
    let told = table.pairings[0].result.first_forfeit.as_deref();
    assert_eq!(told, Some("game 1: puppet forfeits: it has had enough"));
    // The pairing of b and c comes fourth, so that its first game is the seventh.
    assert_eq!(table.pairings[3].result.first_forfeit.as_deref(), Some("game 7: puppet forfeits: it has had enough"));
    let elo: Vec<f64> = table.places.iter().filter_map(|place| place.rating.elo).collect();
    assert!(elo.len() == 3 && elo.is_sorted_by(|above, below| above >= below), "{elo:?}");
    assert_eq!(table.places[0].agent, "d", "search beats the others");
}

#[test]
fn unfinished_games_are_counted_and_are_no_draws() {
    let bench = Bench::new(Counting::new(usize::MAX, 6, None), vec![random(), first(), last()], 4);
    let table = bench.table(&bench.play(2));
    for place in &table.places {
        assert_eq!((place.finished(), place.unfinished, place.points()), (0, 8, 0.0));
    }
    let rated = table.places.iter().filter(|place| place.rating.standing == Standing::Rated);
    assert_eq!(rated.map(|place| place.agent.as_str()).collect::<Vec<_>>(), ["a"], "only the anchor");
    assert!(table.pairings.iter().all(|pairing| pairing.result.unfinished == 4 && pairing.result.superiority.is_none()));
}

#[test]
fn repeated_games_are_counted_once_among_the_distinct() {
    let mut bench = Bench::new(TicTacToe::new(), vec![first(), last()], 40);
    bench.openings.truncate(3);
    let table = bench.table(&bench.play(2));
    assert_eq!((table.games, table.distinct), (40, 6));
    assert_eq!(table.pairings[0].result.openings, 3);
    // A test takes each opening once.
    bench.terms.sprt = Some(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
    bench.clear();
    let table = bench.table(&bench.play(2));
    assert_eq!((table.games, table.sprt.unwrap().verdict), (6, Verdict::Undecided));
}

#[test]
fn a_gauntlet_compares_those_who_never_met() {
    let mut bench = Bench::new(TicTacToe::new(), vec![random(), first(), last()], 20);
    bench.terms.format = Format::Gauntlet;
    let table = bench.table(&bench.play(2));
    assert_eq!((table.games, table.pairings.len()), (40, 2));
    assert!(table.places.iter().all(|place| place.rating.standing == Standing::Rated), "{:?}", table.places);
}

fn tested(agents: Vec<AgentFactory<ConnectFour>>, elo0: f64, elo1: f64) -> Bench<ConnectFour> {
    let mut bench = Bench::new(ConnectFour::new(), agents, 300);
    bench.terms.sprt = Some(Sprt::new(elo0, elo1, 0.05, 0.05).unwrap());
    bench
}

#[test]
fn a_test_ends_at_the_same_pair_for_any_number_of_threads_and_after_interruptions() {
    let bench = tested(vec![uct(40), random()], 0.0, 200.0);
    let games = bench.play(1);
    let trial = bench.table(&games).sprt.unwrap();
    assert_eq!((trial.verdict, trial.games()), (Verdict::H1, games.len()));
    assert!(trial.ratio >= trial.upper && games.len() < 300);
    for threads in [2, 5] {
        bench.clear();
        assert_eq!(bench.play(threads), games);
        assert!(bench.archive().games().len() >= games.len());
    }
    bench.clear();
    assert_eq!(bench.play_until(3, 5).unwrap(), None);
    assert_eq!(bench.play(2), games);
    assert_eq!(bench.table(&games), bench.table(&bench.play(1)));
}

#[test]
fn a_test_neither_hangs_nor_ends_at_once_when_one_side_loses_all() {
    for (agents, verdict) in [(vec![first(), quitter()], Verdict::H1), (vec![quitter(), first()], Verdict::H0)] {
        let bench = tested(agents, 0.0, 50.0);
        let table = bench.table(&bench.play(2));
        let trial = table.sprt.unwrap();
        assert_eq!(trial.verdict, verdict);
        assert!((2 * FEWEST_PAIRS as usize..300).contains(&table.games), "{} games", table.games);
    }
}

#[test]
fn a_test_of_unfinished_games_leaves_them_out_and_ends() {
    let mut bench = Bench::new(Counting::new(usize::MAX, 6, None), vec![random(), first()], 8);
    bench.terms.sprt = Some(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
    let trial = bench.table(&bench.play(2)).sprt.unwrap();
    assert_eq!((trial.pairs, trial.left_out as usize, trial.verdict), ([0; 5], bench.openings.len().min(4), Verdict::Undecided));
}
