//! One search of UCT with random rollouts from the initial position, as `cargo bench --bench uct` measures it.

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plyzero::eval::Rollout;
use plyzero::game::Game;
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::search::Budget;
use plyzero::search::mcts::{Driver, Rule, Tree};

const SIMULATIONS: u32 = 1000;

fn search<G: Game>(criterion: &mut Criterion, game: G) {
    let game = Arc::new(game);
    let mut group = criterion.benchmark_group("uct");
    group.throughput(Throughput::Elements(SIMULATIONS.into()));
    group.bench_function(&game.facts().id, |bencher| {
        let mut rollout = Rollout::new(&game);
        bencher.iter(|| {
            let mut tree = Tree::new(&game, Rule::Ucb1 { c: std::f32::consts::SQRT_2 }, game.initial(), 1);
            let driver = Driver { simulations: SIMULATIONS, gather: 1 };
            driver.roll_out(&mut tree, &mut rollout, &mut Budget::default().start());
            tree.value()
        });
    });
    group.finish();
}

fn games(criterion: &mut Criterion) {
    search(criterion, ConnectFour::new());
    search(criterion, TicTacToe::new());
}

criterion_group!(benches, games);
criterion_main!(benches);
