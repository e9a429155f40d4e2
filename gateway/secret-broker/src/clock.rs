//! The time, passed in, so that a test decides what has expired.

use std::sync::Arc;

/// Unix milliseconds. Cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// The machine's.
    pub fn system() -> Self {
        Self(Arc::new(|| chrono::Utc::now().timestamp_millis()))
    }

    /// One that a test moves.
    #[cfg(test)]
    pub fn of(now: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Now.
    pub fn now_ms(&self) -> i64 {
        (self.0)()
    }
}
