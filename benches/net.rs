//! Frozen networks with each kernel of this processor: time a batch. See `benches/README.md`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array4;
use plyzero::net::{Architecture, Frozen, Kernel, Network, NetworkConfig, Norm, ValueHead, open_device};
use plyzero::rng::stream;
use rand::RngExt as _;

/// Channels and blocks of the reference networks.
const SIZES: [(usize, usize); 3] = [(32, 3), (64, 5), (128, 8)];
const BATCHES: [usize; 2] = [1, 64];

fn networks(criterion: &mut Criterion) {
    let device = open_device("cpu").unwrap();
    for (channels, blocks) in SIZES {
        let network = NetworkConfig {
            channels,
            blocks,
            policy_channels: 2,
            value_channels: 1,
            value_hidden: 64,
            norm: Norm::Batch,
            policy_hidden: 0,
            auxiliary: Vec::new(),
        };
        let planes = [3, 6, 7];
        let shape = Architecture { game: "reference".to_owned(), planes, actions: 7, value: ValueHead::Wdl, network };
        let network = Network::new(&shape, 1, &device);
        let mut group = criterion.benchmark_group(format!("{channels} channels, {blocks} blocks"));
        for batch in BATCHES {
            let mut rng = stream(1, "bench", 0);
            let planes = Array4::from_shape_simple_fn((batch, 3, 6, 7), || f32::from(u8::from(rng.random_range(0..3) == 0)));
            group.throughput(Throughput::Elements(batch as u64));
            for kernel in Kernel::possible() {
                let mut frozen = Frozen::with_kernel(&network, &shape, batch, kernel).unwrap();
                group.bench_function(BenchmarkId::new(kernel.name(), batch), |bencher| {
                    bencher.iter(|| black_box(frozen.infer(black_box(planes.view()))));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, networks);
criterion_main!(benches);
