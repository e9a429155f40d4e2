//! Maps errors to faults of the wire in one place, so that each kind always has the same code.

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
        tracing::warn!(error = %chain(error), "a store operation failed");
    }
    Fault::new(code, chain(error))
}

/// The fault when the audit log cannot be written; the use does not happen.
pub(super) fn unaudited(error: &AuditError) -> Fault {
    Fault::new(
        FaultCode::AuditFailed,
        format!(
            "{}; no secret is used until the log can be written: check that the disk has room",
            chain(error)
        ),
    )
}
