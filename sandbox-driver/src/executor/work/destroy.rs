//! `sb_destroy`: stores the workspace when requested, then removes the sandbox. The ledger holds the stored archive
//! before anything is removed.
use std::sync::Arc;

use roost_protocol::operation::{Destroy, OperationRequest};
use roost_protocol::report::{ErrorKind, OperationError, Outcome};

use super::{patiently, progress};
use crate::executor::chaos::KillPoint;
use crate::executor::ledger::Record;
use crate::executor::shared::Shared;
use crate::executor::snapshots;

pub async fn run(
    shared: &Arc<Shared>,
    request: &OperationRequest,
    destroy: &Destroy,
    resumed: bool,
) -> Result<Outcome, OperationError> {
    let known = shared
        .ledger
        .index()
        .get(request.id)
        .and_then(|entry| entry.archive.clone());
    let archive = match known {
        Some(archive) => Some(archive),
        None if destroy.archive => store(shared, request, destroy, resumed).await?,
        None => None,
    };
    KillPoint::DestroyArchived.pass();
    patiently(resumed, || shared.engine.remove(destroy.sandbox)).await?;
    KillPoint::DestroyRemoved.pass();
    shared.in_flight().sandboxes.remove(&destroy.sandbox);
    Ok(Outcome::Destroyed { archive })
}

async fn store(
    shared: &Arc<Shared>,
    request: &OperationRequest,
    destroy: &Destroy,
    resumed: bool,
) -> Result<Option<roost_protocol::report::ArchiveFacts>, OperationError> {
    let running = patiently(resumed, || shared.engine.running(destroy.sandbox)).await?;
    if !running {
        // A stopped sandbox has no workspace: it was in memory.
        return Ok(None);
    }
    progress(shared, request, "storing the workspace".into()).await;
    let (archive, stored) = patiently(resumed, || shared.engine.store(destroy.sandbox)).await?;
    let record = Record::Archived {
        operation: request.id,
        archive: archive.clone(),
    };
    shared
        .ledger
        .written(record)
        .await
        .map_err(|error| OperationError::new(ErrorKind::DiskFull, error.to_string()))?;
    if let Some(snapshot) = stored {
        // Before the end: the gateway then knows the snapshot when it learns that the sandbox is gone.
        snapshots::told(shared, snapshot).await;
    }
    Ok(Some(archive))
}
