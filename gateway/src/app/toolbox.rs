//! Wiring of agents' tools: what they work with, and what they learn from other domains.

use std::sync::Arc;

use sea_orm::DbErr;

use super::Shared;
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::domains::teams;
use crate::domains::tools::mcp::{Addresses, Mcp};
use crate::domains::tools::routes::ToolsState;
use crate::domains::tools::{Authority, AuthorityOf, Toolbox};
use crate::ids::ClawId;

/// The routes of tokens, and the MCP servers.
pub(super) fn state(shared: &Shared<'_>, toolbox: Toolbox) -> ToolsState {
    let (db, clock, ids) = (shared.db.clone(), shared.clock.clone(), shared.ids.clone());
    let authorities = db.clone();
    let authority: AuthorityOf = Arc::new(move |scope, agent| {
        let db = authorities.clone();
        Box::pin(async move { authority_of(&db, scope, agent).await })
    });
    ToolsState {
        mcp: Mcp::new(
            db.clone(),
            clock.clone(),
            ids.clone(),
            toolbox,
            authority,
            Addresses::of(shared.config.public_url.as_ref()),
            shared.draining.clone(),
        ),
        db,
        clock,
        ids,
    }
}

/// What an agent may use outside of a run: what its team says.
async fn authority_of(db: &Db, scope: WorkspaceScope, agent: ClawId) -> Result<Authority, DbErr> {
    let standing = teams::standing(db.read(), scope, agent, None).await?;
    Ok(Authority {
        profile: standing.profile,
        bundles: standing.bundles,
        workbench: standing.workbench,
    })
}
