//! Pure rules of tools: profiles, bundles, the tools that they offer together, and the keys of effects.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::catalogue;
pub use roost_agents::claws::runtime_record::{Bundle, Profile};
use roost_connections::doors::Place;
use roost_machines::sandboxes::SandboxOwner;
use roost_platform::events::About;
use roost_platform::ids::{ClawId, DoorId, OperationId, RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// Whether a profile may use a tool of a bundle that the agent has.
fn admits(profile: Profile, tool: &ToolSpec) -> bool {
    allows(profile, tool.bundle)
        && (tool.reads_only || !touches_sandbox(tool.bundle) || writes(profile))
}

/// Whether a profile may use any tool of a bundle.
fn allows(profile: Profile, bundle: Bundle) -> bool {
    !touches_sandbox(bundle) || profile != Profile::Toolfree
}

fn writes(profile: Profile) -> bool {
    profile == Profile::CodingReadwrite
}

/// Tools of the other bundles do not touch the sandbox, so every profile has them.
fn touches_sandbox(bundle: Bundle) -> bool {
    match bundle {
        Bundle::Door | Bundle::Skills => false,
        Bundle::Sandbox | Bundle::Repo => true,
    }
}

/// What one source grants to an agent: its own record, its template or its team.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// Absent when the source leaves the choice to the next one.
    pub profile: Option<Profile>,
    pub bundles: BTreeSet<Bundle>,
}

impl Grant {
    /// From stored values. An unknown profile is the narrowest one.
    pub fn from_stored(profile: Option<&str>, bundles: BTreeSet<Bundle>) -> Self {
        let read = |word| Profile::parse(word).unwrap_or(Profile::Toolfree);
        Self {
            profile: profile.map(read),
            bundles,
        }
    }
}

/// The profile and the bundles of a step. The team's profile applies, else the template's, else the record's. The
/// bundles are those of all three, as far as this profile allows them.
pub fn effective(
    record: &Grant,
    template: Option<&Grant>,
    team: Option<&Grant>,
) -> (Profile, BTreeSet<Bundle>) {
    let by_rank = [team, template, Some(record)];
    let grants = by_rank.into_iter().flatten();
    let profile = grants.clone().find_map(|grant| grant.profile);
    let profile = profile.unwrap_or(Profile::Toolfree);
    let bundles = grants.flat_map(|grant| grant.bundles.iter().copied());
    let bundles = bundles.filter(|bundle| allows(profile, *bundle)).collect();
    (profile, bundles)
}

/// What the caller of tools may do. The gateway creates it for a step or for an agent's token. The caller never does.
#[derive(Debug, Clone)]
pub struct Capability {
    pub scope: WorkspaceScope,
    /// Absent for commands that Roost runs itself.
    pub agent: Option<ClawId>,
    /// The user on whose authority the agent acts.
    pub user: UserId,
    /// The owner of the sandbox that the tools work in: the agent, or its team.
    pub sandbox_of: SandboxOwner,
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// What the agent works for.
    pub about: About,
    /// The pane where people see the agent's commands.
    pub pane: Option<Pane>,
    /// The call of the run. A person who decides on a door sees it.
    pub place: Option<Place>,
    /// The folder in the sandbox at which relative paths begin: the checkout of the run's repository. Absent: the whole
    /// workspace.
    pub folder: Option<String>,
}

impl Capability {
    /// The first run of the tree that the agent works for.
    pub fn tree(&self) -> Option<RunId> {
        self.place.as_ref().map(|place| place.at.root)
    }
}

/// The agent's place in its sandbox's terminal multiplexer, session `roost`. Both names come from ids, so a resumed run
/// finds the same pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    window: String,
    name: String,
}

impl Pane {
    /// The session of all agents' panes.
    pub const SESSION: &'static str = "roost";

    /// The pane of an agent in a run: one window a run, one pane an agent.
    pub fn of_run(run: RunId, agent: ClawId) -> Self {
        Self {
            window: format!("run-{}", run.0.simple()),
            name: format!("agent-{}", agent.0.simple()),
        }
    }

    /// The name of the window. A run stores it together with the session.
    pub fn window(&self) -> &str {
        &self.window
    }

    /// The pane's mark inside its window.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The key of one call's effect. Calls with the same key have their effect at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EffectKey(pub Uuid);

impl EffectKey {
    /// The key of one part of a call that needs several operations.
    pub fn part(self, what: &str) -> Self {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        hash.update(self.0.as_bytes());
        hash.update(what.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        // Version 8 marks custom ids, so this id never equals one of Roost's own UUIDv7 ids.
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The id of the door that the call requests.
    pub fn door(self) -> DoorId {
        DoorId(self.part("door").0)
    }

    /// The id of the operation that executes it.
    pub fn operation(self) -> OperationId {
        OperationId(self.0)
    }
}

/// One tool, as models and MCP clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// The JSON Schema of the arguments.
    pub schema: serde_json::Value,
    pub bundle: Bundle,
    /// The tool changes nothing, in the sandbox or anywhere else.
    pub reads_only: bool,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// For the model: limited in size, without control characters.
    pub text: String,
    /// The tool did not do what was asked. The text gives the reason.
    pub is_error: bool,
    /// The exit code, for a tool that runs a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The text is not complete.
    pub cut: bool,
    /// The door that the call requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<DoorId>,
}

/// The tools of a profile with these bundles, always in the same order. This is the gate: an agent can call only the
/// tools in this list.
pub fn offered(profile: Profile, bundles: &BTreeSet<Bundle>) -> Vec<ToolSpec> {
    catalogue::all()
        .into_iter()
        .filter(|tool| bundles.contains(&tool.bundle) && admits(profile, tool))
        .collect()
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
