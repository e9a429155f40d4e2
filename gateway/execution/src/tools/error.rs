//! Why a tool call gave no result.

use roost_protocol::report::OperationError;

use super::model::Profile;
use roost_machines::fleet::operations::OperationsError;
use roost_machines::sandboxes::SandboxError;
use roost_platform::ids::{DoorId, NodeId};

/// A call without a result. A failure that the tool itself reports ("no such file", exit code 2) is a result.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The gate refused the call: the profile and the bundles do not offer the tool. Nothing was done.
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
    /// The arguments are invalid. Nothing was done.
    #[error("the arguments of `{tool}` are wrong: {why}")]
    Arguments { tool: &'static str, why: String },
    /// The agent has no sandbox. The caller must create one, and repeat the call with the same key.
    #[error("the agent has no running sandbox")]
    NoSandbox,
    /// The sandbox is busy, its machine is away, or another gateway holds it. The caller repeats the call later with
    /// the same key.
    #[error("the gateway cannot reach the sandbox now: {0}")]
    Away(#[source] SandboxError),
    /// The call did not end in time, and its operation continues. A repeat with the same key gets its result.
    #[error("the sandbox did not answer in time; the command continues there")]
    TooSlow,
    /// The operation may have run, fully or in part. Its result is lost.
    #[error("the sandbox was lost while the command ran, so its effect is unknown: {0}")]
    Unclear(String),
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The machine refused the operation. A repeat changes nothing.
    #[error("the sandbox did not run it: {0}")]
    Refused(OperationError),
    /// The sandbox failed, and a repeat does not help.
    #[error("the tool failed")]
    Sandbox(#[source] SandboxError),
    /// The skills could not be read.
    #[error("the skills could not be read")]
    Skills(#[source] anyhow::Error),
    /// A person has to decide on the door. A repeat with the same key gets the end of the door.
    #[error("a person decides on the request {0}")]
    Waits(DoorId),
    /// The run of the call is over, or is about to stop.
    #[error("the run is over")]
    RunIsOver,
    /// The tool needs an agent, and Roost itself called it.
    #[error("only an agent uses this tool")]
    NoAgent,
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

/// What the caller does about the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Give the error to the model as the result of its call, so that it can do something else.
    Tell,
    /// Create a sandbox, then repeat with the same key.
    Provision,
    /// Repeat later with the same key.
    Retry,
    /// Repeat with the same key when the machine is back.
    Wait,
    /// Repeat with the same key when the door has its end.
    Door,
    /// Stop: the work was cancelled.
    Cancelled,
    /// The step cannot continue.
    Fail,
}

impl ToolError {
    /// What the caller does about the error.
    pub fn class(&self) -> Class {
        match self {
            Self::NotOffered { .. }
            | Self::Arguments { .. }
            | Self::Unclear(_)
            | Self::Refused(_) => Class::Tell,
            Self::NoSandbox => Class::Provision,
            Self::Away(_) if self.machine().is_some() => Class::Wait,
            Self::Away(_) | Self::TooSlow | Self::Db(_) | Self::Skills(_) => Class::Retry,
            Self::Cancelled | Self::RunIsOver => Class::Cancelled,
            Self::Waits(_) => Class::Door,
            Self::Sandbox(_) | Self::NoAgent => Class::Fail,
        }
    }

    /// The absent machine that the call waits for.
    pub fn machine(&self) -> Option<NodeId> {
        match self {
            Self::Away(SandboxError::Operations(
                OperationsError::NodeOffline(node) | OperationsError::NodeDraining(node),
            )) => Some(*node),
            _ => None,
        }
    }

    /// The machine that another gateway holds.
    pub fn held_elsewhere(&self) -> Option<NodeId> {
        match self {
            Self::Away(error) => error.held_elsewhere(),
            _ => None,
        }
    }
}

impl From<SandboxError> for ToolError {
    fn from(error: SandboxError) -> Self {
        use SandboxError as E;
        match error {
            // A lost sandbox may come back with its machine. Provisioning decides that, not the tool.
            E::NoSandbox(_) | E::Lost | E::NotRunning("stopped" | "destroyed" | "failed") => {
                Self::NoSandbox
            }
            E::NotRunning(_) => Self::Away(error),
            E::TooSlow => Self::TooSlow,
            E::TooFast(_) => Self::Away(error),
            E::Operations(
                OperationsError::NodeOffline(_)
                | OperationsError::NodeDraining(_)
                | OperationsError::HeldElsewhere(_)
                | OperationsError::Busy { .. }
                | OperationsError::TooMany(_)
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
