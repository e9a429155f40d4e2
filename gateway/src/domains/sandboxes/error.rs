//! What can go wrong with sandboxes.

use roost_protocol::report::OperationError;

use crate::domains::workspaces::QuotaError;
use crate::operations::OperationsError;
use crate::supervision::StartError;

/// Failures of this domain. The mapping to HTTP is in `crate::error`.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No such agent in the workspace, or it is deleted.
    #[error("no such claw")]
    NoClaw,
    /// No such node in the workspace.
    #[error("no such node")]
    NoNode,
    /// The machine that was asked for is none of this workspace.
    #[error("no such machine")]
    NoMachine,
    /// The agent has no sandbox.
    #[error("the agent has no sandbox")]
    NoSandbox,
    /// The sandbox is not one that commands can run in now.
    #[error("the sandbox is {0}")]
    NotRunning(&'static str),
    /// The machine that had it is gone.
    #[error("the sandbox is lost")]
    Lost,
    /// No operation of that id for this agent.
    #[error("no such command")]
    NoOperation,
    /// The plan's limit is reached.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// The machine could not make it.
    #[error("the machine answered: {0}")]
    Refused(OperationError),
    /// What became of it is not known in time; it goes on.
    #[error("no answer in time")]
    TooSlow,
    /// The operation was not taken.
    #[error(transparent)]
    Operations(OperationsError),
    /// The watcher of a transition could not be started.
    #[error("the supervisor refused the job")]
    Start(#[from] StartError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl SandboxError {
    /// What somebody is told who names a machine that the workspace does not have.
    pub const NO_MACHINE: &str = "must be `local`, or the id of a machine of this workspace";
}

impl From<OperationsError> for SandboxError {
    fn from(error: OperationsError) -> Self {
        match error {
            OperationsError::UnknownOperation(_) => Self::NoOperation,
            OperationsError::TooSlow { .. } => Self::TooSlow,
            other => Self::Operations(other),
        }
    }
}
