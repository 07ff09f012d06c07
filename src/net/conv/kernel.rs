//! Which kernel computes frozen networks on the CPU: the fastest that this processor has, or the one that the environment names.

use std::sync::LazyLock;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use super::amx::{TileBlocks, Tiles, real::Amx, training::TileProducts};
#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "x86_64")]
use super::avx512_bf16::Avx512Bf16;
use super::inference::Inference;
use super::portable::Portable;
use super::simd::Simd;
use super::training::{By, Training, Vectors};
use super::trunk::Blocks;
use crate::net::fold::Folded;
use crate::net::frozen::Form;

/// The environment variable that names a kernel.
const VARIABLE: &str = "PLYZERO_KERNEL";

/// A way to compute convolutions on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust, for any processor.
    Portable,
    /// AVX2 with fused multiply-adds.
    Avx2,
    /// AVX-512 in single precision.
    Avx512,
    /// AVX-512 with products of bf16, summed in single precision.
    Avx512Bf16,
    /// Tiles of bf16 (AMX), summed in single precision.
    Amx,
}

/// A kernel that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} names {name:?}, which {why}; it may be one of {possible}")]
pub struct KernelError {
    name: String,
    why: &'static str,
    possible: String,
}

impl Kernel {
    /// Every kernel, from the slowest to the fastest.
    pub const ALL: [Kernel; 5] = [Kernel::Portable, Kernel::Avx2, Kernel::Avx512, Kernel::Avx512Bf16, Kernel::Amx];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
            Kernel::Avx512Bf16 => "avx512-bf16",
            Kernel::Amx => "amx",
        }
    }

    /// Whether activations between layers are rounded to bf16.
    #[must_use]
    pub const fn rounds(self) -> bool {
        matches!(self, Kernel::Avx512Bf16 | Kernel::Amx)
    }

    /// Whether this processor has what it takes.
    #[must_use]
    pub fn is_possible(self) -> bool {
        match self {
            Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Avx512::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Bf16 => Avx512Bf16::detect().is_some(),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Kernel::Amx => Amx::detect().is_some(),
            #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
            _ => false,
        }
    }

    /// A folded network for planes of `shape` with this kernel; none where the processor does not have it.
    pub(in crate::net) fn form(self, folded: &Folded, shape: [usize; 3]) -> Option<Box<dyn Form>> {
        match self {
            Kernel::Portable => Some(in_blocks(Portable, folded, shape)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Some(in_blocks(Avx2::detect()?, folded, shape)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Some(in_blocks(Avx512::detect()?, folded, shape)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Bf16 => Some(in_blocks(Avx512Bf16::detect()?, folded, shape)),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Kernel::Amx => Some(in_tiles(Amx::detect()?, folded, shape)),
            #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
            _ => None,
        }
    }

    /// The kernel that takes the place of this one where nothing may be rounded.
    const fn exact(self) -> Self {
        match self {
            Kernel::Avx512Bf16 | Kernel::Amx => Kernel::Avx512,
            Kernel::Portable | Kernel::Avx2 | Kernel::Avx512 => self,
        }
    }

    /// What trains with this kernel: `exact`ly in f32, or rounded where the kernel rounds; none where the processor does not have it.
    pub(in crate::net) fn training(self, exact: bool) -> Option<Box<dyn Training>> {
        match if exact { self.exact() } else { self } {
            Kernel::Portable => Some(Box::new(By(Vectors(Portable)))),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Some(Box::new(By(Vectors(Avx2::detect()?)))),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Some(Box::new(By(Vectors(Avx512::detect()?)))),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Bf16 => Some(Box::new(By(Vectors(Avx512Bf16::detect()?)))),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Kernel::Amx => Some(Box::new(By(TileProducts(Amx::detect()?)))),
            #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
            _ => None,
        }
    }

    /// The kernels that this processor has, from the slowest to the fastest.
    #[must_use]
    pub fn possible() -> Vec<Kernel> {
        Kernel::ALL.into_iter().filter(|kernel| kernel.is_possible()).collect()
    }

    /// The kernel of that name.
    ///
    /// # Errors
    /// When there is none, or this processor does not have it.
    pub fn named(name: &str) -> Result<Kernel, KernelError> {
        let known = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name);
        let why = match known {
            Some(kernel) if kernel.is_possible() => return Ok(kernel),
            Some(_) => "this processor does not have",
            None => "is no kernel",
        };
        let possible: Vec<&str> = Kernel::possible().into_iter().map(Kernel::name).collect();
        Err(KernelError { name: name.to_owned(), why, possible: possible.join(", ") })
    }

    /// The kernel of this process: the one that the environment variable `PLYZERO_KERNEL` names, else the fastest. It never changes while
    /// the process lives.
    ///
    /// # Errors
    /// When the variable names a kernel that cannot be had.
    pub fn of_process() -> Result<Kernel, KernelError> {
        static CHOSEN: LazyLock<Result<Kernel, KernelError>> = LazyLock::new(|| match std::env::var_os(VARIABLE) {
            Some(name) => Kernel::named(&name.to_string_lossy()),
            None => Ok(Kernel::fastest()),
        });
        CHOSEN.clone()
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn fastest() -> Kernel {
        Kernel::ALL.into_iter().rfind(|kernel| kernel.is_possible()).unwrap_or(Kernel::Portable)
    }
}

/// What trains with the kernel of this process, which [`super::super::open_device`] has found possible.
pub(in crate::net) fn training(exact: bool) -> Box<dyn Training> {
    let kernel = Kernel::of_process().unwrap_or_else(|_| Kernel::fastest());
    kernel.training(exact).unwrap_or_else(|| Box::new(By(Vectors(Portable))))
}

/// A network whose trunk is a chain of convolutions with the micro-kernel of `S`.
fn in_blocks<S: Simd>(simd: S, folded: &Folded, shape: [usize; 3]) -> Box<dyn Form> {
    let [_, height, width] = shape;
    Box::new(Inference::new(simd.exact(), folded, shape, Blocks::new(simd, folded, height, width)))
}

/// A network whose trunk is made of products of tiles.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn in_tiles<T: Tiles>(tiles: T, folded: &Folded, shape: [usize; 3]) -> Box<dyn Form> {
    let ([_, height, width], exact) = (shape, tiles.vectors().exact());
    Box::new(Inference::new(exact, folded, shape, TileBlocks::new(tiles, folded, height, width)))
}
