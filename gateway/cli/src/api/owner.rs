//! What a sandbox belongs to. The gateway has each of its routes below the address of an agent and below that of a team.

use super::call::segment;
use super::types::{ClawId, MissionId, TeamId};

/// An agent, a team or a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    Claw(ClawId),
    Team(TeamId),
    Mission(MissionId),
}

impl Owner {
    /// The part of a path that names it.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Claw(id) => format!("claws/{}", segment(id)),
            Self::Team(id) => format!("teams/{}", segment(id)),
            Self::Mission(id) => format!("missions/{}", segment(id)),
        }
    }
}
