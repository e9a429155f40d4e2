//! Pages for people that are not the web UI: one for each error code.

use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};

use super::problem::Code;
use crate::error::ApiError;

/// `GET /problems/{code}`
#[utoipa::path(get, path = "/problems/{code}", tag = "documentation", params(("code" = String, Path)),
    responses((status = 200, content_type = "text/html", body = String), (status = 404, body = super::problem::Problem)))]
pub async fn problem_page(Path(code): Path<String>) -> Response {
    match Code::from_slug(&code) {
        Some(code) => Html(page(code.title(), &markdown(code.page()))).into_response(),
        None => ApiError::new(Code::NotFound)
            .detail("There is no error code of this name; /api/docs lists them.")
            .into_response(),
    }
}

/// A whole page around a body that is HTML already.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{} · Roost</title><link rel=\"stylesheet\" href=\"/api/docs/style.css\"><main>{body}</main></html>",
        escape(title)
    )
}

/// The little Markdown that our own pages use: headings, paragraphs, code.
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

/// Text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
