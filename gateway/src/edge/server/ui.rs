//! The web UI, embedded in release builds and read from `gateway/ui/dist` in debug builds. A path without a file
//! belongs to the application, which routes in the browser. Without a built UI, one page explains how to build it.

use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use rust_embed::RustEmbed;

use roost_web::error::{ApiError, Code};
use roost_web::pages::page;

#[derive(RustEmbed)]
#[folder = "ui/dist"]
struct Assets;

/// The permissions of pages: only Roost's own scripts, styles and connections; no frames; no HTML from strings. The one policy of
/// trusted types allows one address, that of the worker of the PDF viewer (`gateway/ui/src/ui/pdf/document.ts`).
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types roost-pdf";

/// Serves every path without a route.
pub async fn fallback(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api") || path.starts_with("/dl/") || path.starts_with("/problems/") {
        return ApiError::new(Code::NotFound)
            .detail("There is no such route; see /api/docs.")
            .into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::new(Code::MethodNotAllowed).into_response();
    }
    let name = path.trim_start_matches('/');
    if let Some(response) = asset(name, request.headers()) {
        return response;
    }
    if name.contains('.') && !name.ends_with(".html") {
        return ApiError::new(Code::NotFound)
            .detail("There is no such file.")
            .into_response();
    }
    asset("index.html", request.headers()).unwrap_or_else(not_built)
}

fn asset(name: &str, request: &HeaderMap) -> Option<Response> {
    let takes_brotli = request
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            value
                .split(',')
                .any(|coding| coding.trim().starts_with("br"))
        });
    let brotli = takes_brotli
        .then(|| Assets::get(&format!("{name}.br")))
        .flatten();
    let encoded = brotli.is_some();
    let file = match brotli {
        Some(file) => file,
        None => Assets::get(name).filter(|_| !name.is_empty())?,
    };
    let etag = format!(
        "\"{}{}\"",
        hex::encode(&file.metadata.sha256_hash()[..8]),
        if encoded { "-br" } else { "" }
    );
    let mut response = if request
        .get(header::IF_NONE_MATCH)
        .is_some_and(|value| value.as_bytes() == etag.as_bytes())
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(file.data.into_owned()))
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type(name));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if encoded {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    // The bundler puts a hash into the names below assets/.
    let caching = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(CSP),
    );
    Some(response)
}

fn not_built() -> Response {
    let body = "<h1>The web page was not built</h1><p>Run <code>make ui</code> and reload. The API works without it: \
                <a href=\"/api/docs\">/api/docs</a>.</p>";
    axum::response::Html(page("Not built", body)).into_response()
}

fn content_type(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}
