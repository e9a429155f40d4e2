//! `/api/openapi.json`, and `/api/docs`: the OpenAPI document as one readable page, without scripts.
//!
//! Both are made when a client first reads one of them. Few gateways are ever asked for them. Made at the start, they
//! delayed it and stayed in memory: a document of 680 KB, and two copies of a page of 530 KB.

use std::fmt::Write;
use std::sync::OnceLock;

use axum::response::{Html, IntoResponse};
use bytes::Bytes;
use http::header;
use serde_json::Value;

use super::router;
use roost_web::pages::{escape, page};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The stylesheet of this page and of the problem pages.
pub const STYLE: &str = include_str!("docs.css");

/// The document and its page.
#[derive(Clone)]
struct Documents {
    json: Bytes,
    page: Bytes,
}

impl Documents {
    /// Makes them at the first call, on a thread that may compute for long.
    async fn get() -> Self {
        static MADE: OnceLock<Documents> = OnceLock::new();
        if let Some(made) = MADE.get() {
            return made.clone();
        }
        let made = tokio::task::spawn_blocking(|| MADE.get_or_init(Self::make).clone());
        made.await.expect("the document was encoded by a test")
    }

    fn make() -> Self {
        let json = router::openapi_json();
        let document = serde_json::from_str(&json).expect("the document was just encoded");
        Self {
            page: render(&document).into(),
            json: json.into(),
        }
    }
}

/// `GET /api/openapi.json`.
pub async fn document_of_api() -> impl IntoResponse {
    let json = Documents::get().await.json;
    ([(header::CONTENT_TYPE, "application/json")], json)
}

/// `GET /api/docs`.
pub async fn page_of_api() -> Html<Bytes> {
    Html(Documents::get().await.page)
}

/// Renders the document.
fn render(document: &Value) -> String {
    let mut body = String::from(
        "<h1>The API of Roost</h1><p>The same as <a href=\"/api/openapi.json\">/api/openapi.json</a>, for people. \
         Sign in and send <code>Authorization: Bearer &lt;token&gt;</code>.</p>",
    );
    let paths = document["paths"].as_object();
    for (path, item) in paths.into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                render_operation(&mut body, method, path, operation);
            }
        }
    }
    body.push_str("<h1>Schemas</h1>");
    let schemas = document["components"]["schemas"].as_object();
    for (name, schema) in schemas.into_iter().flatten() {
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            body,
            "<details id=\"{0}\"><summary>{0}</summary><pre>{1}</pre></details>",
            escape(name),
            escape(&serde_json::to_string_pretty(schema).unwrap_or_default())
        );
    }
    page("API", &body)
}

fn render_operation(body: &mut String, method: &str, path: &str, operation: &Value) {
    let text = |key: &str| operation[key].as_str().map(escape).unwrap_or_default();
    let _ = write!(
        body,
        "<details><summary><b>{}</b><code>{}</code></summary><p>{}</p><p>{}</p>",
        method.to_uppercase(),
        escape(path),
        text("summary"),
        text("description")
    );
    let parameters = operation["parameters"].as_array();
    body.push_str("<table>");
    for parameter in parameters.into_iter().flatten() {
        let of = |key: &str| parameter[key].as_str().map(escape).unwrap_or_default();
        let _ = write!(
            body,
            "<tr><td><code>{}</code><td>{}<td>{}",
            of("name"),
            of("in"),
            of("description")
        );
    }
    if let Some(schema) = schema_of(&operation["requestBody"]) {
        let _ = write!(body, "<tr><td>body<td><td>{schema}");
    }
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let schema = schema_of(answer).unwrap_or_default();
        let _ = write!(body, "<tr><td>{}<td>answer<td>{schema}", escape(status));
    }
    body.push_str("</table></details>");
}

fn schema_of(of: &Value) -> Option<String> {
    // Responses that all routes have in common are problem documents.
    if of["$ref"].is_string() {
        return Some("<a href=\"#Problem\">Problem</a>".to_owned());
    }
    let content = of["content"].as_object()?;
    let schema = &content.values().next()?["schema"];
    let name = schema["$ref"].as_str()?.rsplit('/').next()?;
    Some(format!("<a href=\"#{0}\">{0}</a>", escape(name)))
}
