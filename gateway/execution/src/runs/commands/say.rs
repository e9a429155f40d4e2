//! Says something to a run while it works. Its agents hear it before their next turn.

use crate::runs::dto_live::NewRunMessage;
use crate::runs::entity::{message, run};
use crate::runs::message_store::{self, Mark};
use crate::runs::model::Status;
use crate::runs::queue::Moved;
use crate::runs::{RunError, RunsHandle, messages, store};
use crate::topology::Graph;
use roost_platform::ids::{ClawId, RunId, RunMessageId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// Keeps the message, and marks the run and the runs below it, whose owners find the mark at their next write. A repeat
/// with the same id returns the message.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::Over`], [`RunError::Wrong`] for an agent that does not work in the run,
/// [`RunError::TooManyMessages`].
pub async fn say(
    runs: &RunsHandle,
    (scope, user): (WorkspaceScope, UserId),
    id: RunMessageId,
    run: RunId,
    new: NewRunMessage,
) -> Result<message::Model, RunError> {
    let mut change = Change::begin(runs, scope, user).await?;
    let row = store::get(change.tx(), scope, run)
        .await?
        .ok_or(RunError::NotFound)?;
    let present = message_store::of_run(change.tx(), scope, run).await?;
    if let Some(present) = present.into_iter().find(|message| message.id == id) {
        return Ok(present);
    }
    if !is_open(&row) {
        return Err(RunError::Over);
    }
    if let Some(agent) = new.agent_id
        && !works_in(&row, agent)
    {
        let wrong = FieldError {
            pointer: "/agent_id".to_owned(),
            detail: "must be an agent of this run".to_owned(),
        };
        return Err(RunError::Wrong(vec![wrong]));
    }
    if message_store::count(change.tx(), row.root_run_id).await? >= messages::MOST {
        return Err(RunError::TooManyMessages);
    }
    let message = message::Model {
        id,
        workspace_id: row.workspace_id,
        root_run_id: row.root_run_id,
        run_id: run,
        agent_id: new.agent_id,
        user_id: user,
        text: new.text,
        created_ms: change.now().timestamp_millis(),
    };
    message_store::insert(&change, message.clone()).await?;
    let marked = message_store::mark(&change, run, Mark::Message).await?;
    if marked.is_empty() {
        // It ended meanwhile.
        return Err(RunError::Over);
    }
    let details = serde_json::json!({ "agent": message.agent_id });
    change.record("run.message", ("run", &run), details);
    change.events(marked.iter().map(Moved::changed));
    change.commit().await?;
    Ok(message)
}

/// Whether the run has not ended, and is not about to.
pub(super) fn is_open(row: &run::Model) -> bool {
    let is_over = Status::parse(&row.status).is_none_or(Status::is_final);
    !is_over && row.cancel_requested_ms.is_none()
}

fn works_in(row: &run::Model, agent: ClawId) -> bool {
    let graph: Option<Graph> = serde_json::from_str(&row.graph).ok();
    let nodes = graph.map(|graph| graph.nodes).unwrap_or_default();
    nodes
        .iter()
        .any(|node| node.attributes.agent == Some(agent.0))
}
