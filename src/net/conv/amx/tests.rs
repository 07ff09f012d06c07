//! Tiles against the manual, and networks on emulated tiles against networks without.

use ndarray::{Array4, ArrayView4, Axis, Slice};

use super::emulated::Emulated;
use super::training::TileProducts;
use super::{Block, ROWS, TileBlocks, Tiles, WORDS};
use crate::net::conv::Kernel;
use crate::net::conv::bf16;
use crate::net::conv::inference::Inference;
use crate::net::conv::portable::Portable;
use crate::net::conv::training::{By, Training};
use crate::net::fold::{Folded, Layer};
use crate::net::frozen::Form;

/// A network on emulated tiles.
pub(in crate::net) fn emulated(folded: &Folded, shape: [usize; 3]) -> Box<dyn Form> {
    Box::new(Inference::new(Portable, folded, shape, TileBlocks::new(Emulated, folded, shape[1], shape[2])))
}

/// Training on emulated tiles.
pub(in crate::net) fn emulated_training() -> Box<dyn Training> {
    Box::new(By(TileProducts(Emulated)))
}

/// Numbers that look random, in [-1, 1).
pub(in crate::net) struct Numbers(pub(in crate::net) u32);

impl Numbers {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    pub(in crate::net) fn next(&mut self) -> f32 {
        self.bits() as f32 / (1 << 23) as f32 - 1.0
    }

    fn layer<const D: usize>(&mut self, shape: [usize; D], outputs: usize) -> Layer<D> {
        let count: usize = shape.iter().product();
        let spread = 1.5 / (count as f32 / outputs as f32).sqrt();
        let weight = (0..count).map(|_| self.next() * spread).collect();
        Layer { shape, weight, bias: (0..outputs).map(|_| self.next() * 0.3).collect() }
    }

    fn network(&mut self, [planes, height, width]: [usize; 3], channels: usize, blocks: usize) -> Folded {
        let cells = height * width;
        let conv = |numbers: &mut Self| numbers.layer([channels, channels, 3, 3], channels);
        Folded {
            stem: self.layer([channels, planes, 3, 3], channels),
            blocks: (0..blocks).map(|_| [conv(self), conv(self)]).collect(),
            policy_conv: self.layer([2, channels, 1, 1], 2),
            policy_hidden: None,
            policy: self.layer([2 * cells, 7], 7),
            value_conv: self.layer([1, channels, 1, 1], 1),
            value_hidden: self.layer([cells, 8], 8),
            value: self.layer([8, 3], 3),
        }
    }

    fn planes(&mut self, batch: usize, [planes, height, width]: [usize; 3]) -> Array4<f32> {
        Array4::from_shape_simple_fn((batch, planes, height, width), || self.next())
    }
}

/// Policy logits and value outputs.
fn answers(form: &mut dyn Form, planes: ArrayView4<f32>) -> [Vec<f32>; 2] {
    let batch = planes.dim().0;
    let (mut policy, mut value) = (vec![0.0; batch * 7], vec![0.0; batch * 3]);
    form.infer(planes, &mut policy, &mut value);
    [policy, value]
}

#[test]
fn networks_on_emulated_tiles_answer_like_those_without() {
    for (shape, channels, blocks) in
        [([2, 6, 7], 32, 2), ([3, 3, 3], 40, 1), ([1, 1, 9], 5, 1), ([2, 9, 1], 64, 1), ([2, 2, 2], 100, 1), ([4, 8, 8], 16, 2)]
    {
        let mut numbers = Numbers(channels as u32);
        let (folded, planes) = (numbers.network(shape, channels, blocks), numbers.planes(5, shape));
        let mut plain = Kernel::Portable.form(&folded, shape).unwrap();
        let (found, expected) = (answers(&mut *emulated(&folded, shape), planes.view()), answers(&mut *plain, planes.view()));
        for (found, expected) in found.iter().zip(&expected) {
            let scale = expected.iter().fold(0f32, |most, number| number.abs().max(most));
            let off = found.iter().zip(expected).fold(0f32, |most, (found, expected)| (found - expected).abs().max(most));
            assert!(off < 1e-2 * scale, "{shape:?} with {channels} channels: {off} of {scale}");
            assert!(off > 0.0, "rounding must show");
        }
    }
}

