//! The error with which a supervisor ends when its static children fail too often. Its parent handles it as the failure
//! of one child, by its own policy. At the root it ends the program.

use std::time::Duration;

/// More restarts than the intensity allows.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} gave up: more than {max} restarts within {within:?}; the last child to fail was {child}: {failure}"
)]
pub(super) struct Escalation {
    pub(super) path: String,
    pub(super) child: String,
    pub(super) failure: String,
    pub(super) max: u32,
    pub(super) within: Duration,
}
