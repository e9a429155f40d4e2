//! Errors of sandboxes.

use roost_protocol::report::OperationError;
use roost_protocol::validate::Invalid;

use super::OwnerKind;
use super::rates::TooFast;
use crate::fleet::operations::OperationsError;
use crate::images::Lack;
use roost_platform::ids::NodeId;
use roost_platform::supervision::StartError;
use roost_tenancy::workspaces::QuotaError;
use roost_web::error::{ApiError, Code};

/// Failures of this domain. The mapping to HTTP is in `roost_web::error`.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No such agent or team in the workspace, or it is deleted.
    #[error("no such {}", .0.noun())]
    NoOwner(OwnerKind),
    /// Each agent of the team works in a sandbox of its own.
    #[error("the team shares no sandbox")]
    NotShared,
    /// The mission has not begun or is over.
    #[error("the mission is not live")]
    MissionOver,
    /// No such node in the workspace.
    #[error("no such node")]
    NoNode,
    /// The named machine does not belong to this workspace.
    #[error("no such machine")]
    NoMachine,
    /// The owner has no such snapshot.
    #[error("no such snapshot")]
    NoSnapshot,
    /// The snapshot is on a machine that is not the one of the new sandbox, and not in the gateway's store.
    #[error("the snapshot is only on {0}")]
    SnapshotElsewhere(String),
    /// A snapshot was chosen for a sandbox that runs already.
    #[error("the {} has a sandbox", .0.noun())]
    HasSandbox(OwnerKind),
    /// The owner has no sandbox.
    #[error("the {} has no sandbox", .0.noun())]
    NoSandbox(OwnerKind),
    /// Commands cannot run in the sandbox in its present state.
    #[error("the sandbox is {0}")]
    NotRunning(&'static str),
    /// The machine of the sandbox is gone.
    #[error("the sandbox is lost")]
    Lost,
    /// This owner has no operation with this id.
    #[error("no such command")]
    NoOperation,
    /// The machine lacks the image that was chosen for the owner.
    #[error("the sandbox's image is lacking: {}", .0.detail)]
    Lacks(Lack),
    /// The plan's limit is reached.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// The limits are above those of the machine.
    #[error(transparent)]
    Limits(Invalid),
    /// Commands are started too fast.
    #[error(transparent)]
    TooFast(#[from] TooFast),
    /// The machine could not create it.
    #[error("the machine answered: {0}")]
    Refused(OperationError),
    /// The folder of an upload is not in the workspace.
    #[error("the folder is not below /workspace")]
    BadFolder,
    /// The archive of an upload is too large.
    #[error("the archive has more than {} MiB", .0 >> 20)]
    UploadTooLarge(u64),
    /// An upload did not arrive whole.
    #[error("the upload did not arrive whole")]
    UploadBrokeOff(#[source] axum::Error),
    /// The workspace has no room for an upload.
    #[error("the workspace is full")]
    UploadNoRoom,
    /// The sandbox could not unpack an upload.
    #[error("the sandbox did not unpack everything: {0}")]
    NotUnpacked(String),
    /// The result is not known in time; the work continues.
    #[error("no answer in time")]
    TooSlow,
    /// The operation was not accepted.
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
    /// The machine of the sandbox, when another gateway holds it.
    pub fn held_elsewhere(&self) -> Option<NodeId> {
        match self {
            Self::Operations(OperationsError::HeldElsewhere(node)) => Some(*node),
            _ => None,
        }
    }

    /// The message for a machine that the workspace does not have.
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

/// Seconds after which a full or busy machine may be asked again.
const NO_ROOM_S: u64 = 30;

impl From<SandboxError> for ApiError {
    fn from(error: SandboxError) -> Self {
        use SandboxError as E;
        match error {
            E::NoOwner(kind) => Self::not_found(kind.as_str()),
            E::NotShared => Self::new(Code::Conflict).detail(
                "Each agent of this team works in a sandbox of its own. Let the team share one (shared_sandbox), or use the sandbox of an agent.",
            ),
            E::MissionOver => Self::new(Code::Conflict).detail(
                "A mission has a sandbox only while it is live. This one was not launched, or it has ended.",
            ),
            E::NoNode => Self::not_found("node"),
            E::NoMachine => Self::validation("/node_id", E::NO_MACHINE),
            E::NoOperation => Self::not_found("command"),
            E::NoSnapshot => Self::validation("/restore", "is not a snapshot of this owner"),
            E::SnapshotElsewhere(machine) => Self::new(Code::Conflict).detail(format!(
                "This snapshot is only on {machine}. Make the sandbox there, or choose a snapshot that is on the gateway."
            )),
            E::HasSandbox(kind) => Self::new(Code::Conflict).detail(format!(
                "The {} has a sandbox. End it first, which saves its files; then make one from the snapshot.", kind.noun()
            )),
            E::NoSandbox(kind) => Self::new(Code::NoSandbox).detail(format!(
                "The {} has no sandbox; make one with POST /api/{}s/{{id}}/sandbox.", kind.noun(), kind.as_str()
            )),
            E::NotRunning(state) => Self::new(Code::Conflict)
                .detail(format!("The sandbox is {state}, so nothing can be done in it now.")),
            E::Lost => Self::new(Code::SandboxLost).detail(
                "The machine that had this sandbox is gone. Make a new one; a stored workspace comes back where it lies.",
            ),
            E::Lacks(lack) => Self::new(Code::ImageMissing)
                .detail(format!("{} {}", lack.detail, lack.remedy)),
            E::Quota(error) => error.into(),
            E::Limits(invalid) => invalid.into(),
            E::TooFast(full) => Self::new(Code::TooManyCommands)
                .detail(format!("{full}; try again in {} s.", full.retry_after_s))
                .retry_after(full.retry_after_s),
            E::BadFolder => Self::validation("folder", "must be below /workspace, without `..`"),
            E::UploadTooLarge(most) => Self::new(Code::PayloadTooLarge).detail(format!(
                "An upload has at most {} MiB. Send the files in parts.", most >> 20
            )),
            E::UploadBrokeOff(_) => Self::validation(
                "",
                "the upload did not arrive whole, and nothing of it was kept; send it again",
            ),
            E::UploadNoRoom => Self::new(Code::Conflict).detail(
                "The files do not fit into the sandbox's workspace, and nothing of them was kept. Remove files from it, or start the sandbox with a larger workspace.",
            ),
            E::NotUnpacked(why) => Self::new(Code::Conflict).detail(format!(
                "The sandbox did not unpack everything: {why}. Files that exist are only replaced with `replace`."
            )),
            E::Refused(refused) => refusal(&refused),
            E::TooSlow => Self::new(Code::NoAnswer)
                .detail("The machine works on it still; look at it again, nothing has to be repeated."),
            E::Operations(error) => error.into(),
            E::Start(error) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}

/// Maps a machine's error. Its own text is kept, because it tells people what to do.
fn refusal(refused: &OperationError) -> ApiError {
    use roost_protocol::report::ErrorKind as K;
    let code = match refused.kind {
        K::EngineUnavailable | K::EngineRefused => Code::EngineUnavailable,
        K::ImageMissing => Code::ImageMissing,
        K::Invalid | K::Unsupported => {
            let pointer = refused.pointer.clone().unwrap_or_default();
            return ApiError::validation(pointer, refused.detail.clone());
        }
        K::NoSandbox => Code::NoSandbox,
        K::Draining => Code::NodeDraining,
        // Above a limit of the machine's owner: a retry of the same request fails again.
        K::OwnerPolicy if refused.pointer.is_some() => {
            let pointer = refused.pointer.clone().unwrap_or_default();
            return ApiError::validation(pointer, refused.detail.clone());
        }
        K::Busy => {
            let answer = ApiError::new(Code::Unavailable).retry_after(NO_ROOM_S);
            return answer.detail(refused.detail.clone());
        }
        K::DiskFull | K::Paused | K::OwnerPolicy | K::Interrupted => Code::Unavailable,
        _ => Code::Conflict,
    };
    ApiError::new(code).detail(refused.detail.clone())
}
