//! One actor: restart it, or explain it.

use axum::Json;
use axum::extract::State;
use http::StatusCode;

use super::OperatorContext;
use crate::edge::operator::TreeReader;
use crate::edge::operator::dto::Explanation;
use crate::edge::operator::explain;
use crate::edge::operator::reader::MayOperate;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Path;
use roost_web::problem::Problem;

/// Restarts an actor. The id is its path in the tree, with `/` written as `%2F`. 202: the restart is in the audit log
/// and under way. The tree shows when the actor is up again.
#[utoipa::path(post, path = "/api/ops/actors/{id}/restart", tag = "operators", params(("id" = String, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem, description = "`not-restartable`")))]
pub(super) async fn restart(
    State(state): State<OperatorContext>,
    operator: MayOperate,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let view = state.tree()?.clone();
    let snapshot = view.snapshot();
    let Some(actor) = snapshot.find(&id) else {
        return Err(nobody());
    };
    if let Some(why) = view.why_not_restartable(&id) {
        return Err(
            ApiError::new(Code::NotRestartable).detail(format!("{id} cannot be restarted: {why}."))
        );
    }
    let (user, workspace) = operator.authority();
    let details = serde_json::json!({ "kind": actor.kind, "state": actor.state, "restarts_before": actor.restarts });
    let scope = WorkspaceScope::of_row(workspace);
    let mut change = Change::begin(&state, scope, user).await?;
    change.record("actor.restarted", ("actor", &id), details);
    change.commit().await?;
    let name = format!("restart:{}", state.ids.next());
    state
        .jobs
        .spawn_job(
            name,
            None,
            move |_| async move { Ok(view.restart(&id).await?) },
        )
        .await
        .map_err(|error| ApiError::new(Code::Unavailable).caused_by(error))?;
    Ok(StatusCode::ACCEPTED)
}

/// Why an actor was restarted, what it holds, and what was lost. An Owner may ask about the branch of their workspace.
#[utoipa::path(get, path = "/api/ops/actors/{id}/explain", tag = "operators", params(("id" = String, Path)),
    responses((status = 200, body = Explanation), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
pub(super) async fn explain(
    State(state): State<OperatorContext>,
    reader: TreeReader,
    Path(id): Path<String>,
) -> ApiResult<Json<Explanation>> {
    let view = state.tree()?;
    let whole = view.snapshot();
    let part = reader.part_of(&whole);
    let seen = part.as_ref().unwrap_or(&whole);
    let actor = seen.find(&id).ok_or_else(nobody)?;
    // An Owner sees only the name and the state of supervisors above their branch: the rest may contain facts about
    // others.
    let own = part.is_none() || actor.tenant.is_some();
    let past = if own { view.past_ends(&id) } else { Vec::new() };
    let refusal = view.why_not_restartable(&id);
    Ok(Json(explain::explain(actor, past, refusal)))
}

fn nobody() -> ApiError {
    ApiError::new(Code::NotFound)
        .detail("There is no such actor; its id is its path in /api/ops/tree.")
}
