//! `GET /api/ops/sign-in`.

use axum::Json;
use axum::extract::State;

use super::OperatorContext;
use crate::edge::operator::dto::{SignInMode, SignInNow};
use crate::edge::operator::reader::MayOperate;
use roost_tenancy::auth::hosted::{HostedIdentity, HostedMode};
use roost_web::problem::Problem;

/// The identity issuer beside local accounts, and which people are let in; as configured, without secrets.
#[utoipa::path(get, path = "/api/ops/sign-in", tag = "operators", operation_id = "sign_in_now",
    responses((status = 200, body = SignInNow), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn sign_in(
    State(state): State<OperatorContext>,
    _: MayOperate,
) -> Json<SignInNow> {
    let local = SignInNow::default();
    Json(state.hosted.as_deref().map_or(local, SignInNow::from))
}

impl From<&HostedIdentity> for SignInNow {
    fn from(hosted: &HostedIdentity) -> Self {
        Self {
            mode: match hosted.mode {
                HostedMode::Hosted => SignInMode::Hosted,
                HostedMode::Oidc => SignInMode::Oidc,
            },
            issuer: Some(hosted.issuer.clone()),
            audience: hosted.audience.clone(),
            client_id: hosted.client_id.clone(),
            role_claim: Some(hosted.claims.role.clone()),
            organisation_claim: hosted.claims.organisation.clone(),
            organisation_admin: hosted.claims.organisation_admin.clone(),
            admit_domains: hosted.admission.domains.clone(),
            per_signup_workspace: hosted.admission.per_signup_workspace,
            workspace: hosted.workspace,
            session_seconds: Some(hosted.session.as_secs()),
        }
    }
}
