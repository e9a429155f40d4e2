//! A gateway's store of snapshots in memory.
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::future::BoxFuture;
use roost_protocol::snapshot::Stored;
use roost_sandbox_driver::{Remote, RemoteError, RemoteSnapshot};
use roost_snapshot::{Address, Tenant};

/// It follows the rules of the real one, and can be away.
#[derive(Debug, Default)]
pub struct Shop {
    pub chunks: Mutex<HashMap<Address, Vec<u8>>>,
    pub whole: Mutex<HashSet<Address>>,
    pub away: AtomicBool,
    /// Bytes put.
    pub put: AtomicU64,
}

impl Shop {
    fn answers(&self) -> Result<(), RemoteError> {
        match self.away.load(Ordering::Relaxed) {
            true => Err(RemoteError::Away("switched off".to_owned())),
            false => Ok(()),
        }
    }
}

impl Remote for Shop {
    fn missing<'a>(
        &'a self,
        _of: RemoteSnapshot,
        chunks: &'a [Address],
    ) -> BoxFuture<'a, Result<Vec<Address>, RemoteError>> {
        Box::pin(async move {
            self.answers()?;
            let held = self.chunks.lock().expect("no test holds it");
            let lacks = chunks.iter().filter(|chunk| !held.contains_key(chunk));
            Ok(lacks.copied().collect())
        })
    }

    fn put(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
        stored: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async move {
            self.answers()?;
            let tenant = Tenant::of(of.workspace.0);
            roost_snapshot::chunk::decode(&tenant, chunk, &stored)
                .map_err(|error| RemoteError::Refused(error.to_string()))?;
            self.put.fetch_add(stored.len() as u64, Ordering::Relaxed);
            self.chunks
                .lock()
                .expect("no test holds it")
                .insert(chunk, stored);
            Ok(())
        })
    }

    fn complete(&self, of: RemoteSnapshot) -> BoxFuture<'_, Result<bool, RemoteError>> {
        Box::pin(async move {
            self.answers()?;
            let held = self
                .chunks
                .lock()
                .expect("no test holds it")
                .contains_key(&of.digest);
            if held {
                self.whole
                    .lock()
                    .expect("no test holds it")
                    .insert(of.digest);
            }
            Ok(held)
        })
    }

    fn get(
        &self,
        _of: RemoteSnapshot,
        chunk: Address,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, RemoteError>> {
        Box::pin(async move {
            self.answers()?;
            Ok(self
                .chunks
                .lock()
                .expect("no test holds it")
                .get(&chunk)
                .cloned())
        })
    }
}

/// Waits until the store has a snapshot whole.
pub async fn whole(shop: &Shop, stored: &Stored) {
    let digest: Address = stored.digest.parse().expect("no test holds it");
    let begun = std::time::Instant::now();
    while !shop
        .whole
        .lock()
        .expect("no test holds it")
        .contains(&digest)
    {
        assert!(begun.elapsed().as_secs() < 120, "it is uploaded");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}
