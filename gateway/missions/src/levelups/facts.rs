//! What is known about an agent or a team before a model is asked: whole texts, as the database has them. Pure types.

use std::collections::BTreeSet;

use roost_execution::tools::{Bundle, Profile};
use roost_platform::ids::{ClawId, RunId, SkillId, TeamId};

/// Whom a proposal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Agent(ClawId),
    Team(TeamId),
}

impl Subject {
    /// The id of an agent, when it is one.
    pub fn agent(self) -> Option<ClawId> {
        match self {
            Self::Agent(id) => Some(id),
            Self::Team(_) => None,
        }
    }

    /// The id of a team, when it is one.
    pub fn team(self) -> Option<TeamId> {
        match self {
            Self::Team(id) => Some(id),
            Self::Agent(_) => None,
        }
    }

    /// The id.
    pub fn id(self) -> uuid::Uuid {
        match self {
            Self::Agent(id) => id.0,
            Self::Team(id) => id.0,
        }
    }
}

/// Everything that is known.
#[derive(Debug, Clone)]
pub struct Facts {
    pub subject: Subject,
    pub name: String,
    /// For a team: its kind of topology, its description, its own profile and tools.
    pub team: Option<TeamFacts>,
    /// The agent, or the members of the team in their order. Each agent once.
    pub agents: Vec<AgentFacts>,
    /// The skills that the workspace sees.
    pub catalogue: Vec<SkillFacts>,
    /// Runs that have ended, newest first.
    pub runs: Vec<RunFacts>,
}

/// A team beside its members.
#[derive(Debug, Clone)]
pub struct TeamFacts {
    pub topology: String,
    pub description: Option<String>,
    pub profile: Option<Profile>,
    pub bundles: BTreeSet<Bundle>,
}

/// An agent.
#[derive(Debug, Clone)]
pub struct AgentFacts {
    pub id: ClawId,
    pub name: String,
    /// Its seats in the team, or its role.
    pub slots: Vec<String>,
    pub system_prompt: Option<String>,
    pub brain: String,
    /// 0 when nothing was written yet.
    pub brain_version: i64,
    /// The names of the skills that it has.
    pub skills: BTreeSet<String>,
    pub profile: Option<Profile>,
    pub bundles: BTreeSet<Bundle>,
}

/// A skill of the catalogue.
#[derive(Debug, Clone)]
pub struct SkillFacts {
    pub id: SkillId,
    pub name: String,
    pub when_to_use: String,
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub struct RunFacts {
    pub id: RunId,
    pub title: String,
    pub status: String,
    /// accepted, rejected or undecided.
    pub outcome: String,
    pub reason: Option<String>,
    pub error: Option<String>,
    pub steps: Vec<StepFacts>,
}

/// A step of a run.
#[derive(Debug, Clone)]
pub struct StepFacts {
    pub key: String,
    pub lap: i32,
    pub shard: i32,
    pub agent: Option<ClawId>,
    pub status: String,
    pub output: Option<String>,
    pub error: Option<String>,
    /// Each check in words, and whether the work passed it.
    pub checks: Vec<(String, bool)>,
}

impl Facts {
    /// One of the agents.
    pub fn agent(&self, id: ClawId) -> Option<&AgentFacts> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// How many runs have this outcome.
    pub fn count(&self, outcome: &str) -> u32 {
        let runs = self.runs.iter().filter(|run| run.outcome == outcome);
        u32::try_from(runs.count()).unwrap_or(u32::MAX)
    }
}
