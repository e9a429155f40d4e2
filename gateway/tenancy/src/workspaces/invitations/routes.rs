//! `/api/workspaces/{id}/invitations`. Reading and accepting an invitation are public routes of `auth`.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode, header};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{FreshInvitation, Invitation, NewInvitation};
use super::{commands, store};
use crate::auth::{self, Role, UserBrief, Within, can};
use crate::workspaces::WorkspacesContext;
use crate::workspaces::members::commands::By;
use roost_platform::ids::{InvitationId, WorkspaceId};
use roost_web::error::ApiResult;
use roost_web::idempotency::Secret;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<WorkspacesContext> {
    OpenApiRouter::new()
        .routes(routes!(list, invite))
        .routes(routes!(withdraw))
}

/// Invitations that may still be accepted, newest first.
#[utoipa::path(get, path = "/api/workspaces/{id}/invitations", tag = "workspaces", operation_id = "list_invitations",
    params(("id" = WorkspaceId, Path), PageQuery),
    responses((status = 200, body = Page<Invitation>), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn list(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ManageMembers>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Invitation>>> {
    let request = query.check()?;
    let db = state.db.read();
    let rows = store::list(db, caller.scope(), request, state.clock.now()).await?;
    let page = request.page(rows, |row| row.id.0);
    let inviters = page.items.iter().map(|row| row.invited_by);
    let users = auth::users_by_id(db, inviters).await?;
    let shown = page.items.into_iter().filter_map(|row| {
        // The foreign key guarantees the inviter.
        let user = users.iter().find(|user| user.id == row.invited_by)?;
        Some(Invitation::new(row, UserBrief::from(user.clone())))
    });
    Ok(Json(Page {
        items: shown.collect(),
        next_cursor: page.next_cursor,
    }))
}

/// Creates an invitation. Its link is shown once.
#[utoipa::path(post, path = "/api/workspaces/{id}/invitations", tag = "workspaces", operation_id = "invite",
    request_body = NewInvitation,
    params(("id" = WorkspaceId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "a repeat is 409 already-answered: the link is not kept")),
    responses((status = 201, body = FreshInvitation), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn invite(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ManageMembers>,
    headers: HeaderMap,
    Valid(new): Valid<NewInvitation>,
) -> ApiResult<(StatusCode, Secret<FreshInvitation>)> {
    caller.not_by_program()?;
    let by = By {
        user: caller.user_id(),
        role: caller.role(),
    };
    let sends = commands::Sends {
        name: &caller.caller().user.name,
        base: base(&state, &headers),
    };
    let (row, token) = commands::invite(&state, caller.scope(), by, sends, new).await?;
    let address_problem = state.public_address.problem(&headers).await?;
    let base = state.public_url.as_deref().unwrap_or_default();
    let body = FreshInvitation {
        id: row.id,
        link: format!("{base}/invitation#{}", token.reveal()),
        token: token.reveal().to_owned(),
        mailed: state.mail.is_some() && row.email.is_some(),
        address_problem,
        role: Role::from_stored(&row.role),
        expires_at: row.expires_at,
    };
    Ok((StatusCode::CREATED, Secret(body)))
}

/// The address at which the caller reaches the gateway, for a link that is read elsewhere.
fn base(state: &WorkspacesContext, headers: &HeaderMap) -> String {
    if let Some(base) = &state.public_url {
        return base.to_string();
    }
    let scheme = if state.behind_tls { "https" } else { "http" };
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{scheme}://{host}")
}

/// Withdraws an invitation. Its link stops working at once.
#[utoipa::path(delete, path = "/api/workspaces/{id}/invitations/{invitation_id}", tag = "workspaces",
    operation_id = "withdraw_invitation", params(("id" = WorkspaceId, Path), ("invitation_id" = InvitationId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn withdraw(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ManageMembers>,
    Path(place): Path<(WorkspaceId, InvitationId)>,
) -> ApiResult<StatusCode> {
    let (_, id) = place;
    let by = By {
        user: caller.user_id(),
        role: caller.role(),
    };
    commands::withdraw(&state, caller.scope(), by, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
