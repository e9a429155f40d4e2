//! `sb_flush`: takes a snapshot now, if the workspace has changed. A repetition finds the snapshot that the first attempt
//! took.
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::operation::{Flush, OperationRequest};
use roost_protocol::report::{ErrorKind, OperationError, Outcome};

use crate::executor::shared::Shared;
use crate::executor::snapshots;

pub async fn run(
    shared: &Arc<Shared>,
    request: &OperationRequest,
    flush: &Flush,
) -> Result<Outcome, OperationError> {
    let sandbox = flush.sandbox;
    let cancel = shared
        .in_flight()
        .live
        .get(&request.id)
        .map(|live| live.cancel.clone())
        .unwrap_or_default();
    let within = Duration::from_secs(flush.deadline_s);
    let taken = tokio::select! {
        taken = tokio::time::timeout(within, shared.engine.snapshot(sandbox)) => taken,
        () = cancel.cancelled() => {
            return Err(OperationError::new(ErrorKind::Cancelled, "cancelled while the files were stored"));
        }
    };
    let Ok(taken) = taken else {
        shared.snapshots.due(sandbox);
        let detail = format!(
            "the files could not be stored within {} s; the machine goes on with it",
            flush.deadline_s
        );
        return Err(OperationError::new(ErrorKind::Deadline, detail));
    };
    let (snapshot, new) = taken.inspect_err(|error| {
        // As after a command: a sandbox that is gone, or of an older version, has nothing to try again.
        let lasting = [
            ErrorKind::NoSandbox,
            ErrorKind::Interrupted,
            ErrorKind::Unsupported,
        ];
        if !lasting.contains(&error.kind) {
            shared.snapshots.due(sandbox);
        }
    })?;
    if new {
        // Before the end: the gateway then has the snapshot's row when it reads the answer.
        snapshots::told(shared, snapshot.clone()).await;
    }
    Ok(Outcome::Flushed { snapshot })
}
