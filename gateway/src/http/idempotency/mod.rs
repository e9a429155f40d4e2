//! Idempotency keys: a creating `POST` with `Idempotency-Key` may be repeated for 24 h and answers the first answer.
//!
//! The row is inserted before the work, so that requests at the same time meet in the database and one of them waits
//! outside (409). The row also fixes the id of what will be created: when the gateway is killed between the commit and
//! the answer, the repeat runs again with the same id, finds the thing, and answers it. Only successes are kept: a
//! refusal changed nothing, so it may be tried again. After an answer of 5xx nobody knows whether anything happened: the
//! repeat works with the same id, so that it finds what did. Answers with a secret are never kept. Table: `idempotency_keys`.

pub mod entity;
mod layer;
mod store;

use std::marker::PhantomData;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use serde::Serialize;
use uuid::Uuid;

pub use layer::{IdempotencyLayer, idempotent};
pub use store::forget_before;

use crate::error::ApiError;
use crate::ids::{SharedIds, fresh};

/// The id that a request's key has fixed for what it creates, if it has a key.
#[derive(Debug, Clone, Copy)]
pub struct CreationId<T> {
    fixed: Option<Uuid>,
    _kind: PhantomData<fn() -> T>,
}

/// Left in the request's extensions by the layer.
#[derive(Debug, Clone, Copy)]
struct Fixed(Uuid);

impl<T: From<Uuid>> CreationId<T> {
    /// The fixed id, or a fresh one.
    pub fn or_fresh(self, ids: &SharedIds) -> T {
        self.fixed.map_or_else(|| fresh(ids), T::from)
    }
}

impl<S: Send + Sync, T> FromRequestParts<S> for CreationId<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self {
            fixed: parts.extensions.get::<Fixed>().map(|fixed| fixed.0),
            _kind: PhantomData,
        })
    }
}

/// A JSON answer that holds a secret which is shown once: not stored, not cached.
#[derive(Debug)]
pub struct Secret<T>(pub T);

/// Left in the answer's extensions for the layer.
#[derive(Debug, Clone, Copy)]
struct HoldsASecret;

impl<T: Serialize> IntoResponse for Secret<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.0).into_response();
        response.headers_mut().insert(
            http::header::CACHE_CONTROL,
            http::HeaderValue::from_static("no-store"),
        );
        response.extensions_mut().insert(HoldsASecret);
        response
    }
}
