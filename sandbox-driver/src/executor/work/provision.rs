//! `sb_provision`: make and start a sandbox. Repeating it finds what an earlier try made, by the sandbox's id.
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
        .desk()
        .live
        .get(&request.id)
        .map(|live| live.cancel.clone())
        .unwrap_or_default();
    let (steps, mut said) = mpsc::channel::<String>(16);
    let making = patiently(resumed, || {
        let steps = steps.clone();
        async move {
            let mut tell = |step: &str| {
                // Progress is for people: what they cannot read in time is left out.
                let _ = steps.try_send(step.to_owned());
            };
            shared
                .engine
                .provision(&provision.spec, provision.restore.as_deref(), &mut tell)
                .await
        }
    });
    tokio::pin!(making);
    let made = loop {
        tokio::select! {
            made = &mut making => break made,
            Some(step) = said.recv() => progress(shared, request, step).await,
            () = cancel.cancelled() => break Err(OperationError { kind: ErrorKind::Cancelled, detail: "cancelled while it was made".into() }),
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
                tracing::warn!(sandbox = %provision.spec.sandbox, %error, "a cancelled sandbox could not be removed; the sweep finds it");
            }
            Err(error)
        }
    }
}
