//! How many sign-ins may fail: a bucket an account and a bucket an address, pure, by a clock that is passed in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures that an account may have at once; one comes back each [`REFILL`].
const PER_ACCOUNT: u32 = 10;
/// Failures that an address may have at once.
const PER_ADDRESS: u32 = 30;
/// How long until one more try is allowed.
const REFILL: Duration = Duration::from_secs(60);
/// Buckets that are kept; full ones (which say nothing) go first.
const MOST_BUCKETS: usize = 20_000;

/// Counts failed sign-ins of this gateway.
#[derive(Debug, Clone, Default)]
pub struct Throttle {
    buckets: Arc<Mutex<HashMap<String, Bucket>>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Failures, draining by one each [`REFILL`].
    level: f64,
    at: Instant,
    limit: u32,
}

impl Bucket {
    fn level_at(&self, now: Instant) -> f64 {
        let drained = now.saturating_duration_since(self.at).as_secs_f64() / REFILL.as_secs_f64();
        (self.level - drained).max(0.0)
    }
}

impl Throttle {
    /// Whether a try is allowed now; otherwise the seconds to wait. `account` is absent for one-time logins.
    ///
    /// # Errors
    /// The seconds until the next try.
    pub fn check(&self, account: Option<&str>, address: &str, now: Instant) -> Result<(), u64> {
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = keys(account, address)
            .iter()
            .filter_map(|(key, limit)| {
                let over = buckets.get(key)?.level_at(now) + 1.0 - f64::from(*limit);
                (over > 0.0).then(|| REFILL.mul_f64(over).as_secs().max(1))
            })
            .max();
        wait.map_or(Ok(()), Err)
    }

    /// Counts a failure.
    pub fn failed(&self, account: Option<&str>, address: &str, now: Instant) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_BUCKETS {
            buckets.retain(|_, bucket| bucket.level_at(now) > 0.0);
        }
        for (key, limit) in keys(account, address) {
            let bucket = buckets.entry(key).or_insert(Bucket {
                level: 0.0,
                at: now,
                limit,
            });
            bucket.level = (bucket.level_at(now) + 1.0).min(f64::from(bucket.limit));
            bucket.at = now;
        }
    }

    /// A success clears the account (not the address: one known password must not open the way to guess others).
    pub fn succeeded(&self, account: &str) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.remove(&format!("account {account}"));
    }
}

fn keys(account: Option<&str>, address: &str) -> Vec<(String, u32)> {
    let mut keys = vec![(format!("address {address}"), PER_ADDRESS)];
    keys.extend(account.map(|account| (format!("account {account}"), PER_ACCOUNT)));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, TestClock};

    #[test]
    fn an_account_is_closed_after_ten_failures_from_anywhere_and_opens_with_time() {
        let (throttle, clock) = (Throttle::default(), TestClock::default());
        for n in 0..PER_ACCOUNT {
            let address = format!("10.0.0.{n}");
            assert_eq!(
                throttle.check(Some("a@x"), &address, clock.monotonic()),
                Ok(())
            );
            throttle.failed(Some("a@x"), &address, clock.monotonic());
        }
        let wait = throttle.check(Some("a@x"), "10.9.9.9", clock.monotonic());
        assert_eq!(wait, Err(60));
        assert_eq!(
            throttle.check(Some("b@x"), "10.9.9.9", clock.monotonic()),
            Ok(())
        );
        clock.advance(REFILL);
        assert_eq!(
            throttle.check(Some("a@x"), "10.9.9.9", clock.monotonic()),
            Ok(())
        );
    }

    #[test]
    fn an_address_is_closed_after_thirty_failures_on_any_accounts() {
        let (throttle, clock) = (Throttle::default(), TestClock::default());
        for n in 0..PER_ADDRESS {
            throttle.failed(Some(&format!("{n}@x")), "10.0.0.1", clock.monotonic());
        }
        throttle.succeeded("1@x");
        let one_time_login = throttle.check(None, "10.0.0.1", clock.monotonic());
        assert!(one_time_login.is_err());
        assert_eq!(throttle.check(None, "10.0.0.2", clock.monotonic()), Ok(()));
    }
}
