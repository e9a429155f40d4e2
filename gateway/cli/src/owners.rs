//! What a person means as the owner of a sandbox: an agent by its name, `team:NAME` or `mission:TITLE`.

use crate::api::{Api, Owner};
use crate::{claws, mission, team};

/// Before the name or the id of a team.
const TEAM: &str = "team:";
/// Before the title or the id of a mission.
const MISSION: &str = "mission:";

/// The agent, the team or the mission.
///
/// # Errors
/// When nothing is called so, or several are; and what the gateway said.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<Owner> {
    if let Some(name) = wanted.strip_prefix(TEAM) {
        return Ok(Owner::Team(team::find(api, name).await?));
    }
    match wanted.strip_prefix(MISSION) {
        Some(title) => Ok(Owner::Mission(mission::find(api, title).await?)),
        None => Ok(Owner::Claw(claws::find(api, wanted).await?)),
    }
}

/// The word for it in sentences.
pub(super) fn noun(owner: &Owner) -> &'static str {
    match owner {
        Owner::Claw(_) => "agent",
        Owner::Team(_) => "team",
        Owner::Mission(_) => "mission",
    }
}
