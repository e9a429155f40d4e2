//! Wiring of what asks other services for workspaces.

use super::Shared;
use crate::domains::repos::routes::ReposState;
use crate::supervision::Nudge;

/// Repositories of code hosts.
pub(super) fn repos(shared: &Shared<'_>) -> ReposState {
    ReposState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        syncs: Nudge::default(),
        credentials: shared.credential_nudge.clone(),
    }
}
