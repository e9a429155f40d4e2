//! `sb_provision`: makes and starts a sandbox. A repetition finds what an earlier attempt made, by the sandbox's id.
use std::sync::Arc;

use roost_protocol::operation::{OperationRequest, Provision};
use roost_protocol::report::{ErrorKind, OperationError, Outcome};
use tokio::sync::mpsc;

use super::{patiently, progress};
use crate::executor::chaos::KillPoint;
use crate::executor::shared::Shared;

pub async fn run(
    shared: &Arc<Shared>,
    request: &OperationRequest,
    provision: &Provision,
    resumed: bool,
) -> Result<Outcome, OperationError> {
    let cancel = shared
        .in_flight()
        .live
        .get(&request.id)
        .map(|live| live.cancel.clone())
        .unwrap_or_default();
    let (steps, mut received) = mpsc::channel::<String>(16);
    let making = patiently(resumed, || {
        let steps = steps.clone();
        async move {
            let mut on_step = |step: &str| {
                // Progress is for people: steps that they cannot read in time are dropped.
                let _ = steps.try_send(step.to_owned());
            };
            shared
                .engine
                .provision(&provision.spec, provision.restore.as_deref(), &mut on_step)
                .await
        }
    });
    tokio::pin!(making);
    let made = loop {
        tokio::select! {
            made = &mut making => break made,
            Some(step) = received.recv() => progress(shared, request, step).await,
            () = cancel.cancelled() => break Err(OperationError::new(ErrorKind::Cancelled, "cancelled while it was made")),
        }
    };
    KillPoint::ProvisionMade.pass();
    match made {
        Ok((facts, workspace)) => {
            shared.seen(facts.clone(), provision.spec.lease_s);
            Ok(Outcome::Provisioned {
                sandbox: facts,
                workspace,
            })
        }
        Err(error) => {
            if error.kind == ErrorKind::Cancelled
                && let Err(error) = shared.engine.remove(provision.spec.sandbox).await
            {
                tracing::warn!(sandbox = %provision.spec.sandbox, %error, "cannot remove a cancelled sandbox; the sweep will remove it");
            }
            Err(error)
        }
    }
}
