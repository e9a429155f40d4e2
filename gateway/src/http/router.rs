//! All routes, in one screen: the public listener's and the operators'. The OpenAPI document is made from the same list
//! without a gateway.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use http::{HeaderValue, header};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::bounds::bounded;
use super::hang_up::hang_up;
use super::idempotency::{IdempotencyLayer, idempotent};
use super::observe::{Observer, observe};
use super::origin::OwnOrigin;
use super::problem::Problem;
use super::{docs, pages, ui};
use crate::domains::auth::{AuthLayer, authenticate};
use crate::domains::operator::OperatorListener;
use crate::domains::{
    apps, audit, auth, claws, doors, fleet, live, mesh, models, operator, repos, runs, runtime,
    sandboxes, skills, teams, templates, tools, workspaces,
};
use crate::error::{ApiError, Code};

/// The states of all domains; each domain sees its own alone.
#[derive(Clone)]
pub struct States {
    pub auth: auth::routes::AuthState,
    pub workspaces: workspaces::routes::WorkspacesState,
    pub apps: apps::routes::AppsState,
    pub audit: crate::db::Db,
    pub claws: claws::routes::ClawsState,
    pub doors: doors::routes::DoorsState,
    pub live: live::routes::LiveState,
    pub operator: operator::routes::OperatorState,
    pub fleet: fleet::routes::FleetState,
    pub sandboxes: sandboxes::SandboxesHandle,
    pub repos: repos::routes::ReposState,
    pub mesh: mesh::routes::MeshState,
    pub tools: tools::routes::ToolsState,
    pub runs: runs::RunsHandle,
    pub runtime: runtime::Agents,
    pub teams: teams::routes::TeamsState,
    pub skills: skills::routes::SkillsState,
    pub templates: templates::routes::TemplatesState,
    pub models: models::routes::ModelsState,
}

/// The layers around the routes.
#[derive(Clone)]
pub struct Layers {
    pub observer: Observer,
    pub auth: AuthLayer,
    pub idempotency: IdempotencyLayer,
    pub body_limit: usize,
    /// Browsers come by TLS, and shall never come otherwise again.
    pub tls: bool,
    /// How long the body of a request may take, however small it is.
    pub body_grace: Duration,
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Roost",
        description = "A workspace platform for AI agents. Errors are problem documents (RFC 9457); each code has a page at /problems/{code}."
    ),
    components(schemas(Problem, Code))
)]
struct Base;

/// Generates the list twice, once with states and once without, so that the two cannot differ.
macro_rules! domains {
    ($($state:ident => $router:expr;)+) => {
        fn documented() -> OpenApi {
            let mut document = Base::openapi();
            $(document.merge($router.into_openapi());)+
            document.merge(pages_router().into_openapi());
            document
        }

        /// What each domain says for itself, before the documents are put together.
        #[cfg(test)]
        fn parts() -> Vec<(&'static str, OpenApi)> {
            vec![$((stringify!($state), $router.into_openapi())),+]
        }

        fn routed(states: States) -> Router {
            let router = OpenApiRouter::new();
            $(let router = router.merge($router.with_state(states.$state));)+
            router.merge(pages_router()).into()
        }
    };
}

domains! {
    auth => auth::routes::router();
    workspaces => workspaces::routes::router();
    apps => apps::routes::router();
    audit => audit::routes::router();
    claws => claws::routes::router();
    doors => doors::routes::router();
    live => live::routes::router();
    operator => operator::routes::router();
    fleet => fleet::routes::router();
    sandboxes => sandboxes::routes::router();
    repos => repos::routes::router();
    mesh => mesh::routes::router();
    tools => tools::routes::router();
    runs => runs::routes::router();
    runtime => runtime::routes::router();
    teams => teams::routes::router();
    skills => skills::routes::router();
    templates => templates::routes::router();
    models => models::routes::router();
}

fn pages_router() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(pages::problem_page))
}

/// The OpenAPI 3.1 document.
pub fn openapi() -> OpenApi {
    let mut document = documented();
    // The version is the product's; the contract's own changes are in CHANGELOG.md.
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document
}

/// The document as it is committed: pretty, with a line end.
pub fn openapi_json() -> String {
    let mut text = openapi()
        .to_pretty_json()
        .expect("a document of strings encodes");
    text.push('\n');
    text
}

