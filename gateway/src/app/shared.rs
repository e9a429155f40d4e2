//! What the contexts of the domains are made from.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::StartupError;
use crate::config::Config;
use crate::tree::Handles;
use roost_connections::apps::AppCaller;
use roost_execution::runs::RunWakes;
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{EventLog, Hub};
use roost_platform::ids::SharedIds;
use roost_platform::outbound::{Outbound, OwnAddress};
use roost_platform::supervision::{KillPoints, Nudge, TreeView};
use roost_tenancy::auth::{OpenStreams, PublicAddress};
use roost_tenancy::mail::MailQueue;
use roost_tenancy::streams::LiveHandle;

/// The parts that several domains share.
pub(super) struct Shared<'a> {
    pub(super) config: &'a Config,
    pub(super) db: &'a Db,
    pub(super) clock: &'a SharedClock,
    pub(super) ids: &'a SharedIds,
    pub(super) draining: CancellationToken,
    pub(super) view: Arc<OnceLock<TreeView>>,
    pub(super) handles: Handles,
    pub(super) hub: Hub,
    pub(super) events: EventLog,
    pub(super) saga_nudge: Nudge,
    pub(super) credential_nudge: Nudge,
    pub(super) mail_nudge: Nudge,
    pub(super) door_nudge: Nudge,
    pub(super) mirror_nudge: Nudge,
    pub(super) broker: BrokerHandle,
    pub(super) apps: AppCaller,
    pub(super) outbound: Outbound,
    pub(super) public_address: PublicAddress,
    pub(super) kill_points: KillPoints,
    pub(super) open_streams: OpenStreams,
    pub(super) live: LiveHandle,
    pub(super) wakes: RunWakes,
}

impl Shared<'_> {
    /// The queue of mails, if the operator named a server.
    pub(super) fn mail(&self) -> Option<MailQueue> {
        self.config.mail.as_ref().map(|_| MailQueue {
            nudge: self.mail_nudge.clone(),
        })
    }
}

/// What says whether the deployment answers at its public address.
pub(super) fn public_address(config: &Config, db: &Db) -> Result<PublicAddress, StartupError> {
    Ok(PublicAddress {
        db: db.clone(),
        url: config.public_url.clone(),
        own: OwnAddress::new(&config.outbound).map_err(StartupError::Outbound)?,
    })
}
