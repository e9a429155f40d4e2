//! `/api/ops/chaos`: deliberate faults, on a gateway that allows them.

use axum::Json;
use axum::extract::State;
use http::StatusCode;

use super::OperatorContext;
use crate::edge::operator::dto::{ChaosNow, ChaosOrder, ChaosPoint};
use crate::edge::operator::reader::MayOperate;
use roost_platform::supervision::KILL_POINTS;
use roost_platform::supervision::killpoints::find;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// The kill points, how often actors passed each of them, and whether this gateway allows operators to arm them.
#[utoipa::path(get, path = "/api/ops/chaos", tag = "operators",
    responses((status = 200, body = ChaosNow), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn points(
    State(state): State<OperatorContext>,
    _operator: MayOperate,
) -> ApiResult<Json<ChaosNow>> {
    let points = KILL_POINTS.iter().map(|point| ChaosPoint {
        name: point.name.to_owned(),
        place: point.place.to_owned(),
        passes: find(point.name).map_or(0, |id| state.kill_points.passes(id)),
    });
    Ok(Json(ChaosNow {
        allowed: state.kill_points.is_allowed(),
        points: points.collect(),
    }))
}

/// Arms a kill point: the next actor that passes it stops there. Refused unless the configuration has `chaos.allow`.
#[utoipa::path(post, path = "/api/ops/chaos", tag = "operators", request_body = ChaosOrder,
    responses((status = 202), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem, description = "`forbidden`, or `chaos-off` where the configuration does not allow it")))]
pub(super) async fn arm(
    State(state): State<OperatorContext>,
    operator: MayOperate,
    Valid(order): Valid<ChaosOrder>,
) -> ApiResult<StatusCode> {
    allowed(&state)?;
    let arm = order
        .arm()
        .map_err(|error| ApiError::validation("/point", error.to_string()))?;
    let text = arm.to_string();
    note(
        &state,
        &operator,
        "chaos.armed",
        serde_json::json!({ "order": text, "times": arm.times, "within": arm.within }),
    )
    .await?;
    state
        .kill_points
        .arm(arm)
        .map_err(|error| ApiError::new(Code::ChaosOff).caused_by(error))?;
    Ok(StatusCode::ACCEPTED)
}

/// Cancels all orders.
#[utoipa::path(delete, path = "/api/ops/chaos", tag = "operators",
    responses((status = 204), (status = 401, body = Problem),
        (status = 403, body = Problem, description = "`forbidden`, or `chaos-off` where the configuration does not allow it")))]
pub(super) async fn disarm(
    State(state): State<OperatorContext>,
    operator: MayOperate,
) -> ApiResult<StatusCode> {
    allowed(&state)?;
    note(&state, &operator, "chaos.disarmed", serde_json::json!({})).await?;
    state.kill_points.disarm_all();
    Ok(StatusCode::NO_CONTENT)
}

fn allowed(state: &OperatorContext) -> ApiResult<()> {
    if state.kill_points.is_allowed() {
        return Ok(());
    }
    Err(ApiError::new(Code::ChaosOff).detail(
        "This gateway does not allow faults to be injected (`chaos.allow`); never switch that on where data matters.",
    ))
}

/// Records the order in the audit log before it can kill anything.
async fn note(
    state: &OperatorContext,
    operator: &MayOperate,
    action: &str,
    details: serde_json::Value,
) -> ApiResult<()> {
    let (user, workspace) = operator.authority();
    let scope = WorkspaceScope::of_row(workspace);
    let mut change = Change::begin(state, scope, user).await?;
    change.record(action, ("gateway", &"chaos"), details);
    change.commit().await?;
    Ok(())
}
