//! HTML pages for people outside the web UI: one for each error code.

use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, header};

use super::problem::Code;
use crate::error::ApiError;

/// `GET /problems/{code}`
#[utoipa::path(get, path = "/problems/{code}", tag = "documentation", params(("code" = String, Path)),
    responses((status = 200, content_type = "text/html", body = String), (status = 404, body = super::problem::Problem)))]
pub async fn problem_page(Path(code): Path<String>) -> Response {
    match Code::from_slug(&code) {
        Some(code) => Html(page(code.title(), &markdown(code.page()))).into_response(),
        None => ApiError::new(Code::NotFound)
            .detail("There is no error code with this name; /api/docs lists the codes.")
            .into_response(),
    }
}

/// Whether a browser sent the request. Browsers accept HTML in each navigation, programs do not.
pub fn wants_a_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

/// A whole page around an HTML body.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{} · Roost</title><link rel=\"stylesheet\" href=\"/api/docs/style.css\"><main>{body}</main></html>",
        escape(title)
    )
}

/// Converts the Markdown of the gateway's own pages to HTML: headings, paragraphs, code.
fn markdown(text: &str) -> String {
    text.split("\n\n")
        .map(|block| match block.trim() {
            block if block.starts_with("## ") => format!("<h2>{}</h2>", inline(&block[3..])),
            block if block.starts_with("# ") => format!("<h1>{}</h1>", inline(&block[2..])),
            block => format!("<p>{}</p>", inline(block)),
        })
        .collect()
}

fn inline(text: &str) -> String {
    escape(text)
        .split('`')
        .enumerate()
        .map(|(i, part)| match i % 2 {
            0 => part.to_owned(),
            _ => format!("<code>{part}</code>"),
        })
        .collect()
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
