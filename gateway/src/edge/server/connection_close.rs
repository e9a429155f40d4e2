//! Requests that carry a credential close their connection. Its receive buffer holds the request until the next one
//! overwrites it; the close frees the buffer and wipes it (`wiping`). The thread's stack is wiped after each poll of the
//! handler. HTTP/2 has no such header, so there the buffer lives as long as the connection.

use std::future::poll_fn;
use std::pin::pin;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderValue, Method, Version, header};

use roost_platform::wiping::wipe_stack;

/// The routes that receive credentials of other services.
const CREDENTIAL_ROUTES: [&str; 5] = [
    "/api/apps/connections",
    "/api/fleet/meshvpn",
    "/api/models",
    "/api/models/{id}",
    "/api/repos/connections",
];

/// The middleware.
pub async fn close_after_credentials(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let has_credential = matches!(*request.method(), Method::POST | Method::PATCH)
        && request.version() < Version::HTTP_2
        && CREDENTIAL_ROUTES
            .iter()
            .any(|route| matches_route(route, path));
    if !has_credential {
        return next.run(request).await;
    }
    let mut answer = pin!(next.run(request));
    let mut response = poll_fn(|context| {
        let polled = answer.as_mut().poll(context);
        // The worker thread may be idle from now on, with a part of the credential on its stack.
        wipe_stack();
        polled
    })
    .await;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// Whether a path matches a route.
fn matches_route(route: &str, path: &str) -> bool {
    let (mut route, mut path) = (route.split('/'), path.split('/'));
    loop {
        match (route.next(), path.next()) {
            (None, None) => return true,
            (Some(wanted), Some(there)) if wanted == there || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_of_its_route_alone() {
        assert!(matches_route("/api/models", "/api/models"));
        assert!(matches_route("/api/models/{id}", "/api/models/7"));
        assert!(!matches_route("/api/models/{id}", "/api/models"));
        assert!(!matches_route("/api/models/{id}", "/api/models/7/try"));
        assert!(!matches_route("/api/models", "/api/modelsx"));
    }

    /// Fields of bodies that are credentials of other services.
    const NAMES: [&str; 3] = ["secret", "api_key", "token"];
    /// Roost's own tokens. They need no wiping: the request that carries one uses it up.
    const OURS: [&str; 3] = [
        "/api/auth/confirm-address",
        "/api/invitations/accept",
        "/api/invitations/look",
    ];

    #[test]
    fn every_route_that_takes_a_credential_is_in_the_list() {
        let text = crate::edge::server::router::openapi_json();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut taking: Vec<&str> = Vec::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            for operation in operations.as_object().unwrap().values() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let name = schema["$ref"].as_str().and_then(|at| at.rsplit('/').next());
                let fields = &document["components"]["schemas"][name.unwrap_or_default()];
                if NAMES
                    .iter()
                    .any(|name| fields["properties"].get(*name).is_some())
                    && !OURS.contains(&&**path)
                {
                    taking.push(path);
                }
            }
        }
        assert_eq!(taking, CREDENTIAL_ROUTES);
    }
}
