//! Errors as faults of the wire: one place, so that each kind is always called the same.

use roost_secret_broker::wire::{Fault, FaultCode};

use crate::audit::AuditError;
use crate::egress::chain;
use crate::root::RootError;
use crate::seal::SealError;
use crate::store::StoreError;

/// A store's error as its fault.
pub fn fault_of(error: &StoreError) -> Fault {
    let code = match error {
        StoreError::Unknown(_) => FaultCode::UnknownRecord,
        StoreError::Rekeying => FaultCode::Busy,
        StoreError::Backup(_) => FaultCode::BadRequest,
        StoreError::Seal { source, .. } => match source {
            SealError::Root(RootError::Tampered) => FaultCode::RecordDamaged,
            SealError::Root(_) => FaultCode::RootUnavailable,
            _ => FaultCode::RecordDamaged,
        },
        StoreError::Shape { .. } | StoreError::Stuck { .. } => FaultCode::RecordDamaged,
        StoreError::Folder { .. }
        | StoreError::InUse(_)
        | StoreError::Write(_)
        | StoreError::Encode(_) => FaultCode::StoreFailed,
    };
    if !matches!(code, FaultCode::UnknownRecord | FaultCode::Busy) {
        tracing::warn!(error = %chain(error), "the store could not do it");
    }
    Fault::new(code, chain(error))
}

/// What cannot be written down is not done.
pub(super) fn unaudited(error: &AuditError) -> Fault {
    Fault::new(
        FaultCode::AuditFailed,
        format!(
            "{}; no secret is used until it can be written down: see that the disk has room",
            chain(error)
        ),
    )
}
