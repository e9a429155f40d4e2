//! How writes become batches. Pure code.

/// The maximum number of writes in a batch.
pub(super) const MOST_WRITES: usize = 512;
/// The maximum size of a batch in bytes. One larger write is a batch of its own.
pub(super) const MOST_BYTES: usize = 256 << 10;

/// Whether a write of this size joins a batch.
pub(super) fn fits(writes: usize, bytes: usize, next: usize) -> bool {
    writes == 0 || (writes < MOST_WRITES && bytes.saturating_add(next) <= MOST_BYTES)
}

/// Both halves of a batch that failed as a whole, in their order. `None` for a single write: it is the one that fails.
pub(super) fn halves<T>(mut batch: Vec<T>) -> Result<(Vec<T>, Vec<T>), Option<T>> {
    match batch.len() {
        0 | 1 => Err(batch.pop()),
        n => {
            let second = batch.split_off(n / 2);
            Ok((batch, second))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn batch_stays_within_its_bounds(sizes in prop::collection::vec(0usize..300_000, 1..2_000)) {
            let (mut writes, mut bytes) = (0, 0);
            for size in sizes {
                if fits(writes, bytes, size) {
                    (writes, bytes) = (writes + 1, bytes + size);
                } else {
                    (writes, bytes) = (1, size);
                }
                prop_assert!((1..=MOST_WRITES).contains(&writes));
                prop_assert!(bytes <= MOST_BYTES || writes == 1);
            }
        }

        #[test]
        fn halves_keep_all_writes_in_their_order(batch in prop::collection::vec(any::<u16>(), 0..600)) {
            match halves(batch.clone()) {
                Ok((first, second)) => {
                    prop_assert!(first.len() <= second.len() && second.len() <= first.len() + 1);
                    prop_assert_eq!([first, second].concat(), batch);
                }
                Err(alone) => prop_assert_eq!(Vec::from_iter(alone), batch),
            }
        }

        #[test]
        fn one_bad_write_costs_few_attempts(len in 1usize..513, bad in any::<prop::sample::Index>()) {
            let bad = bad.index(len);
            let (mut parts, mut attempts, mut written) = (vec![(0..len).collect::<Vec<_>>()], 0, Vec::new());
            while let Some(part) = parts.pop() {
                attempts += 1;
                if !part.contains(&bad) {
                    written.extend(part);
                } else if let Ok((first, second)) = halves(part) {
                    parts.extend([second, first]);
                }
            }
            prop_assert_eq!(written, (0..len).filter(|n| *n != bad).collect::<Vec<_>>());
            prop_assert!(attempts <= 19, "{attempts}");
        }
    }
}
