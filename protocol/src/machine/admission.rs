//! Whether a node takes an operation that it has not seen: the first gate, before anything is written.
//!
//! A refusal is not recorded: nothing was started, so a caller whose refusal got lost may ask again and be taken then.
//! Draining and a pause of the owner stop new sandboxes only; what runs may be used, looked at and destroyed.
use super::ledger::Kind;
use crate::limits::{MAX_IN_FLIGHT, MAX_INVENTORY};
use crate::operation::OperationRequest;
use crate::report::{ErrorKind, OperationError};

/// What holds on this machine now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The gateway drains this node.
    pub draining: bool,
    /// The owner paused this node.
    pub paused: bool,
    /// Operations recorded and not ended.
    pub in_flight: usize,
    /// Operations ended whose end the gateway did not acknowledge.
    pub unacknowledged: usize,
}

/// Takes a new operation, or says how it ends.
///
/// # Errors
/// What to report as the end (`Ended::from`): `unsupported`, `invalid`, `draining`, `paused` or `busy`.
pub fn admit(request: &OperationRequest, conditions: &Conditions) -> Result<Kind, OperationError> {
    let Some(kind) = Kind::of(&request.operation) else {
        return Err(refuse(
            ErrorKind::Unsupported,
            "this version of the daemon does not know the operation; update the daemon",
        ));
    };
    if let Err(error) = request.validate() {
        return Err(refuse(ErrorKind::Invalid, error.to_string()));
    }
    if kind == Kind::Provision && conditions.draining {
        return Err(refuse(
            ErrorKind::Draining,
            "the machine is draining and takes no new sandbox; choose another",
        ));
    }
    if kind == Kind::Provision && conditions.paused {
        return Err(refuse(
            ErrorKind::Paused,
            "the owner paused this machine; it takes no new sandbox until `roostd pause --off`"
                .to_owned(),
        ));
    }
    if conditions.in_flight >= MAX_IN_FLIGHT {
        return Err(refuse(
            ErrorKind::Busy,
            format!("{MAX_IN_FLIGHT} operations are under way here; try again when one has ended"),
        ));
    }
    if conditions.unacknowledged >= MAX_INVENTORY {
        return Err(refuse(
            ErrorKind::Busy,
            format!("{MAX_INVENTORY} ended operations wait for the gateway's acknowledgement"),
        ));
    }
    Ok(kind)
}

fn refuse(kind: ErrorKind, detail: impl Into<String>) -> OperationError {
    OperationError {
        kind,
        detail: detail.into(),
    }
}
