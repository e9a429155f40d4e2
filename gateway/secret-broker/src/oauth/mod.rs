//! OAuth inside the broker: the verifier, the code's exchange, refresh tokens. No token crosses the socket.
//!
//! A refresh is made by one at a time for each record (the right to change it is what serialises them), in a task of its
//! own, so that a client that goes away does not lose a refresh token that its issuer has just rotated; and what was
//! issued is on the disk before it is used.

mod model;
mod refresh;
mod revoke;
mod sign_in;
mod token;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use roost_secret_broker::wire::{Fault, RecordName};

use crate::egress::Outlet;
use crate::store::Store;

/// Cheap to clone.
#[derive(Clone)]
pub struct OAuth {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    outlet: Outlet,
    refreshes: AtomicU64,
    /// Issuers that just failed are not asked again at once by everybody who waits.
    failed: Mutex<HashMap<RecordName, (i64, Fault)>>,
}

impl OAuth {
    /// On this store, through this outlet.
    pub fn new(store: Store, outlet: Outlet) -> Self {
        Self {
            shared: Arc::new(Shared {
                store,
                outlet,
                refreshes: AtomicU64::new(0),
                failed: Mutex::default(),
            }),
        }
    }
}
