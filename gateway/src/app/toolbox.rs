//! Wiring of agents' tools: what they work with, and what they get from other domains.

use std::sync::Arc;

use sea_orm::DbErr;

use super::Shared;
use roost_execution::tools::mcp::{Addresses, Mcp};
use roost_execution::tools::{Authority, AuthorityOf, Toolbox, ToolsContext};
use roost_organisation::teams;
use roost_platform::db::Db;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// The routes of tokens, and the MCP servers.
pub(super) fn state(shared: &Shared<'_>, toolbox: Toolbox) -> ToolsContext {
    let (db, clock, ids) = (shared.db.clone(), shared.clock.clone(), shared.ids.clone());
    let authorities = db.clone();
    let authority: AuthorityOf = Arc::new(move |scope, agent| {
        let db = authorities.clone();
        Box::pin(async move { authority_of(&db, scope, agent).await })
    });
    ToolsContext {
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

/// The authority of an agent outside of a run: its record, and its team if it sits in one.
async fn authority_of(db: &Db, scope: WorkspaceScope, agent: ClawId) -> Result<Authority, DbErr> {
    let settings = teams::effective_settings(db.read(), scope, agent, None).await?;
    Ok(Authority {
        sandbox_of: settings.sandbox_of(agent),
        profile: settings.profile,
        bundles: settings.bundles,
    })
}
