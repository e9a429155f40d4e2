//! What a person means as the owner of a sandbox: an agent by its name, or `team:NAME`.

use crate::api::{Api, Owner};
use crate::{claws, team};

/// Before the name or the id of a team.
const TEAM: &str = "team:";

/// The agent or the team.
///
/// # Errors
/// When nothing is called so, or several are; and what the gateway said.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<Owner> {
    match wanted.strip_prefix(TEAM) {
        Some(name) => Ok(Owner::Team(team::find(api, name).await?)),
        None => Ok(Owner::Claw(claws::find(api, wanted).await?)),
    }
}

/// The word for it in sentences.
pub(super) fn noun(owner: &Owner) -> &'static str {
    match owner {
        Owner::Claw(_) => "agent",
        Owner::Team(_) => "team",
    }
}
