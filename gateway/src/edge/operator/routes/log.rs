//! `GET /api/ops/log`.

use axum::response::IntoResponse;
use http::header;

use crate::edge::operator::reader::MayOperate;
use roost_platform::telemetry::Redactor;
use roost_platform::telemetry::recent;
use roost_web::problem::Problem;

/// The latest lines of this gateway's log, at most a thousand, without secrets and e-mail addresses.
#[utoipa::path(get, path = "/api/ops/log", tag = "operators",
    responses((status = 200, content_type = "text/plain", body = String), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
pub(super) async fn log(_operator: MayOperate) -> impl IntoResponse {
    let mut text = recent::lines().join("\n");
    text.push('\n');
    (
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        Redactor::default().clean(&text),
    )
}
