//! The processor's own tiles: one instruction a function. The compiler knows none of them, hence assembly.
#![expect(unsafe_code, reason = "instructions that not every processor has, each behind the proof that this one has them")]

use std::arch::asm;
use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, _xgetbv};
use std::marker::PhantomData;
use std::sync::LazyLock;

use super::{Block, ROWS, Tiles, WORDS};
use crate::net::conv::avx512_bf16::Avx512Bf16;

/// The proof that this processor has tiles, and that the system lets this process use them.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Amx(Avx512Bf16);

impl Amx {
    pub(in crate::net) fn detect() -> Option<Self> {
        // Asked once: the system's answer holds for all threads of the process.
        static HAS: LazyLock<bool> = LazyLock::new(|| has_instructions() && saves_state() && is_permitted());
        Avx512Bf16::detect().filter(|_| *HAS).map(Self)
    }
}

/// CPUID, leaf 7: AMX-BF16 and AMX-TILE; leaf 1: XGETBV may be asked.
fn has_instructions() -> bool {
    let has = |leaf, register: fn(std::arch::x86_64::CpuidResult) -> u32, bits: u32| {
        __get_cpuid_max(0).0 >= leaf && register(__cpuid_count(leaf, 0)) & bits == bits
    };
    has(7, |found| found.edx, 1 << 22 | 1 << 24) && has(1, |found| found.ecx, 1 << 27)
}

/// Whether the system saves tiles when it switches threads: bits 17 and 18 of XCR0.
fn saves_state() -> bool {
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: register 0 exists wherever the instruction does.
        unsafe { _xgetbv(0) }
    }
    // SAFETY: asked only where CPUID says that the system has turned XSAVE on.
    let enabled = unsafe { xcr0() };
    enabled & 0x6_0000 == 0x6_0000
}

/// Asks the system to let this process have tile data, once for all its threads: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
fn is_permitted() -> bool {
    let (arch_prctl, request, feature) = (158i64, 0x1023u64, 18u64);
    let answer: i64;
    // SAFETY: this call of Linux touches no memory of ours; it changes the two registers that are named.
    unsafe {
        asm!("syscall", inlateout("rax") arch_prctl => answer, in("rdi") request, in("rsi") feature,
            lateout("rcx") _, lateout("r11") _, options(nostack, nomem));
    }
    answer == 0
}

/// Palette 1 with all eight tiles of 16 rows of 64 bytes.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

static CONFIGURATION: Configuration = Configuration {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// The tiles of this thread, configured; dropped, they are released. It cannot go to another thread.
pub(in crate::net) struct Configured(PhantomData<*const ()>);

impl Tiles for Amx {
    type Vectors = Avx512Bf16;
    type Block = Configured;

    fn vectors(self) -> Avx512Bf16 {
        self.0
    }

    fn configure(self) -> Configured {
        // SAFETY: `self` proves the instruction; the 64 bytes are a valid configuration.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(nostack, preserves_flags, readonly)) }
        Configured(PhantomData)
    }
}

/// Words from the first of a tile's rows to beyond its last.
fn reach(pitch: usize) -> usize {
    (ROWS - 1) * pitch + WORDS
}

impl Block for Configured {
    #[inline(always)]
    fn zero<const T: usize>(&mut self) {
        const { assert!(T < 8) };
        // SAFETY: `self` proves that the tiles are configured.
        unsafe { asm!("tilezero tmm{}", const T, options(nostack, preserves_flags, nomem)) }
    }

    #[inline(always)]
    fn load<const T: usize>(&mut self, words: &[u32], pitch: usize) {
        const { assert!(T < 8) };
        let words = &words[..reach(pitch)];
        // SAFETY: `self` proves that the tiles are configured; the slice holds the 16 rows that are read.
        unsafe {
            asm!("tileloadd tmm{}, [{} + {}]", const T, in(reg) words.as_ptr(), in(reg) pitch * size_of::<u32>(),
                options(nostack, preserves_flags, readonly));
        }
    }

    #[inline(always)]
    fn load_sums<const T: usize>(&mut self, sums: &[f32], pitch: usize) {
        const { assert!(T < 8) };
        let sums = &sums[..reach(pitch)];
        // SAFETY: `self` proves that the tiles are configured; the slice holds the 16 rows that are read.
        unsafe {
            asm!("tileloadd tmm{}, [{} + {}]", const T, in(reg) sums.as_ptr(), in(reg) pitch * size_of::<f32>(),
                options(nostack, preserves_flags, readonly));
        }
    }

    #[inline(always)]
    fn add_products<const C: usize, const A: usize, const B: usize>(&mut self) {
        const { assert!(A < 8 && B < 8 && C < 8 && A != B && A != C && B != C) };
        // SAFETY: `self` proves that the tiles are configured; they are three different ones, as the instruction demands.
        unsafe {
            asm!("tdpbf16ps tmm{}, tmm{}, tmm{}", const C, const A, const B, options(nostack, preserves_flags, nomem));
        }
    }

    #[inline(always)]
    fn store<const T: usize>(&self, sums: &mut [f32], pitch: usize) {
        const { assert!(T < 8) };
        let sums = &mut sums[..reach(pitch)];
        // SAFETY: `self` proves that the tiles are configured; the slice has room for the 16 rows that are written.
        unsafe {
            asm!("tilestored [{} + {}], tmm{}", in(reg) sums.as_mut_ptr(), in(reg) pitch * size_of::<f32>(), const T,
                options(nostack, preserves_flags));
        }
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        // SAFETY: `self` proves that the tiles are configured; nobody reads them after this.
        unsafe { asm!("tilerelease", options(nostack, preserves_flags, nomem)) }
    }
}
