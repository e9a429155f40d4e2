//! Changes the runtime's record of an agent.

use crate::dto::RuntimeConfigChange;
use crate::{RuntimeContext, RuntimeError};
use roost_agents::claws::{ClawRow, Configured, configure_in};
use roost_execution::models;
use roost_machines::sandboxes::NewLimits;
use roost_platform::db::WriteTx;
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// Writes the change. A step at work has the new permissions at its next turn or call.
///
/// # Errors
/// [`RuntimeError::Wrong`] when the workspace does not have the model, or those of the agent.
pub(crate) async fn configure(
    state: &RuntimeContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    if_version: Option<i64>,
    wanted: RuntimeConfigChange,
) -> Result<ClawRow, RuntimeError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(Some(model)) = &wanted.model_binding {
        known(&change, scope, "/model_binding", model).await?;
    }
    if let Some(Some(image)) = &wanted.image
        && let Some(detail) = state.agents.sandboxes.images().refusal(image)
    {
        return Err(RuntimeError::Wrong(vec![FieldError {
            pointer: "/image".to_owned(),
            detail,
        }]));
    }
    let wanted = Configured {
        image: wanted.image,
        limits: wanted.limits.map(NewLimits::stored),
        model: wanted.model_binding,
        profile: wanted.risk_profile,
        bundles: wanted
            .mcp_bundles
            .map(|bundles| bundles.into_iter().collect()),
    };
    let row = configure_in(&mut change, id, if_version, wanted).await?;
    change.commit().await?;
    Ok(row)
}

/// Refuses a model that the workspace does not have.
///
/// # Errors
/// [`RuntimeError::Wrong`] for this field, or the database's.
pub(super) async fn known(
    tx: &WriteTx,
    scope: WorkspaceScope,
    field: &str,
    model: &str,
) -> Result<(), RuntimeError> {
    if models::is_there(&**tx, scope, model).await? {
        return Ok(());
    }
    Err(RuntimeError::Wrong(vec![FieldError {
        pointer: field.to_owned(),
        detail: format!(
            "names no model of this workspace: add {model:?} under Models, or leave it out"
        ),
    }]))
}
