//! The tools as MCP servers over Streamable HTTP: one a bundle, without sessions, of the revision 2026-07-28 and those of
//! 2025-11-25 and 2025-06-18. Who calls is said by an agent's token and by nothing else; what it may use is looked up at
//! each request, so a profile that was changed counts at once.
//!
//! A call here has no step of a run that could give it a key: each request is an effect of its own, and one that is sent
//! twice is done twice. Runs call tools in process, with their keys.

mod bearer;
pub mod routes;
mod server;
mod transport;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use tokio_util::sync::CancellationToken;

use self::server::Server;
use super::authority::AuthorityOf;
use super::model::Bundle;
use super::toolbox::Toolbox;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::ids::SharedIds;

pub use bearer::{PER_MINUTE, Speaker, guard};
pub use transport::Addresses;

/// What the servers need. Cheap to clone.
#[derive(Clone)]
pub struct Mcp {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    clock: SharedClock,
    ids: SharedIds,
    toolbox: Toolbox,
    authority: AuthorityOf,
    addresses: Addresses,
    /// Ends what is under way when the gateway stops.
    draining: CancellationToken,
    paces: bearer::Paces,
}

impl Mcp {
    /// Wires them.
    pub fn new(
        db: Db,
        clock: SharedClock,
        ids: SharedIds,
        toolbox: Toolbox,
        authority: AuthorityOf,
        addresses: Addresses,
        draining: CancellationToken,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                clock,
                ids,
                toolbox,
                authority,
                addresses,
                draining,
                paces: bearer::paces(),
            }),
        }
    }

    /// Answers one request to the server of a bundle.
    async fn serve(&self, bundle: Bundle, request: Request) -> Response {
        let mcp = self.clone();
        let server = self.transport(move || Server {
            mcp: mcp.clone(),
            bundle,
        });
        self.guarded(request, async |request| {
            server.handle(request).await.map(Body::new)
        })
        .await
    }

    /// A server of any handler on the same transport, for the conformance suite's fixtures.
    pub fn transport<H: rmcp::ServerHandler>(
        &self,
        make: impl Fn() -> H + Send + Sync + 'static,
    ) -> transport::Served<H> {
        transport::served(&self.inner.addresses, self.inner.draining.clone(), make)
    }
}
