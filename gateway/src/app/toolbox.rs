//! Wiring of agents' tools: what they work with, and what they learn from other domains.

use std::sync::Arc;

use super::Shared;
use crate::domains::sandboxes::SandboxesHandle;
use crate::domains::tools::mcp::{Addresses, Mcp};
use crate::domains::tools::routes::ToolsState;
use crate::domains::tools::{AuthorityOf, EffectiveSkills, Toolbox, capability_of};

/// The tools, for whoever calls them in process.
pub(super) fn toolbox(shared: &Shared<'_>, sandboxes: SandboxesHandle) -> Toolbox {
    let skills: EffectiveSkills = Arc::new(|_, _| Box::pin(async { Ok(Vec::new()) }));
    Toolbox::new(sandboxes, shared.db.clone(), skills)
}

/// The routes of tokens, and the MCP servers.
pub(super) fn state(shared: &Shared<'_>, toolbox: Toolbox) -> ToolsState {
    let (db, clock, ids) = (shared.db.clone(), shared.clock.clone(), shared.ids.clone());
    let authorities = db.clone();
    let authority: AuthorityOf = Arc::new(move |scope, agent| {
        let db = authorities.clone();
        Box::pin(async move { capability_of(&db, scope, agent).await })
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
