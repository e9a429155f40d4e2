//! The Mann-Whitney U test (Wilcoxon's rank-sum test) of two groups of values, two-sided.
//!
//! - H. B. Mann, D. R. Whitney: "On a Test of Whether one of Two Random Variables is Stochastically Larger than the
//!   Other", Annals of Mathematical Statistics 18 (1947).
//! - B. Streitberg, J. Röhmel: "Exact Distributions for Permutation and Rank Tests: An Introduction to Some Recently
//!   Published Algorithms", Statistical Software Newsletter 12 (1986). Their shift algorithm counts the divisions of
//!   the ranks for each sum, also when values are equal.
//!
//! Libraries in reach refuse equal values in their exact test, and their approximation is wrong for the five to ten runs
//! that a benchmark phase has. Counts of bytes are often equal, so the exact test is written here.

/// Up to this many values in each group the test is exact. The counts stay below 2^53, so `f64` holds them exactly.
const MOST_EXACT: usize = 25;

/// The probability of a difference at least as large as this one when both groups come from the same distribution.
/// Groups of up to 25 values are tested exactly, larger ones by the normal approximation with corrections for
/// equal values and for continuity. It is 1 when a group is empty or a value is not a number.
pub fn p_value(one: &[f64], other: &[f64]) -> f64 {
    if one.is_empty() || other.is_empty() || one.iter().chain(other).any(|v| v.is_nan()) {
        return 1.0;
    }
    let ranks = Ranks::of(one, other);
    if one.len() <= MOST_EXACT && other.len() <= MOST_EXACT {
        ranks.exact()
    } else {
        ranks.normal()
    }
}

/// The smallest value that the exact test can give for groups of these sizes: 2 / C(n + m, n).
pub(super) fn smallest_p(one: usize, other: usize) -> f64 {
    if one == 0 || other == 0 {
        return 1.0;
    }
    let divisions = (1..=one).fold(1.0, |count, k| count * (other + k) as f64 / k as f64);
    (2.0 / divisions).min(1.0)
}

/// The ranks of both groups together. They are doubled, so that the middle rank of equal values is a whole number.
struct Ranks {
    doubled: Vec<usize>,
    /// The sum of the first group's doubled ranks.
    sum: usize,
    first: usize,
    /// The sum of t³ - t over the groups of t equal values.
    ties: f64,
}

impl Ranks {
    fn of(one: &[f64], other: &[f64]) -> Self {
        let mut all: Vec<(f64, bool)> = one
            .iter()
            .map(|value| (*value, true))
            .chain(other.iter().map(|value| (*value, false)))
            .collect();
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut ranks = Self {
            doubled: Vec::with_capacity(all.len()),
            sum: 0,
            first: one.len(),
            ties: 0.0,
        };
        // `==` and not `total_cmp`, so that 0.0 and -0.0 are equal. They stand side by side.
        for equal in all.chunk_by(|(a, _), (b, _)| a == b) {
            let begin = ranks.doubled.len();
            let rank = 2 * begin + equal.len() + 1;
            ranks.doubled.extend(std::iter::repeat_n(rank, equal.len()));
            ranks.sum += rank * equal.iter().filter(|(_, of_first)| *of_first).count();
            let size = equal.len() as f64;
            ranks.ties += size.powi(3) - size;
        }
        ranks
    }

    /// Counts, for each sum, the ways to choose the first group's ranks.
    fn exact(&self) -> f64 {
        let most: usize = self.doubled.iter().sum();
        let mut ways = vec![vec![0.0_f64; most + 1]; self.first + 1];
        ways[0][0] = 1.0;
        for rank in &self.doubled {
            for chosen in (0..self.first).rev() {
                let (fewer, more) = ways.split_at_mut(chosen + 1);
                for sum in *rank..=most {
                    more[0][sum] += fewer[chosen][sum - rank];
                }
            }
        }
        let of_size = &ways[self.first];
        let all: f64 = of_size.iter().sum();
        let below: f64 = of_size[..=self.sum].iter().sum();
        let above: f64 = of_size[self.sum..].iter().sum();
        (2.0 * below.min(above) / all).min(1.0)
    }

