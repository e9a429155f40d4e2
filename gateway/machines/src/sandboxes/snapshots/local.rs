//! The gateway's store of chunks for the engine on its own host: the same rights as a machine, without requests.
use futures::future::BoxFuture;
use roost_protocol::ids as wire;
use roost_sandbox_driver::{Remote, RemoteError, RemoteSnapshot};
use roost_snapshot::Address;

use super::exchange::{Exchange, ExchangeError};
use crate::sandboxes::engine::LOCAL;
use roost_platform::ids::WorkspaceId;

/// The store, as the gateway's own host reaches it.
pub struct LocalChunks(pub Exchange);

impl std::fmt::Debug for LocalChunks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LocalChunks")
    }
}

fn workspace(of: wire::WorkspaceId) -> WorkspaceId {
    WorkspaceId(of.0)
}

fn failed(error: ExchangeError) -> RemoteError {
    match error {
        // The snapshot's row follows when the gateway reads the executor's report.
        ExchangeError::NotFound | ExchangeError::Store(_) | ExchangeError::Db(_) => {
            RemoteError::Away(error.to_string())
        }
        ExchangeError::Stays => RemoteError::Stays,
        ExchangeError::Wrong(_) | ExchangeError::Malformed(_) | ExchangeError::Incomplete(_) => {
            RemoteError::Refused(error.to_string())
        }
    }
}

impl Remote for LocalChunks {
    fn missing<'a>(
        &'a self,
        of: RemoteSnapshot,
        chunks: &'a [Address],
    ) -> BoxFuture<'a, Result<Vec<Address>, RemoteError>> {
        Box::pin(async move {
            let asked = self
                .0
                .missing(LOCAL, workspace(of.workspace), chunks.to_vec());
            asked.await.map_err(failed)
        })
    }

    fn put(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
        stored: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async move {
            let put = self
                .0
                .put(LOCAL, workspace(of.workspace), chunk, stored.into());
            put.await.map_err(failed)
        })
    }

    fn complete(&self, of: RemoteSnapshot) -> BoxFuture<'_, Result<bool, RemoteError>> {
        Box::pin(async move {
            let told = self.0.uploaded(LOCAL, workspace(of.workspace), of.digest);
            match told.await {
                Ok(()) => Ok(true),
                Err(ExchangeError::Incomplete(_)) => Ok(false),
                Err(error) => Err(failed(error)),
            }
        })
    }

    fn get(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, RemoteError>> {
        Box::pin(async move {
            let got = self.0.get(LOCAL, workspace(of.workspace), of.digest, chunk);
            match got.await {
                Ok(stored) => Ok(Some(stored.to_vec())),
                Err(ExchangeError::NotFound) => Ok(None),
                Err(error) => Err(failed(error)),
            }
        })
    }
}
