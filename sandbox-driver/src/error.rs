//! Every failure between the driver and the engine, each with a sentence that says what to do.
use roost_protocol::caps::NoRoom;
use roost_protocol::ids::SandboxId;
use roost_protocol::report::{ErrorKind, OperationError};
use roost_protocol::text::TextError;
use roost_protocol::validate::Invalid;

use roost_snapshot::tree::MOST_ENTRIES;

use crate::image_archive::ArchiveFault;

/// Why a verb of the driver failed. After an error, no sandbox with weaker protection is left running.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    #[error(
        "no container engine answers at {address}: install and start Docker (`apt-get install docker.io`) or Podman, or set DOCKER_HOST to its socket"
    )]
    EngineMissing {
        address: String,
        #[source]
        source: bollard::errors::Error,
    },
    #[error(
        "permission denied at {address}: add this user to the `docker` group (which gives root rights) and log in again, or set DOCKER_HOST to a rootless engine's socket"
    )]
    EnginePermission {
        address: String,
        #[source]
        source: bollard::errors::Error,
    },
    #[error(
        "the engine's address {0:?} cannot be used: only a unix socket (unix:///path) is supported"
    )]
    EngineAddress(String),
    #[error(
        "the engine has API {got}; at least {least} is needed: upgrade Docker to 20.10 or later, or Podman to 4.3 or later"
    )]
    EngineTooOld { got: String, least: &'static str },
    #[error("lost the connection to the engine during {during}")]
    EngineGone {
        during: &'static str,
        #[source]
        source: bollard::errors::Error,
    },
    #[error("the engine refused {during} ({status}): {message}; nothing weaker was started")]
    EngineRefused {
        during: &'static str,
        status: u16,
        message: String,
    },
    #[error(
        "the runtime {wanted:?} is configured but the engine knows only: {known}; install it or change the configuration"
    )]
    RuntimeMissing { wanted: String, known: String },
    #[error(
        "the image {reference} is not on this machine: `roostd image build`, `roostd image import <tar>` or let the engine pull it"
    )]
    ImageMissing { reference: String },
    #[error(
        "the image {reference} is {got}, not the wanted {wanted}: build or import the right one"
    )]
    ImageDiffers {
        reference: String,
        wanted: String,
        got: String,
    },
    #[error("the image {reference} is not an agent image: {reason}")]
    ImageUnfit { reference: String, reason: String },
    #[error("the gateway's image was refused: {0}")]
    ImageArchive(#[from] ArchiveFault),
    #[error("{0}")]
    OverCap(Invalid),
    #[error(transparent)]
    NoRoom(NoRoom),
    #[error("{what} is {got} but must be {allowed}")]
    OutOfRange {
        what: &'static str,
        got: u64,
        allowed: String,
    },
    #[error(transparent)]
    Text(#[from] TextError),
    #[error("sandbox {0} exists with another spec: destroy it first, or use a new sandbox id")]
    SpecDiffers(SandboxId),
    #[error(
        "the engine made a sandbox that differs from the request, so it was destroyed: {}",
        differences.join("; ")
    )]
    PolicyMismatch { differences: Vec<String> },
    #[error("no sandbox {0} on this machine")]
    NoSandbox(SandboxId),
    #[error("the first process of sandbox {sandbox} does not answer: {detail}")]
    GuestSilent { sandbox: SandboxId, detail: String },
    #[error(
        "sandbox {0} was made by an older version, which takes no snapshots: its files are stored when it ends; end it and start it again"
    )]
    GuestOld(SandboxId),
    #[error("sandbox {0} ended while it was used")]
    SandboxGone(SandboxId),
    #[error("cannot start {program} in the sandbox: {detail}")]
    NotStarted { program: String, detail: String },
    #[error("{program} failed in the sandbox with code {code}: {detail}")]
    CommandFailed {
        program: &'static str,
        code: i32,
        detail: String,
    },
    #[error(
        "The machine's disk is full at {path}: free some space there and try again; nothing that was stored is lost"
    )]
    DiskFull { path: String },
    #[error(
        "stored workspaces take {taken} of {most} bytes (`most_archive_bytes`) and all of them are still needed: purge agents that are not needed, or raise the limit"
    )]
    ArchivesFull { taken: u64, most: u64 },
    #[error(
        "the workspace has {0}, and at most {MOST_ENTRIES} files and folders are saved: name folders that can be made again in .roostignore, or delete some"
    )]
    TooManyFiles(String),
    #[error("the stored workspace cannot be fetched: {0}")]
    Unfetched(String),
    #[error("workspace archive: {0}")]
    Archive(String),
    #[error("{during} {path}")]
    File {
        during: &'static str,
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot send a message to the guest")]
    Wire(#[from] roost_protocol::guest::WireError),
}

impl DriverError {
    /// The closed kind that crosses the channel.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::EngineMissing { .. }
            | Self::EnginePermission { .. }
            | Self::EngineAddress(_)
            | Self::EngineTooOld { .. } => ErrorKind::EngineUnavailable,
            Self::EngineGone { .. } | Self::SandboxGone(_) => ErrorKind::Interrupted,
            Self::EngineRefused { .. } | Self::RuntimeMissing { .. } => ErrorKind::EngineRefused,
            Self::ImageMissing { .. }
            | Self::ImageDiffers { .. }
            | Self::ImageUnfit { .. }
            | Self::ImageArchive(_) => ErrorKind::ImageMissing,
            Self::OverCap(_) => ErrorKind::OwnerPolicy,
            Self::NoRoom(_) => ErrorKind::Busy,
            Self::OutOfRange { .. }
            | Self::Text(_)
            | Self::SpecDiffers(_)
            | Self::TooManyFiles(_) => ErrorKind::Invalid,
            Self::PolicyMismatch { .. } => ErrorKind::PolicyMismatch,
            Self::NoSandbox(_) => ErrorKind::NoSandbox,
            Self::GuestSilent { .. } => ErrorKind::GuestSilent,
            Self::NotStarted { .. } => ErrorKind::NotStarted,
            Self::DiskFull { .. } | Self::ArchivesFull { .. } => ErrorKind::DiskFull,
            Self::GuestOld(_) => ErrorKind::Unsupported,
            // The same request may succeed when the gateway's store answers again.
            Self::Unfetched(_) => ErrorKind::Busy,
            Self::CommandFailed { .. } | Self::Archive(_) | Self::File { .. } | Self::Wire(_) => {
                ErrorKind::Internal
            }
        }
    }

    /// Maps an I/O error of a file; a full disk has its own kind.
    pub(crate) fn file(
        during: &'static str,
        path: &std::path::Path,
        source: std::io::Error,
    ) -> Self {
        let path = path.display().to_string();
        if is_full(&source) {
            Self::DiskFull { path }
        } else {
            Self::File {
                during,
                path,
                source,
            }
        }
    }

    /// Maps an error of the engine's API to its cause.
    pub(crate) fn engine(during: &'static str, source: bollard::errors::Error) -> Self {
        match source {
            bollard::errors::Error::DockerResponseServerError {
                status_code,
                message,
            } => Self::EngineRefused {
                during,
                status: status_code,
                message: roost_protocol::text::clean(
                    &message,
                    roost_protocol::limits::MAX_DETAIL_TEXT,
                ),
            },
            source => Self::EngineGone { during, source },
        }
    }
}

