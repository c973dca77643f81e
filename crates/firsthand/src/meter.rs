//! What the choice of an address tells whoever receives the request.
//!
//! The model writes no byte of what leaves, but it chooses which address opens. Whoever offered the choice may have given
//! each address a meaning, so one of *n* tells log2(*n* + 1) bits: the one more is that none is opened.

use std::iter::Sum;
use std::ops::Add;

/// An amount of information, in thousandths of a bit. Logarithms are rounded up, so that no charge is below what was told, and are
/// computed with integers, so that every machine comes to the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits(u64);

/// How many binary digits behind the point a logarithm is computed to.
const DIGITS: u32 = 16;

impl Bits {
    /// None.
    pub const ZERO: Self = Self(0);

    /// So many thousandths of a bit.
    pub const fn thousandths(thousandths: u64) -> Self {
        Self(thousandths)
    }

    /// What opening one of so many addresses tells, or opening none.
    pub fn of_one_among(addresses: u64) -> Self {
        let among = u128::from(addresses) + 1;
        let whole = among.ilog2();
        if among.is_power_of_two() {
            return Self(u64::from(whole) * 1000);
        }
        // Squaring a number from 1 to 2 doubles its logarithm: what passes 2 is the next digit.
        let one = 1_u128 << 62;
        let mut mantissa = (among << 62) >> whole;
        let mut digits = u64::from(whole);
        for _ in 0..DIGITS {
            mantissa = (mantissa * mantissa) >> 62;
            digits *= 2;
            if mantissa >= 2 * one {
                mantissa >>= 1;
                digits += 1;
            }
        }
        // What the last digit leaves out is less than one of it.
        Self(((digits + 1) * 1000).div_ceil(1 << DIGITS))
    }

    /// So many bits, to the nearest thousandth; `None` where they are no number from 0.
    pub fn from_f64(bits: f64) -> Option<Self> {
        if !(bits.is_finite() && bits >= 0.0) {
            return None;
        }
        // A float that is too large becomes the largest integer.
        Some(Self((bits * 1000.0).round() as u64))
    }

    /// In bits.
    pub fn to_f64(self) -> f64 {
        let (whole, rest) = (self.0 / 1000, self.0 % 1000);
        let exact = |part: u64| f64::from(u32::try_from(part).unwrap_or(u32::MAX));
        exact(whole) + exact(rest) / 1000.0
    }

    /// In thousandths of a bit.
    pub fn in_thousandths(self) -> u64 {
        self.0
    }
}

impl Add for Bits {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Bits {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Self::add)
    }
}

/// How much may be told in one tree of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// To one site; no limit where there is none.
    pub per_site: Option<Bits>,
    /// To all sites together.
    pub per_tree: Option<Bits>,
    /// What a call past it comes to.
    pub over: Over,
}

/// What a call past the budget comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// A person is asked, where there is one.
    #[default]
    Ask,
    /// It is refused.
    Refuse,
}

impl Over {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_never_charged_less_than_it_tells_nor_much_more() {
        let powers = (1..=63).flat_map(|power| [(1_u64 << power) - 1, (1 << power) - 2, 1 << power]);
        for addresses in (0..5000).chain(powers) {
            let told = (u128::from(addresses) + 1) as f64;
            let charged = Bits::of_one_among(addresses).to_f64();
            assert!((0.0..0.0021).contains(&(charged - told.log2())), "{addresses}: {charged}");
        }
        assert_eq!(Bits::of_one_among(0), Bits::ZERO);
        assert_eq!(Bits::of_one_among(1), Bits::thousandths(1000));
        assert_eq!(Bits::of_one_among(255), Bits::thousandths(8000));
    }
}
