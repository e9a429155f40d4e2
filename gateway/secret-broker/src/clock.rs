//! The time, passed in, so that a test can control expiry.

use std::sync::Arc;

/// Unix milliseconds. Cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Arc::new(|| chrono::Utc::now().timestamp_millis()))
    }

    /// A clock that a test controls.
    #[cfg(test)]
    pub fn of(now: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Now.
    pub fn now_ms(&self) -> i64 {
        (self.0)()
    }
}
