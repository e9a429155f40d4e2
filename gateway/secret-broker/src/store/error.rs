//! Why a store operation failed.

use std::io;
use std::path::{Path, PathBuf};

use roost_secret_broker::wire::RecordName;

use crate::root::RootError;
use crate::seal::SealError;

/// Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no record {0}")]
    Unknown(RecordName),
    #[error("cannot read or create the folder {path}; it must belong to the broker's user")]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("another broker uses {0}: stop that one first")]
    InUse(PathBuf),
    #[error(
        "the write to the disk failed and nothing was changed; free some space or repair the disk, then try again"
    )]
    Write(#[source] io::Error),
    #[error("the record {} cannot be used", name.as_ref().map_or_else(|| "store".to_owned(), ToString::to_string))]
    Seal {
        name: Option<RecordName>,
        #[source]
        source: SealError,
    },
    #[error(
        "the record {name} can be opened, but its content is not of this version: run the broker that wrote it, or a newer one"
    )]
    Shape {
        name: RecordName,
        #[source]
        source: rmp_serde::decode::Error,
    },
    #[error("a record cannot be encoded")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error("a rekey is already running; check the status")]
    Rekeying,
    #[error(
        "{count} records cannot be opened, {first} among them; delete or restore them, then rekey again. The older root key is kept until then"
    )]
    Stuck { count: usize, first: RecordName },
    #[error("the backup is incomplete or damaged: {0}")]
    Backup(&'static str),
}

impl StoreError {
    pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Folder { path, source }
    }

    pub(super) fn seal<E: Into<SealError>>(name: &RecordName) -> impl FnOnce(E) -> Self {
        let name = name.clone();
        move |source| Self::Seal {
            name: Some(name),
            source: source.into(),
        }
    }
}

impl From<RootError> for StoreError {
    fn from(source: RootError) -> Self {
        Self::Seal {
            name: None,
            source: source.into(),
        }
    }
}
