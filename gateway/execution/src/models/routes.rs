//! `/api/models`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{ModelBinding, ModelChange, ModelSettings, ModelTried, Models, NewModel};
use super::entity::model;
use super::{ModelsContext, ModelsError, commands, resolve, store};
use crate::providers::{Limits, Message, Model as _, Purpose, Request};
use roost_platform::ids::ModelId;
use roost_tenancy::auth::{self, Scoped, UserBrief, can};
use roost_web::conditional::if_match;
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Valid};
use roost_web::problem::Problem;

/// The time limit of a test question: a person waits for the answer.
const TRIED_WITHIN: Duration = Duration::from_secs(45);
/// The number of bytes of the answer that are shown.
const SHOWN: usize = 200;

/// The routes.
pub fn router() -> OpenApiRouter<ModelsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(settings, set))
        .routes(routes!(change, remove))
        .routes(routes!(try_out))
}

/// Lists the models that the workspace's agents may use.
#[utoipa::path(get, path = "/api/models", operation_id = "list_models", tag = "models",
    responses((status = 200, body = Models), (status = 401, body = Problem)))]
async fn list(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ReadTeams>,
) -> ApiResult<Json<Models>> {
    let rows = store::all(state.db.read(), caller.scope()).await?;
    Ok(Json(Models {
        items: shown(&state, rows).await?,
    }))
}

/// Adds a model. The secret broker stores its key, and the API never returns it.
#[utoipa::path(post, path = "/api/models", tag = "models", request_body = NewModel,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = ModelBinding), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn add(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ManageModels>,
    id: CreationId<ModelId>,
    Valid(new): Valid<NewModel>,
) -> ApiResult<(StatusCode, Json<ModelBinding>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::add(&state, scope, user, id.or_fresh(&state.ids), new).await?;
    Ok((StatusCode::CREATED, Json(one(&state, row).await?)))
}

/// Changes a model's price or key, or whether it is the default.
#[utoipa::path(patch, path = "/api/models/{id}", operation_id = "change_model", tag = "models",
    params(("id" = ModelId, Path),
        ("If-Match" = Option<String>, Header, description = "the version that the change is based on")),
    request_body = ModelChange,
    responses((status = 200, body = ModelBinding), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem),
        (status = 503, body = Problem)))]
async fn change(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ManageModels>,
    Path(id): Path<ModelId>,
    headers: HeaderMap,
    Valid(change): Valid<ModelChange>,
) -> ApiResult<Json<ModelBinding>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let over = if_match(&headers)?;
    let row = commands::change(&state, scope, user, (id, over), change).await?;
    Ok(Json(one(&state, row).await?))
}

/// Removes a model. The secret broker deletes its key.
#[utoipa::path(delete, path = "/api/models/{id}", operation_id = "remove_model", tag = "models", params(("id" = ModelId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn remove(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ManageModels>,
    Path(id): Path<ModelId>,
) -> ApiResult<StatusCode> {
    commands::remove(&state, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks a model one short question and reports the result. It may cost a fraction of a cent.
#[utoipa::path(post, path = "/api/models/{id}/try", tag = "models", params(("id" = ModelId, Path)),
    responses((status = 200, body = ModelTried), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn try_out(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ManageModels>,
    Path(id): Path<ModelId>,
) -> ApiResult<Json<ModelTried>> {
    let row = store::get(state.db.read(), caller.scope(), id).await?;
    let row = row.ok_or(ModelsError::None)?;
    let limits = Limits {
        first: TRIED_WITHIN,
        between: TRIED_WITHIN,
        whole: TRIED_WITHIN,
        ..Limits::default()
    };
    let remote = resolve::remote(&state.broker, &state.clock, &row, limits)?;
    let request = Request {
        model: row.model,
        system: String::new(),
        messages: vec![Message::User("Answer with the word OK.".to_owned())],
        tools: Vec::new(),
        max_tokens: 16,
        purpose: Purpose::Turn,
        slot: None,
        step: format!("trying model {id} for user {}", caller.user_id()),
    };
    let begun = state.clock.monotonic();
    let turn = remote.turn(&request, &mut |_| {}).await;
    let took = state.clock.monotonic().saturating_duration_since(begun);
    let latency_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    Ok(Json(match turn {
        Ok(reply) => ModelTried {
            ok: true,
            latency_ms,
            text: reply.text[..reply.text.floor_char_boundary(SHOWN)].to_owned(),
            cost_microusd: reply.cost_microusd,
            error: None,
            may_be_retried: false,
        },
        Err(error) => ModelTried {
            ok: false,
            latency_ms,
            text: String::new(),
            cost_microusd: None,
            may_be_retried: error.may_be_retried(),
            error: Some(error.message),
        },
    }))
}

/// Shows the workspace's ceilings for model spending.
#[utoipa::path(get, path = "/api/models/settings", tag = "models",
    responses((status = 200, body = ModelSettings), (status = 401, body = Problem)))]
async fn settings(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ReadTeams>,
) -> ApiResult<Json<ModelSettings>> {
    let ceilings = store::ceilings(state.db.read(), caller.scope()).await?;
    Ok(Json(ceilings.into()))
}

/// Sets the workspace's ceilings for model spending. A turn that is under way continues.
#[utoipa::path(put, path = "/api/models/settings", tag = "models", request_body = ModelSettings,
    responses((status = 200, body = ModelSettings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn set(
    State(state): State<ModelsContext>,
    caller: Scoped<can::ManageModels>,
    Valid(wanted): Valid<ModelSettings>,
) -> ApiResult<Json<ModelSettings>> {
    let ceilings = commands::bound(&state, caller.scope(), caller.user_id(), wanted).await?;
    Ok(Json(ceilings.into()))
}

async fn one(state: &ModelsContext, row: model::Model) -> ApiResult<ModelBinding> {
    let people = auth::users_by_id(state.db.read(), [row.created_by]).await?;
    let maker = people.into_iter().next().map(UserBrief::from);
    Ok(ModelBinding::new(row, maker))
}

async fn shown(state: &ModelsContext, rows: Vec<model::Model>) -> ApiResult<Vec<ModelBinding>> {
    let makers = rows.iter().map(|row| row.created_by);
    let people = auth::users_by_id(state.db.read(), makers).await?;
    let of = |row: &model::Model| {
        let maker = people.iter().find(|user| user.id == row.created_by);
        maker.cloned().map(UserBrief::from)
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let maker = of(&row);
            ModelBinding::new(row, maker)
        })
        .collect())
}
