//! `/api/auth/me` and the pictures of people.

use std::net::SocketAddr;

use axum::Json;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use secrecy::ExposeSecret;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{base, needs_password, origin};
use crate::auth::dto::account::{AccountChange, AddressConfirmed, AddressLink, WhichPicture};
use crate::auth::dto::{Me, MembershipBrief, WorkspaceBrief};
use crate::auth::entity::user;
use crate::auth::{
    AnyToken, AuthContext, AuthError, Authenticated, Caller, Role, Scoped, Verb, account_store,
    can, commands,
};
use crate::workspaces;
use roost_platform::ids::UserId;
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query, Valid};
use roost_web::picture::{self, Bounds, PictureError};
use roost_web::problem::Problem;

/// The sizes of a person's picture.
const PICTURE: Bounds = Bounds {
    most_side: 1_024,
    side: 256,
};
const MOST_BYTES: usize = 256 << 10;

/// The routes.
pub(super) fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new()
        .routes(routes!(me, change_me))
        .routes(routes!(confirm_address))
        .routes(routes!(set_picture, remove_picture))
        .routes(routes!(show_picture))
}

/// Returns the caller and what they may do.
#[utoipa::path(get, path = "/api/auth/me", tag = "auth",
    responses((status = 200, body = Me), (status = 401, body = Problem)))]
async fn me(State(state): State<AuthContext>, caller: AnyToken) -> ApiResult<Json<Me>> {
    let user = caller.user.clone();
    Ok(Json(shown(&state, &caller, user).await?))
}

async fn shown(state: &AuthContext, caller: &Caller, user: user::Model) -> ApiResult<Me> {
    let member = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?;
    let workspaces = workspaces::of_user(state.db.read(), user.id)
        .await?
        .into_iter()
        .map(|(member, workspace)| MembershipBrief {
            id: workspace.id,
            name: workspace.name,
            role: Role::from_stored(&member.role),
        })
        .collect();
    let permissions = Verb::ALL
        .iter()
        .filter(|verb| caller.may(member.role, **verb))
        .map(|verb| verb.name().to_owned())
        .collect();
    Ok(Me {
        workspace: WorkspaceBrief {
            id: member.scope.workspace(),
            name: member.workspace_name.clone(),
        },
        role: member.role,
        operator: caller.operator,
        workspaces,
        permissions,
        must_set_password: needs_password(&user),
        hosted: user.auth_subject.is_some(),
        pending_email: user.pending_email.clone().filter(|_| {
            user.pending_until
                .is_some_and(|until| until > state.clock.now())
        }),
        mail: state.mail.is_some(),
        mail_notices: user.mail_notices_at.is_some(),
        user: user.into(),
    })
}

/// Changes the name, the address or the notices of the caller's account. A new address needs the present password. Where
/// the gateway sends mail, it is used when the link that is sent there was opened. Rights to operate
/// the deployment stay with the account.
#[utoipa::path(patch, path = "/api/auth/me", tag = "auth", operation_id = "change_me", request_body = AccountChange,
    responses((status = 200, body = Me), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn change_me(
    State(state): State<AuthContext>,
    caller: Authenticated,
    headers: HeaderMap,
    Valid(body): Valid<AccountChange>,
) -> ApiResult<Json<Me>> {
    let base = base(&state, &headers);
    let user = commands::change_account(&state, &caller, body.into(), &base).await?;
    Ok(Json(shown(&state, &caller, user).await?))
}

/// Confirms a new address with the link that was sent there. The token is sent in the body, so that no log contains it.
#[utoipa::path(post, path = "/api/auth/confirm-address", tag = "auth", operation_id = "confirm_address",
    request_body = AddressLink,
    responses((status = 200, body = AddressConfirmed), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn confirm_address(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(body): Valid<AddressLink>,
) -> ApiResult<Json<AddressConfirmed>> {
    let from = origin(&state, peer, &headers);
    let email = commands::confirm_address(&state, body.token.expose_secret(), &from).await?;
    Ok(Json(AddressConfirmed { email }))
}

/// Sets the caller's picture: PNG, JPEG or WebP, at most 256 KiB and 1024 pixels a side. It is re-encoded as a PNG of
/// 256 × 256 pixels.
#[utoipa::path(put, path = "/api/auth/me/avatar", tag = "auth", operation_id = "set_my_picture",
    request_body(content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"), (Vec<u8> = "image/webp"))),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 413, body = Problem), (status = 415, body = Problem)))]
async fn set_picture(
    State(state): State<AuthContext>,
    caller: Authenticated,
    request: Request,
) -> ApiResult<StatusCode> {
    // Checked before the work, so that a refused caller does not cost the decoding of a picture.
    commands::people_only(&caller)?;
    let (format, file) = picture::received(request, MOST_BYTES).await?;
    let remade = state.pictures.remake(format, file, PICTURE).await;
    let png = remade.map_err(|error| match error {
        PictureError::Failed(error) => ApiError::internal(error),
        error => ApiError::validation("", error.to_string()),
    })?;
    commands::set_picture(&state, &caller, png).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the caller's picture.
#[utoipa::path(delete, path = "/api/auth/me/avatar", tag = "auth", operation_id = "remove_my_picture",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn remove_picture(
    State(state): State<AuthContext>,
    caller: Authenticated,
) -> ApiResult<StatusCode> {
    commands::remove_picture(&state, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The picture of a person, for members of a common workspace. 404 without one: the person's `avatar` is null.
#[utoipa::path(get, path = "/api/users/{id}/avatar", tag = "auth", operation_id = "picture_of_user",
    params(("id" = UserId, Path), WhichPicture),
    responses((status = 200, description = "the picture", body = Vec<u8>, content_type = "image/png"), (status = 304),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn show_picture(
    State(state): State<AuthContext>,
    caller: Scoped<can::ReadMembers>,
    Path(id): Path<UserId>,
    Query(which): Query<WhichPicture>,
    request: HeaderMap,
) -> ApiResult<Response> {
    let db = state.db.read();
    let unknown = || ApiError::not_found("picture");
    if !workspaces::are_colleagues(db, caller.user_id(), id).await? {
        return Err(unknown());
    }
    let person = crate::auth::user_by_id(db, id).await?.ok_or_else(unknown)?;
    let version = person.avatar.ok_or_else(unknown)?;
    let picture = account_store::picture(db, id).await?.ok_or_else(unknown)?;
    let asked = which.v.as_deref();
    Ok(picture::answer(&request, asked, &version, || {
        ("image/png", Body::from(picture.png))
    }))
}
