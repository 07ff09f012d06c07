//! Layers as operations against what burn composes, on the tape and off it.

use super::scaled::ScaledPasses;
use super::*;
use burn::tensor::Device;

fn some<const D: usize>(shape: [usize; D], salt: usize, device: &Device) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|at| ((at * 7919 + salt * 104_729) % 1000) as f32 / 500.0 - 1.0).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

fn host<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data_as::<f32>().iter::<f32>().collect()
}

/// What a layer gives, normalised or scaled, and the gradients of all that goes in, by the operation or as burn composes it.
fn run(composed: bool, residual: bool, scaled: bool) -> Vec<Vec<f32>> {
    let device = Device::flex().autodiff();
    let leaf = |shape, salt| some::<4>(shape, salt, &device).require_grad();
    let (x, weight, added) = (leaf([3, 4, 5, 6], 1), leaf([7, 6, 3, 3], 2), leaf([3, 4, 5, 7], 3));
    let (gamma, beta) = (some([7], 4, &device).require_grad(), some([7], 5, &device).require_grad());
    let pull = some([3, 4, 5, 7], 6, &device);
    let added_or_none = residual.then(|| added.clone());
    let (output, measured) = if composed {
        let first = x.clone().permute([0, 3, 1, 2]);
        let sums = crate::net::model::same_conv(first, weight.clone(), None);
        let (output, measured) = if scaled {
            let list = |list: &Tensor<1>| list.clone().reshape([1, 7, 1, 1]);
            (sums * list(&gamma) / (1.0 + EPSILON).sqrt() + list(&beta), Vec::new())
        } else {
            let norm = burn::tensor::module::batch_norm_train(sums, gamma.clone(), beta.clone(), EPSILON);
            (norm.output, vec![norm.mean, norm.variance])
        };
        let output = output.permute([0, 2, 3, 1]);
        (burn::tensor::activation::relu(added_or_none.map_or(output.clone(), |added| output + added)), measured)
    } else if scaled {
        (scaled_layer(x.clone(), weight.clone(), gamma.clone(), beta.clone(), added_or_none, true), Vec::new())
    } else {
        let out = layer(x.clone(), weight.clone(), gamma.clone(), beta.clone(), added_or_none, true);
        (out.output, vec![out.mean, out.variance])
    };
    let gradients = (output.clone() * pull).sum().backward();
    let mut found = vec![host(output)];
    found.extend(measured.into_iter().map(host));
    found.extend([&x, &weight, &added].into_iter().filter_map(|leaf| leaf.grad(&gradients)).map(host));
    found.extend([&gamma, &beta].into_iter().filter_map(|leaf| leaf.grad(&gradients)).map(host));
    found
}

#[test]
fn the_operation_is_what_burn_composes() {
    for (residual, scaled) in [(false, false), (true, false), (false, true), (true, true)] {
        let (found, expected) = (run(false, residual, scaled), run(true, residual, scaled));
        let lists = if scaled { 5 } else { 7 } + usize::from(residual);
        assert_eq!((found.len(), expected.len()), (lists, lists));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.len(), expected.len());
            let scale = expected.iter().fold(0f32, |most, number| most.max(number.abs()));
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4 * scale), "{found:?} is not {expected:?}");
        }
    }
}

#[test]
fn passes_composed_of_burns_operations_agree_with_those_of_kernels() {
    let device = Device::flex();
    let primitive = |shape: &[usize], salt| -> FloatTensor<Flex> {
        let count: usize = shape.iter().product();
        tensor(host(some([count], salt, &device)), Shape::from(shape.to_vec()))
    };
    let layer = Inputs::<Flex> {
        x: primitive(&[3, 4, 5, 6], 1),
        weight: primitive(&[7, 6, 3, 3], 2),
        gamma: primitive(&[7], 3),
        beta: primitive(&[7], 4),
        exact: true,
    };
    let (residual, gradient, wanted) =
        (primitive(&[3, 4, 5, 7], 5), primitive(&[3, 4, 5, 7], 6), Wanted { input: true, residual: true });
    let by_burn = composed_forward(layer.clone(), Some(residual.clone()));
    let by_kernel = <Flex as Passes>::forward(layer.clone(), Some(residual.clone()));
    let agree = |found: &FloatTensor<Flex>, expected: &FloatTensor<Flex>| {
        assert_eq!(found.shape(), expected.shape());
        let off = numbers(found).iter().zip(numbers(expected).iter()).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(off < 1e-4 * numbers(expected).iter().fold(1f32, |most, number| most.max(number.abs())), "{off}");
    };
    agree(&by_kernel.output, &by_burn.output);
    agree(&by_kernel.variance, &by_burn.variance);
    let agree_on_the_way_back = |found: Back<Flex>, expected: Back<Flex>| {
        agree(&found.x.unwrap(), &expected.x.unwrap());
        agree(&found.residual.unwrap(), &expected.residual.unwrap());
        agree(&found.weight, &expected.weight);
        agree(&found.gamma, &expected.gamma);
        agree(&found.beta, &expected.beta);
    };
    let expected = composed_backward(layer.clone(), by_burn, gradient.clone(), wanted);
    agree_on_the_way_back(<Flex as Passes>::backward(layer.clone(), by_kernel, gradient.clone(), wanted), expected);

    let by_burn = scaled::composed_forward(layer.clone(), Some(residual.clone()));
    let by_kernel = <Flex as ScaledPasses>::forward(layer.clone(), Some(residual));
    agree(&by_kernel, &by_burn);
    let expected = scaled::composed_backward(layer.clone(), by_burn, gradient.clone(), wanted);
    agree_on_the_way_back(<Flex as ScaledPasses>::backward(layer, by_kernel, gradient, wanted), expected);
}
