//! Agents for games with chance and for games whose utilities do not cancel out.

mod drops;
mod race;

use drops::Drops;
use plyzero::agent::Builder;
use plyzero::game::{Entry, Game, Payoff, Player, Position, Turn};
use plyzero::net::open_device;
use plyzero::rng::stream;
use race::Race;

/// The mean payoff of so many games between two agents.
fn mean<G: Game>(entry: &Entry<G>, agents: [&str; 2], games: u64) -> [f32; 2] {
    let device = open_device("cpu").unwrap();
    let builder = Builder { entry, device: &device, stop: None };
    let mut agents = agents.map(|spec| builder.factory(spec).unwrap()());
    let mut sum = [0.0; 2];
    for index in 0..games {
        let (mut position, mut rng) = (Position::initial(&entry.game), stream(1, "games", index));
        let Payoff(payoff) = loop {
            match position.turn() {
                Turn::Over(payoff) => break payoff,
                Turn::Chance => position.settle(&mut rng),
                Turn::Move(mover) => {
                    let decision = agents[mover.index()].decide(&position, &mut rng).unwrap();
                    assert!(position.actions().contains(&decision.action));
                    position.play(decision.action);
                }
            }
        };
        sum = [sum[0] + payoff[0], sum[1] + payoff[1]];
    }
    sum.map(|total| total / games as f32)
}

/// What the agent expects from the initial position, for the first player.
fn expected<G: Game>(entry: &Entry<G>, agent: &str) -> f32 {
    let device = open_device("cpu").unwrap();
    let mut agent = Builder { entry, device: &device, stop: None }.factory(agent).unwrap()();
    let decision = agent.decide(&Position::initial(&entry.game), &mut stream(1, "expected", 0)).unwrap();
    decision.value.unwrap().of(Player::First)
}

#[test]
fn expectimax_gets_what_it_expects_of_its_equal_and_more_of_random_play() {
    let entry = Entry::new(Drops::new(), "stones and chance");
    let value = expected(&entry, "expectimax:depth=2");
    let [got, _] = mean(&entry, ["expectimax:depth=2", "expectimax:depth=2"], 4_000);
    assert!((got - value).abs() < 0.05, "{got} of {value}");
    assert_eq!(expected(&entry, "maxn:depth=2"), value, "in a zero-sum game both are the same");
    let [_, against_random] = mean(&entry, ["random", "expectimax"], 2_000);
    let [_, random] = mean(&entry, ["random", "random"], 2_000);
    assert!(against_random > random + 0.2, "{against_random} and {random}");
}

#[test]
fn maxn_plays_for_itself_where_sums_are_general() {
    let entry = Entry::new(Race::new(), "a race");
    let whole = mean(&entry, ["maxn:depth=6", "maxn:depth=6"], 20);
    assert_eq!(whole[0], expected(&entry, "maxn:depth=6"), "equals get the value");
    let random = mean(&entry, ["random", "random"], 200);
    let [first, _] = mean(&entry, ["maxn", "random"], 200);
    let [_, second] = mean(&entry, ["random", "maxn"], 200);
    assert!(first > random[0] && second > random[1], "{first} {second} {random:?}");
}
