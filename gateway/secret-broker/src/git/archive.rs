//! The files of a commit as tar. Attributes of the repository change nothing in them: git neither leaves files out, nor
//! puts other text into them.

use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::wire::{Fault, FaultCode, GitArchive};
use tokio::time::{Instant, timeout_at};

use super::bundle::resolve;
use super::command::{Git, Streaming};
use super::shelf::{self, Place};
use super::{Mirrors, failed, refs, unkept};

/// Longest packing.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The attributes of the repository itself count before those in its files.
const ATTRIBUTES: &str =
    "* -export-ignore -export-subst -text -eol -ident -filter -working-tree-encoding\n";

/// An archive on its way out. Dropping it ends git.
pub struct Archive {
    files: Streaming,
    left: u64,
    most: u64,
    deadline: Instant,
}

impl Mirrors {
    /// Begins the archive of a commit.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::UnknownCommit`], [`FaultCode::GitFailed`], [`FaultCode::StoreFailed`].
    pub async fn archive(&self, place: &Place, asked: &GitArchive) -> Result<Archive, Fault> {
        let git = || Git::new(place.path(), self.shared.limits.most);
        let commit = resolve(&git, refs::commit(&asked.commit)?).await?;
        let info = place.path().join("info");
        let written = shelf::blocking(move || {
            std::fs::create_dir_all(&info)?;
            std::fs::write(info.join("attributes"), ATTRIBUTES)
        });
        written.await.map_err(|error| unkept(&error))?;
        let files = git()
            .stream(&["archive", "--format=tar", &commit], Vec::new())
            .await
            .map_err(|error| failed(&error))?;
        Ok(Archive {
            files,
            left: asked.most,
            most: asked.most,
            deadline: Instant::now() + LONGEST,
        })
    }
}

impl Archive {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// [`FaultCode::TooLarge`], [`FaultCode::GitFailed`].
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Fault> {
        let piece = timeout_at(self.deadline, self.files.piece()).await;
        let slow = |_| Fault::new(FaultCode::GitFailed, "the archive took too long");
        let Some(piece) = piece.map_err(slow)?.map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        self.left = self.left.checked_sub(piece.len() as u64).ok_or_else(|| {
            Fault::new(
                FaultCode::TooLarge,
                format!("the files of that commit are over {} MiB", self.most >> 20),
            )
        })?;
        Ok(Some(piece))
    }
}
