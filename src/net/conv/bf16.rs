//! bf16: the upper half of an f32, 8 bits of exponent and 7 of fraction.

/// The nearest bf16, ties to even, as its bits. What is no number stays none.
pub(super) fn round(number: f32) -> u16 {
    let bits = number.to_bits();
    if number.is_nan() {
        return (bits >> 16) as u16 | 0x40; // quiet, and surely not infinite
    }
    // Half of the last place less one, and one more where the last bit that stays is set: only then does a tie carry.
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The number that these bits stand for.
#[cfg(test)]
pub(super) fn widen(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Two numbers rounded, the first in the lower half.
pub(super) fn pair(first: f32, second: f32) -> u32 {
    u32::from(round(first)) | u32::from(round(second)) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_and_ties_go_to_even() {
        for bits in (0..=u16::MAX).filter(|&bits| widen(bits).is_finite()) {
            assert_eq!(round(widen(bits)), bits, "what is a bf16 stays");
            let next = widen(bits + 1);
            if next.is_finite() && next.is_sign_negative() == widen(bits).is_sign_negative() {
                let tie = f32::from_bits((u32::from(bits) << 16) + 0x8000);
                assert_eq!(round(tie), bits + (bits & 1), "{tie}");
                assert_eq!(round(f32::from_bits(tie.to_bits() - 1)), bits);
                assert_eq!(round(f32::from_bits(tie.to_bits() + 1)), bits + 1);
            }
        }
        assert_eq!(round(f32::MAX), round(f32::INFINITY));
        assert!([f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)].iter().all(|&number| widen(round(number)).is_nan()));
        assert_eq!(pair(1.0, -2.0), 0xc000_3f80);
    }
}