#[test]
fn an_answer_of_emulated_tiles_has_the_same_bits_in_every_batch_and_slot() {
    let shape = [2, 4, 5];
    let mut numbers = Numbers(3);
    let (folded, planes) = (numbers.network(shape, 20, 1), numbers.planes(70, shape));
    let mut form = emulated(&folded, shape);
    let [policy, value] = answers(&mut *form, planes.view());
    for size in [1, 2, 3, 7, 16, 31, 32, 33, 64, 69, 70] {
        let start = size * 31 % (71 - size);
        let part = answers(&mut *form, planes.slice_axis(Axis(0), Slice::from(start..start + size)));
        assert_eq!(part, [policy[7 * start..][..7 * size].to_vec(), value[3 * start..][..3 * size].to_vec()]);
    }
}

/// One product of tiles: sums `[cells, outputs]` of cells `[cells, pairs]` and weights `[pairs, outputs]`, added to `before`.
fn product<T: Tiles>(tiles: T, cells: &[u32], weights: &[u32], before: &[f32]) -> Vec<u32> {
    let mut block = tiles.configure();
    block.load::<1>(cells, WORDS);
    block.load::<2>(weights, WORDS);
    block.load_sums::<0>(before, WORDS);
    block.add_products::<0, 1, 2>();
    let mut sums = vec![0.0; ROWS * WORDS];
    block.store::<0>(&mut sums, WORDS);
    sums.into_iter().map(f32::to_bits).collect()
}

#[test]
fn emulated_products_take_the_steps_of_the_manual() {
    // The first row's pairs meet ones; all other words are zero.
    let first_of = |pairs: &[[f32; 2]], before: f32| {
        let (mut cells, mut weights, mut sums) = ([0; 256], [0; 256], [0.0; 256]);
        for (at, [first, second]) in pairs.iter().enumerate() {
            cells[at] = bf16::pair(*first, *second);
            weights[at * WORDS] = bf16::pair(1.0, 1.0);
        }
        sums[0] = before;
        f32::from_bits(product(Emulated, &cells, &weights, &sums)[0])
    };
    let large = 16_777_216.0; // 2^24: one more is lost
    assert_eq!(first_of(&[[3.0, 4.0], [5.0, 6.0]], 0.5), 18.5);
    // The first numbers are summed apart from the second ones: in one sum the ones would be lost.
    assert_eq!(first_of(&[[large, 1.0], [-large, 1.0]], 0.0), 2.0);
    // Among the first numbers the order is that of the pairs.
    assert_eq!(first_of(&[[large, 0.0], [1.0, 0.0], [-large, 0.0]], 0.0), 0.0);
    // What was there comes last.
    assert_eq!(first_of(&[[1.0, 0.0], [large, 0.0]], -large), 0.0);
    // Denormal numbers count as zero, before and after.
    let tiny = f32::MIN_POSITIVE;
    assert_eq!(first_of(&[[tiny / 2.0, 0.0]], tiny), tiny);
    assert_eq!(first_of(&[[1.5 * tiny, 0.0]], -tiny), 0.0);
    assert_eq!(first_of(&[], tiny / 2.0), 0.0);
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn tiles_of_the_processor_agree_with_emulated_ones_bit_for_bit() {
    let Some(amx) = super::real::Amx::detect() else {
        assert!(!Kernel::Amx.is_possible(), "the kernel needs the tiles");
        return;
    };
    let mut numbers = Numbers(9);
    for round in 0..200 {
        // All exponents, so that denormal and infinite numbers and those that are none turn up.
        let mut bits = || numbers.bits() ^ numbers.bits() << 16;
        let (cells, weights): (Vec<u32>, Vec<u32>) = (0..256).map(|_| (bits(), bits())).unzip();
        let mild = |word: u32| if round % 2 == 0 { word } else { word & 0xbfff_bfff };
        let (cells, weights): (Vec<u32>, Vec<u32>) =
            (cells.into_iter().map(mild).collect(), weights.into_iter().map(mild).collect());
        let before: Vec<f32> = (0..256).map(|_| numbers.next()).collect();
        let known =
            |bits: Vec<u32>| bits.into_iter().map(|bits| (!f32::from_bits(bits).is_nan()).then_some(bits)).collect::<Vec<_>>();
        let (found, expected) = (product(amx, &cells, &weights, &before), product(Emulated, &cells, &weights, &before));
        assert_eq!(known(found), known(expected), "round {round}");
    }
    let shape = [2, 6, 7];
    let (folded, planes) = (numbers.network(shape, 96, 2), numbers.planes(9, shape));
    let mut real = Kernel::Amx.form(&folded, shape).unwrap();
    // The stem and the heads differ in their order of sums; the trunk does not.
    let (found, expected) = (answers(&mut *real, planes.view()), answers(&mut *emulated(&folded, shape), planes.view()));
    for (found, expected) in found.concat().iter().zip(expected.concat()) {
        assert!((found - expected).abs() < 1e-2);
    }
}
