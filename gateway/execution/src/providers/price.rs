//! The cost of tokens.

use super::request::Usage;

/// The maximum cost of one turn, in millionths of a dollar. It keeps sums of costs within their number type.
const MOST: u64 = 1_000_000_000_000;

/// Millionths of a dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: u64,
    pub output: u64,
}

impl Price {
    /// The cost of this usage, rounded up, so that rounding never passes a ceiling. Tokens from a cache count in
    /// full, because providers discount them differently.
    pub fn of(self, usage: Usage) -> u64 {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let millionths =
            part(usage.input, self.input).saturating_add(part(usage.output, self.output));
        let cost = millionths.div_ceil(1_000_000);
        u64::try_from(cost).map_or(MOST, |cost| cost.min(MOST))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            cached: input / 2,
        }
    }

    #[test]
    fn a_dollar_a_million_is_a_dollar_a_million() {
        let price = Price {
            input: 1_000_000,
            output: 10_000_000,
        };
        assert_eq!(price.of(usage(1_000_000, 0)), 1_000_000);
        assert_eq!(price.of(usage(1_000, 500)), 1_000 + 5_000);
        assert_eq!(price.of(usage(0, 0)), 0);
    }

    #[test]
    fn a_part_of_a_millionth_counts_as_one() {
        let price = Price {
            input: 1,
            output: 0,
        };
        assert_eq!(price.of(usage(1, 0)), 1);
    }

    proptest! {
        #[test]
        fn more_tokens_never_cost_less(input: u64, output: u64, more: u64, price in any::<(u64, u64)>()) {
            let price = Price { input: price.0, output: price.1 };
            let before = price.of(usage(input, output));
            prop_assert!(price.of(usage(input.saturating_add(more), output)) >= before);
        }
    }
}
