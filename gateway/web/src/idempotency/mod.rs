//! Idempotency keys: a creating `POST` with `Idempotency-Key` may be repeated for 24 h and gets the first answer again.
//!
//! The row is inserted before the work. So simultaneous requests meet in the database, and all but one get 409. The row
//! also fixes the id of the created thing. If the gateway is killed between the commit and the answer, the repeat runs
//! with the same id, finds the thing and returns it. Only successes are stored: a refusal changed nothing, so the
//! request may be tried again. After a 5xx answer it is unknown whether anything happened. The repeat uses the same id,
//! so it finds the result if there is one. Answers with a secret are never stored. Table: `idempotency_keys`.

pub(crate) mod entity;
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
use roost_platform::ids::{SharedIds, UserId, WorkspaceId, fresh};

/// The owner of a key. The authentication layer puts it into the request's extensions.
#[derive(Debug, Clone, Copy)]
pub struct KeyOwner {
    pub user: UserId,
    pub workspace: WorkspaceId,
}

/// The id that a request's key has fixed for the thing that it creates, if the request has a key.
#[derive(Debug, Clone, Copy)]
pub struct CreationId<T> {
    fixed: Option<Uuid>,
    _kind: PhantomData<fn() -> T>,
}

/// The fixed id, in the request's extensions.
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

/// A JSON answer with a secret that is shown once. It is not stored and not cached.
#[derive(Debug)]
pub struct Secret<T>(pub T);

/// Marks an answer with a secret, in the answer's extensions.
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
