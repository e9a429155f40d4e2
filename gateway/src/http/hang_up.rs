//! Requests that carry a credential end their connection: its receive buffer, which holds what was sent until the next
//! request overwrites it, is given back and wiped (`wiping`). HTTP/2 has no such word; there the buffer lives as long as
//! the connection.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderValue, Method, Version, header};

/// Where credentials that somebody else gave are handed over.
const CARRYING: [&str; 3] = [
    "/api/apps/connections",
    "/api/fleet/meshvpn",
    "/api/repos/connections",
];

/// The middleware.
pub async fn hang_up(request: Request, next: Next) -> Response {
    let carries = request.method() == Method::POST
        && request.version() < Version::HTTP_2
        && CARRYING.contains(&request.uri().path());
    let mut response = next.run(request).await;
    if carries {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of bodies that are credentials of other services.
    const NAMES: [&str; 3] = ["secret", "api_key", "token"];
    /// Our own, which nobody keeps: an invitation is used up by the request that carries it.
    const OURS: [&str; 2] = ["/api/invitations/accept", "/api/invitations/look"];

    #[test]
    fn every_route_that_takes_a_credential_is_in_the_list() {
        let text = crate::http::router::openapi_json();
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
        assert_eq!(taking, CARRYING);
    }
}
