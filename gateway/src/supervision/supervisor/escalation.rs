//! Giving up: the error with which a supervisor ends when its static children fail more often than is normal. Its
//! parent sees it as the failure of one child and applies its own policy; at the root it ends the program.

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
