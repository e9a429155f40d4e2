//! The machine that sends a request about chunks. Its token and its pace are checked before the body is read.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;

use crate::fleet;
use crate::sandboxes::SandboxesHandle;
use crate::sandboxes::engine::name_of;
use roost_web::error::{ApiError, Code};

/// The most requests of one machine in a minute. With full chunks this is 100 MiB in a second.
pub(in crate::sandboxes) const A_MINUTE: u32 = 6_000;

/// A machine, by its token.
pub(super) struct CallingMachine {
    /// Its name in the registry.
    pub(super) name: String,
}

impl FromRequestParts<SandboxesHandle> for CallingMachine {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        sandboxes: &SandboxesHandle,
    ) -> Result<Self, Response> {
        let node = fleet::calling_machine(&sandboxes.db, parts).await?;
        let now = sandboxes.clock.monotonic();
        if let Err(wait) = sandboxes.chunk_pace.take(node.id, now) {
            let seconds = wait.as_secs() + 1;
            let detail = format!(
                "A machine may send {A_MINUTE} requests for chunks a minute; try again in {seconds} s."
            );
            let refused = ApiError::new(Code::TooManyAttempts).detail(detail);
            return Err(refused.retry_after(seconds).into_response());
        }
        let name = name_of(Some(node.id));
        Ok(Self { name })
    }
}
