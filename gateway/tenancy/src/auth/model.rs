//! Roles, verbs, and the one matrix of what each role may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A member's role, weakest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Viewer,
    Member,
    Admin,
    Owner,
}

impl Role {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// Reads the word of the database. An unknown word is read as the weakest role: a newer gateway's role must not
    /// widen here.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "owner" => Self::Owner,
            "admin" => Self::Admin,
            "member" => Self::Member,
            _ => Self::Viewer,
        }
    }
}

/// How the gateway knows that an account's e-mail address belongs to its person. Anybody can type any address when they
/// accept an invitation, so an address that only a person typed gives no rights of the address's owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailBy {
    /// The person typed it, and it was not verified.
    Person,
    /// The issuer verified it.
    Issuer,
    /// The deployment's operator made the account, on the gateway's host.
    Deployment,
}

impl EmailBy {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Issuer => "issuer",
            Self::Deployment => "deployment",
        }
    }

    /// Reads the word of the database. An unknown word vouches for nothing.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "issuer" => Self::Issuer,
            "deployment" => Self::Deployment,
            _ => Self::Person,
        }
    }

    /// Whether an operator's grant may follow from the address.
    pub fn is_vouched(self) -> bool {
        self != Self::Person
    }
}

macro_rules! verbs {
    ($($variant:ident, $name:literal, $least:ident, $doc:literal;)+) => {
        /// What can be done in a workspace.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Verb { $(#[doc = $doc] $variant,)+ }

        impl Verb {
            /// The whole list.
            pub const ALL: &'static [Verb] = &[$(Verb::$variant),+];

            /// The name that clients see in `permissions`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The weakest role that may do it. Every stronger role may do it too.
            pub const fn least_role(self) -> Role {
                match self { $(Self::$variant => Role::$least,)+ }
            }
        }

        /// The permission matrix, role × verb: for each verb the weakest role. The authorisation test reads it.
        pub const PERMISSIONS: &[(Verb, Role)] = &[$((Verb::$variant, Role::$least)),+];

        /// The verbs as types, for the parameters of handlers: `Scoped<can::ReadClaws>`.
        pub mod can {
            $(
                #[doc = $doc]
                #[derive(Debug, Clone, Copy)]
                pub struct $variant;
                impl super::Permission for $variant {
                    const VERB: super::Verb = super::Verb::$variant;
                }
            )+
        }
    };
}

/// A verb as a type.
pub trait Permission: Send + Sync + 'static {
    /// The verb that the handler needs.
    const VERB: Verb;
}

verbs! {
    ReadWorkspace, "workspace.read", Viewer, "See the workspace, its quota and its placement.";
    ChangeWorkspace, "workspace.change", Admin, "Name the workspace.";
    DeleteWorkspace, "workspace.delete", Owner, "Delete the workspace with all that it has.";
    ReadMembers, "members.read", Viewer, "See who belongs to the workspace.";
    ManageMembers, "members.manage", Admin, "Invite people, change their roles, remove them.";
    ReadAudit, "audit.read", Admin, "Read the audit log.";
    ReadClaws, "claws.read", Viewer, "See agents.";
    WriteClaws, "claws.write", Member, "Create, change and softly delete agents.";
    PurgeClaws, "claws.purge", Admin, "Remove an agent and all that it has, for good.";
    ReadSandboxes, "sandboxes.read", Viewer, "See sandboxes.";
    UseSandboxes, "sandboxes.use", Member, "Provision and destroy sandboxes, run commands in them.";
    ReadApps, "apps.read", Viewer, "See which apps agents are connected to.";
    ConnectApps, "apps.connect", Member, "Connect agents to apps, and end such connections.";
    ReadDoors, "doors.read", Viewer, "See what agents ask to do outside.";
    AskDoors, "doors.ask", Member, "Ask for an action outside on behalf of an agent.";
    ResolveDoors, "doors.resolve", Member, "Approve or deny what agents ask to do outside.";
    ReadNodes, "nodes.read", Viewer, "See machines, their health and operations.";
    ManageNodes, "nodes.manage", Admin, "Pair, name, verify, drain and delete machines.";
    SetPlacement, "placement.set", Admin, "Choose where sandboxes are made.";
    ReadRepos, "repos.read", Viewer, "See repositories and the code hosts that they come from.";
    SyncRepos, "repos.sync", Member, "Read the list of repositories from a code host again.";
    ManageRepos, "repos.manage", Admin, "Connect and disconnect code hosts.";
    ReadSkills, "skills.read", Viewer, "See skills and which agents have them.";
    ManageSkills, "skills.manage", Member, "Write skills of the workspace, and choose those of an agent.";
    ReadTemplates, "templates.read", Viewer, "See team templates.";
    ManageTemplates, "templates.manage", Member, "Write team templates of the workspace, and upgrade agents to a newer version.";
    ReadTeams, "teams.read", Viewer, "See teams.";
    ManageTeams, "teams.manage", Member, "Create, change and delete teams.";
    ReadRuns, "runs.read", Viewer, "See runs and what their agents do.";
    StartRuns, "runs.start", Member, "Start, cancel and fork runs.";
    PushRuns, "runs.push", Member, "Push the branches of runs to their code hosts.";
    ReadMissions, "missions.read", Viewer, "See missions, their tasks and their results.";
    ManageMissions, "missions.manage", Member, "Create, launch, pause and cancel missions.";
    ReadRoutines, "routines.read", Viewer, "See routines and the journal of their firings.";
    ManageRoutines, "routines.manage", Member, "Create, change, pause, fire and delete routines.";
    ManageModels, "models.manage", Admin, "Choose the models that agents think with, keep their keys, bound their cost.";
    ReadEvents, "events.read", Viewer, "Follow live events.";
    ReadTree, "tree.read", Owner, "See the actors that work for the workspace.";
}

impl Role {
    /// Whether the matrix allows it.
    pub fn may(self, verb: Verb) -> bool {
        self >= verb.least_role()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_changes_nothing_and_an_owner_may_do_everything() {
        for (verb, least) in PERMISSIONS {
            assert!(Role::Owner.may(*verb), "{verb:?}");
            assert_eq!(*least, verb.least_role());
            if Role::Viewer.may(*verb) {
                assert!(verb.name().ends_with(".read"), "{verb:?} is not reading");
            }
        }
    }

    #[test]
    fn an_unknown_role_of_the_database_gets_the_least() {
        assert_eq!(Role::from_stored("emperor"), Role::Viewer);
        for role in [Role::Viewer, Role::Member, Role::Admin, Role::Owner] {
            assert_eq!(Role::from_stored(role.as_str()), role);
        }
    }
}