/// The public listener's routes.
pub fn public(states: States, layers: &Layers) -> Router {
    let json: std::sync::Arc<str> = openapi_json().into();
    let value: serde_json::Value =
        serde_json::from_str(&json).expect("the document was just encoded");
    let page = docs::render(&value);
    let routes = routed(states)
        .layer(from_fn_with_state(layers.idempotency.clone(), idempotent))
        .layer(from_fn_with_state(layers.auth.clone(), authenticate))
        .route("/api/docs", get(move || async move { page.clone() }))
        .route("/api/docs/style.css", get(style))
        .route(
            "/api/openapi.json",
            get(move || async move {
                (
                    [(header::CONTENT_TYPE, "application/json")],
                    json.to_string(),
                )
            }),
        )
        .fallback(ui::fallback)
        .layer(from_fn(hang_up));
    outer(routes, layers)
}

/// The operators' listener: whoever reaches it is an operator, so it stays on loopback. Pages of other sites that a
/// browser on this machine shows are kept out by their origin.
pub fn operators(state: operator::routes::OperatorState, layers: &Layers) -> Router {
    let routes: Router = operator::routes::router().with_state(state).into();
    let routes = routes
        .layer(Extension(OperatorListener))
        .layer(from_fn(only_programs_and_own_pages))
        .fallback(|| async {
            ApiError::new(Code::NotFound)
                .detail("The operators' listener has /metrics, /healthz, /readyz and /api/ops.")
        });
    outer(routes, layers)
}

async fn only_programs_and_own_pages(
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    match OwnOrigin::default().check(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// What every listener has around its routes.
pub fn outer(routes: Router, layers: &Layers) -> Router {
    routes
        .layer(DefaultBodyLimit::max(layers.body_limit))
        .layer(from_fn_with_state(layers.body_grace, bounded))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(layers.tls, security_headers))
        .layer(from_fn_with_state(layers.observer.clone(), observe))
}

/// A handler that panics has changed nothing: its transaction was dropped.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    ApiError::internal(std::io::Error::other("a handler panicked")).into_response()
}

async fn security_headers(
    State(tls): State<bool>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if tls {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
            ),
        );
    }
    if api && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

async fn style() -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "text/css; charset=utf-8")],
        docs::STYLE,
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_document_is_what_the_handlers_say() {
        let committed = include_str!("../../openapi.json");
        assert_eq!(
            committed,
            super::openapi_json(),
            "run `cargo run -p roost-gateway -- openapi > gateway/openapi.json`"
        );
    }

    /// A client generator refuses a document with a `$ref` to nothing.
    #[test]
    fn every_reference_leads_somewhere() {
        let document = serde_json::to_value(super::openapi()).expect("it encodes");
        let mut references = Vec::new();
        references_in(&document, &mut references);
        assert!(references.len() > 100, "found only {}", references.len());
        let broken: std::collections::BTreeSet<_> = references
            .iter()
            .filter(|reference| {
                let pointer = reference.strip_prefix('#');
                pointer
                    .and_then(|pointer| document.pointer(pointer))
                    .is_none()
            })
            .collect();
        assert!(
            broken.is_empty(),
            "these lead nowhere: {broken:?}; `#[schema(no_recursion)]` on a struct drops the schemas of its fields, so put it on one field"
        );
    }

    /// Merging keeps one of two schemas that have the same name, and the other's references then mean that one.
    #[test]
    fn a_schema_means_the_same_in_all_domains() {
        let mut seen = std::collections::HashMap::new();
        for (domain, part) in super::parts() {
            for (name, schema) in part.components.unwrap_or_default().schemas {
                let (first, known) = seen
                    .entry(name.clone())
                    .or_insert_with(|| (domain, schema.clone()));
                assert!(
                    *known == schema,
                    "`{name}` of {domain} is another than that of {first}: name one with `#[schema(as = …)]`"
                );
            }
        }
    }

    fn references_in(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        serde_json::Value::String(to) if key == "$ref" => found.push(to.clone()),
                        _ => references_in(value, found),
                    }
                }
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| references_in(item, found));
            }
            _ => {}
        }
    }
}
