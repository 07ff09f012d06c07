//! Convolution kernels for small boards, one a kind of processor, and the frozen network on top of them.
//!
//! This is the only place with `unsafe` code: vector instructions and tiles, each behind a value that proves that the processor has them.

mod aligned;
#[cfg(any(test, all(target_arch = "x86_64", target_os = "linux")))]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_bf16;
#[cfg(any(test, target_arch = "x86_64"))]
mod bf16;
mod convolution;
mod heads;
mod inference;
mod kernel;
mod portable;
mod simd;
mod training;
mod trunk;

pub(super) use kernel::training;
pub use kernel::{Kernel, KernelError};
pub(super) use training::{Board, Filter, Gradients, Known, Layer, Training, Wanted};

#[cfg(test)]
pub(super) use amx::tests::emulated;
