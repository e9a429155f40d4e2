//! One actor: restart it, explain it.

use axum::Json;
use axum::extract::State;
use http::StatusCode;

use super::OperatorState;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::operator::TreeReader;
use crate::domains::operator::dto::Explanation;
use crate::domains::operator::explain;
use crate::domains::operator::reader::MayOperate;
use crate::error::{ApiError, ApiResult, Code};
use crate::http::json::Path;
use crate::http::problem::Problem;

/// Restarts an actor. The id is its path in the tree, with `/` written as `%2F`. 202: it is written to the audit and
/// under way; the tree shows when it is up again.
#[utoipa::path(post, path = "/api/ops/actors/{id}/restart", tag = "operators", params(("id" = String, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem, description = "`not-restartable`")))]
pub(super) async fn restart(
    State(state): State<OperatorState>,
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
    let tx = state.db.write().await?;
    audit::record(
        &tx,
        &state.ids,
        state.clock.now(),
        WorkspaceScope::of_row(workspace),
        user,
        "actor.restarted",
        ("actor", &id),
        details,
    )
    .await?;
    tx.commit().await?;
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

/// Why an actor was restarted, what it holds, and what was lost. An Owner may ask about the own branch.
#[utoipa::path(get, path = "/api/ops/actors/{id}/explain", tag = "operators", params(("id" = String, Path)),
    responses((status = 200, body = Explanation), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
pub(super) async fn explain(
    State(state): State<OperatorState>,
    reader: TreeReader,
    Path(id): Path<String>,
) -> ApiResult<Json<Explanation>> {
    let view = state.tree()?;
    let whole = view.snapshot();
    let part = reader.part_of(&whole);
    let seen = part.as_ref().unwrap_or(&whole);
    let actor = seen.find(&id).ok_or_else(nobody)?;
    // Of a supervisor on the way to the own branch an Owner sees the name and the state: its past may tell of others.
    let own = part.is_none() || actor.tenant.is_some();
    let past = if own { view.past_ends(&id) } else { Vec::new() };
    let refusal = view.why_not_restartable(&id);
    Ok(Json(explain::explain(actor, past, refusal)))
}

fn nobody() -> ApiError {
    ApiError::new(Code::NotFound)
        .detail("There is no such actor; its id is its path in /api/ops/tree.")
}