impl From<&DriverError> for OperationError {
    fn from(error: &DriverError) -> Self {
        // Include the chain of causes: the person at the other end has no other log of this machine.
        let mut detail = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            let text = cause.to_string();
            if !detail.contains(&text) {
                detail.push_str(": ");
                detail.push_str(&text);
            }
            source = cause.source();
        }
        let pointer = match error {
            DriverError::OverCap(invalid) => {
                invalid.faults.first().map(|fault| fault.pointer.clone())
            }
            DriverError::OutOfRange { what, .. } => Some(format!("/limits/{what}")),
            _ => None,
        };
        Self {
            kind: error.kind(),
            pointer,
            detail: roost_protocol::text::clean(&detail, roost_protocol::limits::MAX_DETAIL_TEXT),
        }
    }
}

impl From<DriverError> for OperationError {
    fn from(error: DriverError) -> Self {
        Self::from(&error)
    }
}

/// Whether a disk has no room: for anybody, or for this user.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

/// Whether the engine answered that the thing does not exist.
pub(crate) fn is_missing(error: &bollard::errors::Error) -> bool {
    status(error) == Some(404)
}

/// The status of an engine's answer, if it has one.
pub(crate) fn status(error: &bollard::errors::Error) -> Option<u16> {
    match error {
        bollard::errors::Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}
