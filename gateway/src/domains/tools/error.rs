//! Why a call of a tool gave no result.

use roost_protocol::report::OperationError;

use super::model::Profile;
use crate::domains::sandboxes::SandboxError;
use crate::ids::NodeId;
use crate::operations::OperationsError;

/// A call that gave no result. What the tool itself says ("no such file", exit code 2) is a result, not one of these.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The gate: not in what the profile and the bundles offer. Nothing was done.
    #[error(
        "the tool `{tool}` is not offered under the profile {} with the bundles [{bundles}]; offered are: {offered}",
        profile.as_str()
    )]
    NotOffered {
        tool: String,
        profile: Profile,
        bundles: String,
        offered: String,
    },
    /// The arguments are not what the tool takes. Nothing was done.
    #[error("the arguments of `{tool}` are wrong: {why}")]
    Arguments { tool: &'static str, why: String },
    /// There is no sandbox to work in: make one, then call again with the same key.
    #[error("the agent has no running sandbox")]
    NoSandbox,
    /// It works on something else just now, its machine is away, or another gateway holds it: call again later with the
    /// same key.
    #[error("the sandbox cannot be reached now: {0}")]
    Away(#[source] SandboxError),
    /// No end in time; it goes on there. Call again with the same key to hear of it.
    #[error("no answer from the sandbox in time; what was begun there goes on")]
    TooSlow,
    /// It may have run, or a part of it; its result cannot be known any more.
    #[error("the sandbox went away while this ran, so it is not known what it did: {0}")]
    Unclear(String),
    /// It was stopped on request.
    #[error("cancelled")]
    Cancelled,
    /// The machine refused it; calling again changes nothing.
    #[error("the sandbox did not run it: {0}")]
    Refused(OperationError),
    /// It cannot work at all.
    #[error("the tool failed")]
    Sandbox(#[source] SandboxError),
    /// What the skills are could not be read.
    #[error("the skills could not be read")]
    Skills(#[source] anyhow::Error),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

/// What whoever called does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Say it to the model as the result of its call: it can do something else.
    Tell,
    /// Provision a sandbox, then repeat with the same key.
    Provision,
    /// Repeat later with the same key.
    Retry,
    /// Repeat with the same key when the machine is back.
    Wait,
    /// Stop: the work was cancelled.
    Cancelled,
    /// The step cannot go on.
    Fail,
}

impl ToolError {
    /// What to do about it.
    pub fn class(&self) -> Class {
        match self {
            Self::NotOffered { .. }
            | Self::Arguments { .. }
            | Self::Unclear(_)
            | Self::Refused(_) => Class::Tell,
            Self::NoSandbox => Class::Provision,
            Self::Away(_) if self.machine().is_some() => Class::Wait,
            Self::Away(_) | Self::TooSlow | Self::Db(_) | Self::Skills(_) => Class::Retry,
            Self::Cancelled => Class::Cancelled,
            Self::Sandbox(_) => Class::Fail,
        }
    }

    /// The machine that is waited for.
    pub fn machine(&self) -> Option<NodeId> {
        match self {
            Self::Away(SandboxError::Operations(
                OperationsError::NodeOffline(node) | OperationsError::NodeDraining(node),
            )) => Some(*node),
            _ => None,
        }
    }
}

impl From<SandboxError> for ToolError {
    fn from(error: SandboxError) -> Self {
        use SandboxError as E;
        match error {
            // A lost one may come back with its machine; provisioning decides that, not the tool.
            E::NoSandbox | E::Lost | E::NotRunning("stopped" | "destroyed" | "failed") => {
                Self::NoSandbox
            }
            E::NotRunning(_) => Self::Away(error),
            E::TooSlow => Self::TooSlow,
            E::Operations(
                OperationsError::NodeOffline(_)
                | OperationsError::NodeDraining(_)
                | OperationsError::HeldElsewhere(_)
                | OperationsError::Busy { .. }
                | OperationsError::NoAnswer(_)
                | OperationsError::Db(_),
            ) => Self::Away(error),
            E::Operations(OperationsError::Invalid(invalid)) => Self::Arguments {
                tool: "the command",
                why: invalid.to_string(),
            },
            E::Db(error) => Self::Db(error),
            other => Self::Sandbox(other),
        }
    }
}
