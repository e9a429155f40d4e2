//! Why the store did not do it.

use std::io;
use std::path::{Path, PathBuf};

use roost_secret_broker::wire::RecordName;

use crate::root::RootError;
use crate::seal::SealError;

/// Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no record {0}")]
    Unknown(RecordName),
    #[error("the folder {path} cannot be read or made; it must belong to the broker's user")]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("another broker uses {0}: stop that one first")]
    InUse(PathBuf),
    #[error(
        "the disk did not take it and nothing was changed; free some space or mend it, then try again"
    )]
    Write(#[source] io::Error),
    #[error("the record {} cannot be used", name.as_ref().map_or_else(|| "store".to_owned(), ToString::to_string))]
    Seal {
        name: Option<RecordName>,
        #[source]
        source: SealError,
    },
    #[error(
        "the record {name} opens and is no record of this version: run the broker that wrote it, or a newer one"
    )]
    Shape {
        name: RecordName,
        #[source]
        source: rmp_serde::decode::Error,
    },
    #[error("a record cannot be encoded")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error("everything is being sealed anew already; ask for the status")]
    Rekeying,
    #[error(
        "{count} records do not open, {first} among them; delete or restore them, then rekey again. The older root key stays until then"
    )]
    Stuck { count: usize, first: RecordName },
    #[error("this is no whole backup: {0}")]
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
