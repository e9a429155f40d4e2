//! `/api/gateway` and `/api/ops/public-address/check`.

use axum::Json;
use axum::extract::State;
use url::Url;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::context::PublicAddressContext;
use super::dto::{AddressChecked, AddressToCheck, GatewayIdentity};
use roost_tenancy::auth::{self, OperatorOnly};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<PublicAddressContext> {
    OpenApiRouter::new()
        .routes(routes!(identity))
        .routes(routes!(check))
}

/// Says which deployment this gateway belongs to. A gateway asks itself here, at its public address.
#[utoipa::path(get, path = "/api/gateway", tag = "system", operation_id = "identity_of_gateway",
    responses((status = 200, body = GatewayIdentity)))]
async fn identity(State(context): State<PublicAddressContext>) -> ApiResult<Json<GatewayIdentity>> {
    let id = auth::deployment_id(context.db.read()).await?;
    Ok(Json(GatewayIdentity { id }))
}

/// Checks whether this deployment answers at an address, as the gateway's host sees it.
#[utoipa::path(post, path = "/api/ops/public-address/check", tag = "operators", operation_id = "check_public_address",
    request_body = AddressToCheck,
    responses((status = 200, body = AddressChecked), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn check(
    State(context): State<PublicAddressContext>,
    _operator: OperatorOnly,
    Valid(body): Valid<AddressToCheck>,
) -> ApiResult<Json<AddressChecked>> {
    let url = Url::parse(body.url.trim()).map_err(|_| {
        ApiError::validation(
            "/url",
            "must be an address such as https://roost.example.com",
        )
    })?;
    let id = auth::deployment_id(context.db.read()).await?;
    let reason = context.own_address.check(&url, &id).await.err();
    Ok(Json(AddressChecked {
        reachable: reason.is_none(),
        reason: reason.map(|reason| reason.to_string()),
    }))
}
