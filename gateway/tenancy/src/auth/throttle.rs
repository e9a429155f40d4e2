//! Limits failed sign-ins: buckets for accounts, addresses and known browsers. Pure; the caller passes the time in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The failures that an account may have at once. One is given back each [`REFILL`].
const PER_ACCOUNT: u32 = 10;
/// The failures that an address may have at once.
const PER_ADDRESS: u32 = 30;
/// How long until one more try is allowed.
const REFILL: Duration = Duration::from_secs(60);
/// The most buckets that are kept. Buckets without failures are removed first.
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

/// What an attempt counts against.
#[derive(Debug, Clone, Copy)]
pub enum Against<'a> {
    /// A stranger at an address, with the name of an account.
    Account { email: &'a str, address: &'a str },
    /// A stranger at an address, without the name of an account: a one-time login, an invitation, a code.
    Address(&'a str),
    /// A signed-in person, or a browser that signed in to the account before. Attempts of others do not count here.
    Known(&'a str),
}

impl Against<'_> {
    fn buckets(self) -> Vec<(String, u32)> {
        match self {
            Self::Account { email, address } => vec![
                (format!("address {address}"), PER_ADDRESS),
                (format!("account {email}"), PER_ACCOUNT),
            ],
            Self::Address(address) => vec![(format!("address {address}"), PER_ADDRESS)],
            Self::Known(name) => vec![(format!("known {name}"), PER_ACCOUNT)],
        }
    }

    /// What a success clears. It never clears an address: one known password must not allow more guesses of others.
    fn cleared(self) -> Option<String> {
        match self {
            Self::Account { email, .. } => Some(format!("account {email}")),
            Self::Address(_) => None,
            Self::Known(name) => Some(format!("known {name}")),
        }
    }
}

impl Throttle {
    /// Counts an attempt as a failure before the password is checked. Concurrent attempts then cannot exceed the limit.
    /// The caller reports a success with [`succeeded`](Self::succeeded).
    ///
    /// # Errors
    /// The seconds until the next attempt, when none is left. A refused attempt is not counted.
    pub fn attempt(&self, against: Against<'_>, now: Instant) -> Result<(), u64> {
        let wanted = against.buckets();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = wanted
            .iter()
            .filter_map(|(key, limit)| {
                let over = buckets.get(key)?.level_at(now) + 1.0 - f64::from(*limit);
                (over > 0.0).then(|| REFILL.mul_f64(over).as_secs().max(1))
            })
            .max();
        if let Some(wait) = wait {
            return Err(wait);
        }
        if buckets.len() >= MOST_BUCKETS {
            buckets.retain(|_, bucket| bucket.level_at(now) > 0.0);
        }
        for (key, limit) in wanted {
            let bucket = buckets.entry(key).or_insert(Bucket {
                level: 0.0,
                at: now,
                limit,
            });
            bucket.level = (bucket.level_at(now) + 1.0).min(f64::from(bucket.limit));
            bucket.at = now;
        }
        Ok(())
    }

    /// Clears what a successful attempt may clear.
    pub fn succeeded(&self, against: Against<'_>) {
        if let Some(key) = against.cleared() {
            let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
            buckets.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::clock::{Clock, TestClock};

    fn account<'a>(email: &'a str, address: &'a str) -> Against<'a> {
        Against::Account { email, address }
    }

    #[test]
    fn an_account_is_closed_to_strangers_after_ten_failures_from_anywhere_and_opens_with_time() {
        let (throttle, clock) = (Throttle::default(), TestClock::default());
        let attempt = |against| throttle.attempt(against, clock.monotonic());
        for n in 0..PER_ACCOUNT {
            let address = format!("10.0.0.{n}");
            assert_eq!(
                throttle.attempt(account("a@x", &address), clock.monotonic()),
                Ok(())
            );
        }
        assert_eq!(attempt(account("a@x", "10.9.9.9")), Err(60));
        assert_eq!(attempt(account("b@x", "10.9.9.9")), Ok(()));
        assert_eq!(
            attempt(Against::Known("device")),
            Ok(()),
            "not to its owner"
        );
        clock.advance(REFILL);
        assert_eq!(attempt(account("a@x", "10.9.9.9")), Ok(()));
    }

    #[test]
    fn an_address_is_closed_after_thirty_failures_on_any_accounts() {
        let (throttle, clock) = (Throttle::default(), TestClock::default());
        let attempt = |against| throttle.attempt(against, clock.monotonic());
        for n in 0..PER_ADDRESS {
            let email = format!("{n}@x");
            assert_eq!(
                throttle.attempt(account(&email, "10.0.0.1"), clock.monotonic()),
                Ok(())
            );
        }
        throttle.succeeded(account("1@x", "10.0.0.1"));
        assert!(attempt(Against::Address("10.0.0.1")).is_err());
        assert_eq!(attempt(Against::Address("10.0.0.2")), Ok(()));
    }

    #[test]
    fn a_known_browser_has_a_limit_of_its_own() {
        let (throttle, clock) = (Throttle::default(), TestClock::default());
        let attempt = |against| throttle.attempt(against, clock.monotonic());
        for _ in 0..PER_ACCOUNT {
            assert_eq!(attempt(Against::Known("mine")), Ok(()));
        }
        assert_eq!(attempt(Against::Known("mine")), Err(60));
        assert_eq!(attempt(Against::Known("another")), Ok(()));
        throttle.succeeded(Against::Known("mine"));
        assert_eq!(attempt(Against::Known("mine")), Ok(()));
    }
}
