//! The tools as MCP servers over Streamable HTTP: one server for each bundle, without sessions, in the revisions
//! 2026-07-28, 2025-11-25 and 2025-06-18. Only an agent's token identifies the caller. The gateway reads the agent's
//! permissions at each request, so a changed profile applies at once.
//!
//! A call here has no step of a run, so it has no key of its own. Each request is a separate effect: a request that
//! is sent twice is executed twice. Runs call tools in process, with their keys.

mod bearer;
pub(super) mod routes;
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
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;

pub use bearer::{PER_MINUTE, Speaker, guard};
pub use transport::Addresses;

/// The MCP servers. Cheap to clone.
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
    /// Ends requests that are under way when the gateway stops.
    draining: CancellationToken,
    paces: bearer::Paces,
}

impl Mcp {
    /// Creates the servers.
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

    /// A server of any handler on the same transport, for the fixtures of the conformance suite.
    pub fn transport<H: rmcp::ServerHandler>(
        &self,
        make: impl Fn() -> H + Send + Sync + 'static,
    ) -> transport::Served<H> {
        transport::served(&self.inner.addresses, self.inner.draining.clone(), make)
    }
}
