//! Limits how many requests for chunks a machine sends. The buckets are in this gateway's memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::routes::A_MINUTE;
use crate::sandboxes::rates::{Bucket, bucket};
use roost_platform::ids::NodeId;

/// The buckets of all machines. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ChunkPace(Arc<Mutex<HashMap<NodeId, Bucket>>>);

impl ChunkPace {
    /// Takes one request of a machine.
    ///
    /// # Errors
    /// The time until the machine may send one more.
    pub fn take(&self, node: NodeId, now: Instant) -> Result<(), Duration> {
        // Numbers in a map: consistent after any line.
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bucket(&mut buckets, node, A_MINUTE, now).take(A_MINUTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_that_sent_too_many_requests_waits_and_others_do_not() {
        let pace = ChunkPace::default();
        let now = Instant::now();
        let node = |n| NodeId(uuid::Uuid::from_u128(n));
        for _ in 0..A_MINUTE {
            assert_eq!(pace.take(node(1), now), Ok(()));
        }
        let wait = pace.take(node(1), now).unwrap_err();
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
        assert_eq!(pace.take(node(2), now), Ok(()));
        assert_eq!(pace.take(node(1), now + Duration::from_secs(1)), Ok(()));
    }
}
