//! All routes of the public listener and the operators' listener. The OpenAPI document is made from the same list
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
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::connection_close::close_after_credentials;
use super::operator_gate::{OperatorGate, guard};
use super::request_limits::enforce_limits;
use super::{docs, document, ui};
use crate::edge::activity;
use crate::edge::operator::{self, OperatorListener};
use crate::edge::public_address;
use crate::edge::run_use;
use roost_agents::claws;
use roost_connections::{apps, checkouts, doors, mesh, repos, uploads};
use roost_execution::{models, runs, tools};
use roost_machines::{fleet, images, sandboxes};
use roost_missions::levelups;
use roost_missions::missions;
use roost_missions::routines;
use roost_missions::world;
use roost_organisation::{agent_skills, skills, teams, templates};
use roost_runtime as runtime;
use roost_tenancy::auth::{self, AuthLayer, authenticate};
use roost_tenancy::{audit, streams, workspaces};
use roost_web::error::{ApiError, Code};
use roost_web::idempotency::{IdempotencyLayer, idempotent};
use roost_web::observe::{Observer, observe};
use roost_web::pages;
use roost_web::problem::Problem;

/// The contexts of all domains. Each domain gets only its own.
#[derive(Clone)]
pub struct Contexts {
    pub auth: auth::AuthContext,
    pub workspaces: workspaces::WorkspacesContext,
    pub apps: apps::AppsContext,
    pub activity: activity::ActivityContext,
    pub audit: roost_platform::db::Db,
    pub checkouts: checkouts::CheckoutsContext,
    pub claws: claws::ClawsContext,
    pub doors: doors::DoorsContext,
    pub live: streams::LiveContext,
    pub run_streams: streams::LiveContext,
    pub operator: operator::OperatorContext,
    pub fleet: fleet::FleetContext,
    pub images: images::ImagesContext,
    pub sandboxes: sandboxes::SandboxesHandle,
    pub repos: repos::ReposContext,
    pub mesh: mesh::MeshContext,
    pub missions: missions::MissionsContext,
    pub routines: routines::RoutinesContext,
    pub world: world::WorldContext,
    pub tools: tools::ToolsContext,
    pub runs: runs::RunsHandle,
    pub run_use: run_use::RunUseContext,
    pub public_address: public_address::PublicAddressContext,
    pub runtime: runtime::RuntimeContext,
    pub teams: teams::TeamsContext,
    pub uploads: uploads::UploadsContext,
    pub skills: skills::SkillsContext,
    pub agent_skills: agent_skills::AgentSkillsContext,
    pub templates: templates::TemplatesContext,
    pub models: models::ModelsContext,
    pub levelups: levelups::LevelUpsContext,
}

/// The layers around the routes.
#[derive(Clone)]
pub struct Layers {
    pub observer: Observer,
    pub auth: AuthLayer,
    pub idempotency: IdempotencyLayer,
    pub body_limit: usize,
    /// The public listener uses TLS, so browsers must never use plain HTTP again.
    pub tls: bool,
    /// The time that the body of any request may take.
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

/// Generates the list twice, once with contexts and once without, so that the two cannot differ.
macro_rules! domains {
    ($($state:ident => $router:expr;)+) => {
        fn documented() -> OpenApi {
            let mut document = Base::openapi();
            $(document.merge($router.into_openapi());)+
            document.merge(pages_router().into_openapi());
            document
        }

        /// Each domain's part of the document, before the parts are merged.
        #[cfg(test)]
        fn parts() -> Vec<(&'static str, OpenApi)> {
            vec![$((stringify!($state), $router.into_openapi())),+]
        }

        fn routed(contexts: Contexts) -> Router {
            let router = Router::from(pages_router());
            // Merged without their documents, which a gateway at work does not need.
            $(let router = router.merge(Router::from($router.with_state(contexts.$state)));)+
            router
        }
    };
}

domains! {
    auth => auth::router();
    workspaces => workspaces::router();
    apps => apps::router();
    audit => audit::router();
    claws => claws::router();
    doors => doors::router();
    activity => activity::router();
    live => streams::router();
    operator => operator::router();
    fleet => fleet::router();
    images => images::router();
    sandboxes => sandboxes::router();
    repos => repos::router();
    checkouts => checkouts::router();
    uploads => uploads::router();
    mesh => mesh::router();
    missions => missions::router();
    routines => routines::router();
    world => world::router();
    tools => tools::router();
    runs => runs::router();
    run_use => run_use::router();
    public_address => public_address::router();
    run_streams => runs::stream_router();
    runtime => runtime::router();
    teams => teams::router();
    skills => skills::router();
    agent_skills => agent_skills::router();
    templates => templates::router();
    models => models::router();
    levelups => levelups::router();
}

fn pages_router() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(pages::problem_page))
}

/// The OpenAPI 3.1 document.
pub fn openapi() -> OpenApi {
    let mut document = documented();
    // The version is the product's. CHANGELOG.md lists changes of the API.
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document::complete(&mut document);
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
pub fn public(contexts: Contexts, layers: &Layers) -> Router {
    let routes = routed(contexts)
        .layer(from_fn_with_state(layers.idempotency.clone(), idempotent))
        .layer(from_fn_with_state(layers.auth.clone(), authenticate))
        .route("/api/docs", get(docs::page_of_api))
        .route("/api/docs/style.css", get(style))
        .route("/api/openapi.json", get(docs::document_of_api))
        .fallback(ui::fallback)
        .layer(from_fn(close_after_credentials));
    outer(routes, layers)
}

/// The operators' listener: metrics, probes and operators' actions, behind the gate.
pub fn operators(state: operator::OperatorContext, layers: &Layers, gate: OperatorGate) -> Router {
    let routes: Router = operator::router().with_state(state).into();
    let routes = routes
        .layer(Extension(OperatorListener))
        .fallback(|| async {
            ApiError::new(Code::NotFound)
                .detail("The operators' listener has /metrics, /healthz, /readyz and /api/ops.")
        })
        .layer(from_fn_with_state(gate, guard));
    outer(routes, layers)
}

/// The layers around the routes of every listener.
pub fn outer(routes: Router, layers: &Layers) -> Router {
    routes
        .layer(DefaultBodyLimit::max(layers.body_limit))
        .layer(from_fn_with_state(layers.body_grace, enforce_limits))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(layers.tls, security_headers))
        .layer(from_fn_with_state(layers.observer.clone(), observe))
}

/// A handler that panics has changed nothing, because its transaction was dropped.
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
        let committed = include_str!("../../../openapi.json");
        assert_eq!(
            committed,
            super::openapi_json(),
            "run `cargo run -p roost-gateway -- openapi > gateway/openapi.json`"
        );
    }

    /// Client generators refuse a document with a `$ref` without a target.
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

    /// A client generator names a function after each id, and keeps one of two that are the same.
    #[test]
    fn each_operation_has_an_id_of_its_own() {
        let document = serde_json::to_value(super::openapi()).expect("it encodes");
        let paths = document["paths"].as_object().expect("there are paths");
        let operations = paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
        });
        let mut seen = std::collections::HashMap::new();
        for (place, operation) in operations {
            let Some(id) = operation["operationId"].as_str() else {
                continue;
            };
            if let Some(first) = seen.insert(id.to_owned(), place.clone()) {
                panic!("{place} and {first} have the id `{id}`: say `operation_id` in one of them");
            }
        }
        assert!(seen.len() > 100, "found only {}", seen.len());
    }

    /// Merging keeps one of two schemas with the same name. References of the other domain would then mean the wrong
    /// one.
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
