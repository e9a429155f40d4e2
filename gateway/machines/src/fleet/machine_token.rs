//! The credential of a machine on HTTP requests: its bearer token, whose hash is stored.

use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use super::entity::node;
use super::store;
use roost_platform::db::Db;
use roost_web::connections::{Connection, Proof};
use roost_web::error::{ApiError, Code};

/// The machine that sends a request.
///
/// # Errors
/// The answer when the token is not one of a paired machine, or when no connection is free.
pub async fn calling_machine(db: &Db, parts: &Parts) -> Result<node::Model, Response> {
    let (_, node) = machine_of(db, &parts.headers)
        .await
        .map_err(IntoResponse::into_response)?;
    if let Some(connection) = parts.extensions.get::<Connection>() {
        let proven = connection.prove(Proof::Machine);
        proven.map_err(IntoResponse::into_response)?;
    }
    Ok(node)
}

/// The hash of the request's token, and the machine that has it.
///
/// # Errors
/// 401 when no paired machine has the token; 403 for a browser.
pub(super) async fn machine_of(
    db: &Db,
    headers: &HeaderMap,
) -> Result<(String, node::Model), ApiError> {
    // A browser sends an Origin and a daemon never does. No page may act as a machine.
    if headers.contains_key(header::ORIGIN) {
        return Err(ApiError::new(Code::Forbidden).detail("Only roostd may open this channel."));
    }
    let unknown = || {
        ApiError::new(Code::Unauthenticated)
            .detail("This token is not one of a paired machine; join again with a new code.")
    };
    let token_sha256 = bearer_sha256(headers).ok_or_else(unknown)?;
    let node = store::by_token(db.read(), &token_sha256)
        .await?
        .ok_or_else(unknown)?;
    Ok((token_sha256, node))
}

/// The hash of the token in the Authorization header: SHA-256 of its 32 bytes. The header carries them as hex.
pub(super) fn bearer_sha256(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let bytes = hex::decode(token.trim())
        .ok()
        .filter(|bytes| bytes.len() == 32)?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| hex::encode(Sha256::digest(bytes)))
}
