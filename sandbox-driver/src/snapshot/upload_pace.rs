//! Bounds how fast snapshots are uploaded: a bucket of bytes that fills again with time. Only the owner sets the rate.
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How fast chunks may be sent to the gateway's store.
#[derive(Debug)]
pub struct UploadPace {
    /// `None`: as fast as the line.
    bucket: Option<Mutex<Bucket>>,
}

impl UploadPace {
    /// With this many bytes a second; `None` is without a limit.
    pub fn new(bytes_a_second: Option<u64>) -> Self {
        let bucket = bytes_a_second.map(|rate| Mutex::new(Bucket::full(rate, Instant::now())));
        Self { bucket }
    }

    /// Waits until this many bytes may be sent.
    pub async fn take(&self, bytes: usize) {
        let Some(bucket) = &self.bucket else {
            return;
        };
        let wait = bucket
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(bytes as u64, Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}

/// A bucket that holds what may be sent in one second. A chunk that is larger than what is left makes a debt, and the debt
/// is waited for. So each chunk is sent at last, and the average keeps to the rate.
#[derive(Debug)]
struct Bucket {
    /// Bytes a second, at least 1.
    rate: u64,
    /// Until when the bytes that were taken are paid; in the past, the bucket fills again.
    paid: Instant,
}

impl Bucket {
    const HOLDS: Duration = Duration::from_secs(1);

    fn full(rate: u64, now: Instant) -> Self {
        Self {
            rate: rate.max(1),
            paid: now.checked_sub(Self::HOLDS).unwrap_or(now),
        }
    }

    /// Takes bytes, and returns how long to wait before they are sent.
    fn take(&mut self, bytes: u64, now: Instant) -> Duration {
        let fullest = now.checked_sub(Self::HOLDS).unwrap_or(now);
        let cost = u128::from(bytes) * 1_000_000_000 / u128::from(self.rate);
        let cost = Duration::from_nanos(u64::try_from(cost).unwrap_or(u64::MAX));
        self.paid = self.paid.max(fullest) + cost;
        self.paid.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_gives_one_second_at_once_and_then_keeps_the_rate() {
        let begin = Instant::now() + Duration::from_secs(60);
        let mut bucket = Bucket::full(1_000, begin);
        assert_eq!(bucket.take(1_000, begin), Duration::ZERO);
        assert_eq!(bucket.take(500, begin), Duration::from_millis(500));
        assert_eq!(bucket.take(500, begin), Duration::from_secs(1));
        // After its debt is paid and a second has passed, it is full, and never more than full.
        let later = begin + Duration::from_secs(100);
        assert_eq!(bucket.take(1_000, later), Duration::ZERO);
        assert_eq!(bucket.take(1, later), Duration::from_millis(1));
    }

    #[test]
    fn chunk_that_is_larger_than_the_bucket_is_sent_at_last() {
        let begin = Instant::now() + Duration::from_secs(60);
        let mut bucket = Bucket::full(10, begin);
        assert_eq!(bucket.take(1_000, begin), Duration::from_secs(99));
        let later = begin + Duration::from_secs(99);
        assert_eq!(bucket.take(10, later), Duration::from_secs(1));
    }

    #[test]
    fn sum_of_waits_keeps_the_rate() {
        let begin = Instant::now() + Duration::from_secs(60);
        let (mut bucket, mut now) = (Bucket::full(1 << 20, begin), begin);
        for _ in 0..11 {
            now += bucket.take(1 << 20, now);
        }
        assert_eq!(now - begin, Duration::from_secs(10));
    }

    #[tokio::test]
    async fn upload_waits_only_when_the_limit_is_reached() {
        use futures::FutureExt;
        let pace = UploadPace::new(Some(1 << 20));
        assert!(pace.take(1 << 10).now_or_never().is_some());
        assert!(pace.take(1 << 30).now_or_never().is_none());
        let unlimited = UploadPace::new(None);
        assert!(unlimited.take(usize::MAX).now_or_never().is_some());
    }
}
