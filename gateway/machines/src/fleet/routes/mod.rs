//! `/api/nodes` and `/dl/roostd`.

mod agent;
mod history;
mod join;
mod lines;
mod live;
mod nodes;
mod pair;

use utoipa_axum::{router::OpenApiRouter, routes};

use super::FleetContext;

/// The routes.
pub fn router() -> OpenApiRouter<FleetContext> {
    OpenApiRouter::new()
        .routes(routes!(pair::pair))
        .routes(routes!(join::join))
        .routes(routes!(join::leave))
        .routes(routes!(nodes::list))
        .routes(routes!(lines::lines))
        .routes(routes!(live::live))
        .routes(routes!(history::of_fleet))
        .routes(routes!(history::of_node))
        .routes(routes!(agent::agent))
        .routes(routes!(nodes::get, nodes::describe, nodes::remove))
        .routes(routes!(nodes::drain))
        .routes(routes!(nodes::undrain))
        .routes(routes!(nodes::exec_test))
        .routes(routes!(nodes::tools))
        .routes(routes!(nodes::operations))
        .routes(routes!(super::download::download))
}

/// This gateway's address as the caller sees it, without a slash at the end.
fn base_url(state: &FleetContext, headers: &http::HeaderMap) -> String {
    if let Some(url) = &state.fleet.settings().public_url {
        return url.as_str().trim_end_matches('/').to_owned();
    }
    let host = headers
        .get(http::header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or("localhost");
    let scheme = if state.behind_tls { "https" } else { "http" };
    format!("{scheme}://{host}")
}
