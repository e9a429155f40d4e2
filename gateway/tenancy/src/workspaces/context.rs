//! The context of workspaces: what its handlers and commands need.

use std::sync::Arc;

use axum::extract::FromRef;

use super::{Departures, Plans};
use crate::auth::{OpenStreams, PublicAddress};
use crate::change::ChangeContext;
use crate::mail::MailQueue;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::Nudge;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct WorkspacesContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    /// The plan of a workspace that a person creates.
    pub new_plan: Arc<str>,
    pub streams: OpenStreams,
    pub sagas: Nudge,
    pub departures: Arc<dyn Departures>,
    /// The address with which links begin, without a slash at its end. If absent, a link is only a path.
    pub public_url: Option<Arc<str>>,
    /// The queue of mails, if the operator named a server.
    pub mail: Option<MailQueue>,
    /// Pages are served over TLS.
    pub behind_tls: bool,
    /// Says whether links with that address work.
    pub public_address: PublicAddress,
}

impl ChangeContext for WorkspacesContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

impl FromRef<WorkspacesContext> for Db {
    fn from_ref(state: &WorkspacesContext) -> Self {
        state.db.clone()
    }
}
