//! `GET /api/claws/{id}/activity`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::context::ActivityContext;
use super::dto::{Activity, ActivityQuery};
use super::model::{Key, Place, Source, merge};
use roost_agents::claws;
use roost_machines::fleet::operations::Doers;
use roost_machines::sandboxes::SandboxOwner;
use roost_platform::events;
use roost_platform::ids::{AuditId, ClawId, OperationId, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::{self, Scoped, UserBrief, Verb, WorkspaceScope, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query};
use roost_web::pagination::Page;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ActivityContext> {
    OpenApiRouter::new().routes(routes!(activity))
}

/// The history of an agent, newest first: operations on its sandbox, events about it, and entries of the audit log
/// about it for callers that may read the audit log.
#[utoipa::path(get, path = "/api/claws/{id}/activity", tag = "claws", params(("id" = ClawId, Path), ActivityQuery),
    responses((status = 200, body = Page<Activity>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn activity(
    State(context): State<ActivityContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
    Query(query): Query<ActivityQuery>,
) -> ApiResult<Json<Page<Activity>>> {
    let wanted = query.check()?;
    let scope = caller.scope();
    let claw = claws::find(context.db.read(), scope, id).await?;
    claw.map(drop).ok_or_else(|| ApiError::not_found("claw"))?;
    let mut lines = Vec::new();
    for source in wanted.sources {
        if source == Source::Audit && !caller.may(Verb::ReadAudit) {
            continue;
        }
        lines.extend(read(&context, scope, id, source, wanted.after, wanted.limit + 1).await?);
    }
    let limit = usize::try_from(wanted.limit).unwrap_or(usize::MAX);
    let (page, more) = merge(lines, limit);
    let next_cursor = page
        .last()
        .filter(|_| more)
        .map(|(place, _)| place.to_cursor());
    Ok(Json(Page {
        items: page.into_iter().map(|(_, activity)| activity).collect(),
        next_cursor,
    }))
}

/// The newest lines of a source after a place.
async fn read(
    context: &ActivityContext,
    scope: WorkspaceScope,
    agent: ClawId,
    source: Source,
    after: Option<Place>,
    limit: u64,
) -> ApiResult<Vec<(Place, Activity)>> {
    let db = context.db.read();
    let older = Place::older(after, source);
    let id = |key| match key {
        Key::Id(id) => Some(id),
        Key::Number(_) => None,
    };
    let number = |key| match key {
        Key::Number(number) => Some(number),
        Key::Id(_) => None,
    };
    let bad = || ApiError::validation("cursor", "must be a next_cursor of this list, unchanged");
    Ok(match source {
        Source::Operation => {
            let older = older
                .keyed(|key| id(key).map(OperationId))
                .ok_or_else(bad)?;
            let rows = context
                .operations
                .of_owner(scope, SandboxOwner::Claw(agent).id(), older, limit)
                .await?;
            let doers = Doers::of(db, scope, &rows).await?;
            rows.into_iter()
                .map(|row| Activity::of_operation(row, &doers))
                .collect()
        }
        Source::Event => {
            let older = older.keyed(number).ok_or_else(bad)?;
            let rows = events::about_agent(db, scope.workspace(), agent, older, limit);
            rows.await?.into_iter().map(Activity::of_event).collect()
        }
        Source::Audit => {
            let older = older.keyed(|key| id(key).map(AuditId)).ok_or_else(bad)?;
            let about = agent.to_string();
            let rows = audit::about(db, scope, ("claw", &about), older, limit).await?;
            let people = auth::users_by_id(db, rows.iter().map(|row| row.actor)).await?;
            let people: HashMap<UserId, UserBrief> = people
                .into_iter()
                .map(|user| (user.id, user.into()))
                .collect();
            let by = |actor: &UserId| people.get(actor).cloned();
            rows.into_iter()
                .map(|row| {
                    let by = by(&row.actor);
                    Activity::of_entry(row, by)
                })
                .collect()
        }
    })
}