    fn normal(&self) -> f64 {
        let n = self.doubled.len() as f64;
        let (one, other) = (self.first as f64, n - self.first as f64);
        let u = self.sum as f64 / 2.0 - one * (one + 1.0) / 2.0;
        let variance = one * other / 12.0 * ((n + 1.0) - self.ties / (n * (n - 1.0)));
        if variance <= 0.0 {
            return 1.0;
        }
        let distance = ((u - one * other / 2.0).abs() - 0.5).max(0.0);
        libm::erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Ranks, p_value, smallest_p};

    fn close(got: f64, wanted: f64) {
        assert!((got - wanted).abs() < 1e-12, "{got} is not {wanted}");
    }

    /// The example in the documentation of `scipy.stats.mannwhitneyu`: ages at a diagnosis of diabetes.
    #[test]
    fn the_example_of_scipy() {
        let (men, women) = ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0]);
        close(p_value(&men, &women), 0.111_111_111_111_111_1);
        close(Ranks::of(&men, &women).normal(), 0.111_346_886_533_140_41);
    }

    /// Critical values of U for two-sided tests at 0.01 in printed tables: the largest U that is significant.
    #[test]
    fn critical_values_of_printed_tables() {
        for (size, critical) in [
            (5, 0),
            (6, 2),
            (7, 4),
            (8, 7),
            (10, 16),
            (12, 27),
            (15, 51),
            (20, 105),
        ] {
            assert!(with_u(size, critical) <= 0.01, "n = {size}, U = {critical}");
            assert!(
                with_u(size, critical + 1) > 0.01,
                "n = {size}, U = {}",
                critical + 1
            );
        }
    }

    /// The p-value of two groups of a size whose statistic is `u`.
    fn with_u(size: usize, u: usize) -> f64 {
        // Each step of a value of the first group over one of the second adds 1 to U.
        let mut steps = u;
        let one: Vec<f64> = (0..size)
            .rev()
            .map(|place| {
                let over = steps.min(size);
                steps -= over;
                over as f64 + place as f64 / 1000.0 - 0.5
            })
            .collect();
        let other: Vec<f64> = (0..size).map(|place| place as f64).collect();
        p_value(&one, &other)
    }

    #[test]
    fn equal_values_share_a_rank() {
        // Of the 20 divisions, 2 have a sum of ranks as small as this one.
        close(p_value(&[1.0, 1.0, 2.0], &[2.0, 3.0, 3.0]), 0.2);
        close(p_value(&[0.0; 5], &[-0.0; 5]), 1.0);
        close(p_value(&[5.0; 60], &[5.0; 60]), 1.0);
    }

    #[test]
    fn groups_that_cannot_be_compared_do_not_differ() {
        close(p_value(&[], &[1.0]), 1.0);
        close(p_value(&[f64::NAN, 1.0], &[1.0]), 1.0);
        close(p_value(&[1.0], &[2.0]), 1.0);
    }

    #[test]
    fn the_smallest_value_is_that_of_groups_that_do_not_overlap() {
        for size in 1..=20 {
            let low: Vec<f64> = (0..size).map(f64::from).collect();
            let high: Vec<f64> = (100..100 + size).map(f64::from).collect();
            close(p_value(&low, &high), smallest_p(low.len(), high.len()));
        }
        close(smallest_p(5, 5), 2.0 / 252.0);
    }

    proptest! {
        #[test]
        fn the_test_is_symmetric_and_a_probability(
            one in prop::collection::vec(-5_i8..5, 0..40),
            other in prop::collection::vec(-5_i8..5, 0..40),
        ) {
            let one: Vec<f64> = one.into_iter().map(f64::from).collect();
            let other: Vec<f64> = other.into_iter().map(f64::from).collect();
            let p = p_value(&one, &other);
            prop_assert!((0.0..=1.0).contains(&p));
            prop_assert!((p - p_value(&other, &one)).abs() < 1e-9);
        }

        /// The approximation agrees with the exact test where both can be used.
        #[test]
        fn the_approximation_is_near_the_exact_test(
            one in prop::collection::vec(0_u16..1000, 20..25),
            other in prop::collection::vec(0_u16..1000, 20..25),
        ) {
            let one: Vec<f64> = one.into_iter().map(f64::from).collect();
            let other: Vec<f64> = other.into_iter().map(f64::from).collect();
            let ranks = Ranks::of(&one, &other);
            prop_assert!((ranks.exact() - ranks.normal()).abs() < 0.02);
        }
    }
}
