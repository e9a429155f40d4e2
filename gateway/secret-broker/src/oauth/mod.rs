//! OAuth inside the broker: the verifier, the code exchange, refresh tokens. No token crosses the socket.
//!
//! Each record is refreshed by one task at a time; the lock on the record serialises them. The refresh runs in its own
//! task, so that a client that disconnects does not lose a refresh token that the issuer has just rotated. Issued
//! tokens are on the disk before they are used.

mod client_secrets;
mod granted;
mod model;
mod redeem;
mod refresh;
mod revoke;
mod sign_in;
mod token;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use roost_secret_broker::wire::{Fault, RecordName};

use crate::egress::HttpClient;
use crate::store::Store;

pub use client_secrets::{ClientSecrets, NamedFile};

/// Cheap to clone.
#[derive(Clone)]
pub struct OAuth {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    http_client: HttpClient,
    client_secrets: ClientSecrets,
    refreshes: AtomicU64,
    /// Failures of issuers. They keep waiting callers from asking a failed issuer again at once.
    failed: Mutex<HashMap<RecordName, (i64, Fault)>>,
}

impl OAuth {
    /// OAuth on this store, with this HTTP client.
    pub fn new(store: Store, http_client: HttpClient, client_secrets: ClientSecrets) -> Self {
        Self {
            shared: Arc::new(Shared {
                store,
                http_client,
                client_secrets,
                refreshes: AtomicU64::new(0),
                failed: Mutex::default(),
            }),
        }
    }
}
