//! What becomes of a boot in the mission's row, and where its pairing code is kept.

use sea_orm::DbErr;

use super::super::entity::mission;
use super::config::RuntimeConfig;
use super::server::{Ready, endpoint};
use super::{Of, is_wanted};
use crate::missions::model::{Reason, RuntimeState, Status};
use crate::missions::touch::touch;
use crate::missions::{MissionsContext, store};
use roost_machines::fleet;
use roost_platform::broker::credential::{CredentialError, name_of};
use roost_platform::db::lease::Lease;
use roost_platform::ids::{NodeId, OperationId, fresh};
use roost_platform::supervision::Failure;
use roost_protocol::ids as wire;
use roost_protocol::sandbox::container_name;
use roost_secret_broker::outbound::chain;
use roost_secret_broker::wire::{Inject, Secret, Store};
use roost_tenancy::change::Change;

/// Notes that the server is ready. Its code goes to the broker first.
///
/// # Errors
/// When the database fails.
pub(super) async fn ready(of: &Of, config: &RuntimeConfig, ready: Ready) -> Result<(), Failure> {
    let (state, scope, id) = (&of.state, of.scope, of.id);
    let number: OperationId = fresh(&state.ids);
    let reference = format!("missions/{id}/pairing_code/{number}");
    let placed = match ready.code {
        Some(code) => {
            let store = Store {
                name: name_of(scope.workspace(), &reference)?,
                // With its header: a code alone is shorter than the secrets that the broker accepts.
                secret: Secret::from(format!("X-Pairing-Code: {code}").as_str()),
                inject: Inject::Never,
                allow: Vec::new(),
            };
            match state.credentials.place(store).await {
                Ok(placed) => Some(placed),
                Err(CredentialError::Broker(error)) => {
                    let why = format!(
                        "The secret broker does not keep the pairing code: {}",
                        chain(&error)
                    );
                    return failed(of, why).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        None => None,
    };
    let mut change = Change::begin(state, scope, of.user).await?;
    let Some(mut row) = store::locked(&change, scope, id).await?.filter(is_wanted) else {
        // The broker deletes what no row keeps.
        return Ok(());
    };
    forget_code(&mut change, state, &mut row).await?;
    if let Some(placed) = placed {
        placed.keep(&change).await?;
        row.runtime_pairing_code = Some(reference);
    }
    row.runtime_container_name = Some(container_name(wire::SandboxId(ready.sandbox.0)));
    row.runtime_endpoint = Some(endpoint(ready.sandbox, config.port));
    row.runtime_state = Some(RuntimeState::Ready.as_str().to_owned());
    row.runtime_detail = None;
    let details = serde_json::json!({ "title": row.title, "endpoint": row.runtime_endpoint });
    change.record("mission.runtime_ready", ("mission", &id), details);
    touch(&mut change, row).await?;
    change.commit().await?;
    Ok(())
}

/// Notes why the boot waits. The mission stays as it is.
///
/// # Errors
/// When the database fails.
pub(super) async fn waits(of: &Of, why: String) -> Result<(), Failure> {
    let mut change = Change::begin(&of.state, of.scope, of.user).await?;
    let row = store::locked(&change, of.scope, of.id).await?;
    let Some(mut row) = row.filter(is_wanted) else {
        return Ok(());
    };
    if row.runtime_detail.as_deref() == Some(&why) {
        return Ok(());
    }
    row.runtime_detail = Some(why);
    touch(&mut change, row).await?;
    change.commit().await?;
    Ok(())
}

/// Gives the mission to the gateway that holds the machine of its sandbox.
///
/// # Errors
/// When the database fails.
pub(super) async fn moves(of: &Of, node: NodeId) -> Result<(), Failure> {
    let found = fleet::by_id(of.state.db.read(), node).await?;
    let from = of.state.handle.owner();
    match found.and_then(|node| node.held_by) {
        Some(to) if to != from => {
            let name = store::lease_name(of.id);
            Lease::give(&of.state.db, &name, (from, &to), store::LEASE).await?;
            Ok(())
        }
        // That gateway has just lost it.
        _ => waits(of, "It waits for the connection of its machine.".to_owned()).await,
    }
}

/// Notes why there is no server, and pauses the mission.
///
/// # Errors
/// When the database fails.
pub(super) async fn failed(of: &Of, why: String) -> Result<(), Failure> {
    let (state, scope, id) = (&of.state, of.scope, of.id);
    let mut change = Change::begin(state, scope, of.user).await?;
    let Some(mut row) = store::locked(&change, scope, id).await?.filter(is_wanted) else {
        return Ok(());
    };
    row.runtime_state = Some(RuntimeState::Gone.as_str().to_owned());
    row.runtime_detail = Some(why.clone());
    Status::Paused.as_str().clone_into(&mut row.status);
    row.status_reason = Some(Reason::RuntimeFailed.as_str().to_owned());
    let details = serde_json::json!({ "title": row.title, "reason": why });
    change.record("mission.runtime_failed", ("mission", &id), details);
    row.status_detail = Some(why);
    touch(&mut change, row).await?;
    change.commit().await?;
    Ok(())
}

/// Deletes the code of the row at the broker, with the end of the transaction.
///
/// # Errors
/// When the database fails.
pub(in crate::missions) async fn forget_code(
    change: &mut Change,
    state: &MissionsContext,
    row: &mut mission::Model,
) -> Result<(), DbErr> {
    if let Some(reference) = row.runtime_pairing_code.take() {
        let name = name_of(row.workspace_id, &reference)?;
        state.credentials.forget(change, &name).await?;
    }
    Ok(())
}
