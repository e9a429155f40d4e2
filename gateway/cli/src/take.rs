//! Copies a folder of a snapshot to this computer.

use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::api::types::SnapshotId;
use crate::api::{Api, Owner, routes};

/// Copies the folder `path` of the snapshot to `output`, else to a folder of its name here. It is there in full, or not at
/// all.
pub(super) async fn folder(
    api: &Api,
    owner: &Owner,
    snapshot: &SnapshotId,
    path: &str,
    output: Option<PathBuf>,
) -> anyhow::Result<()> {
    let path = path.trim_matches('/');
    let path = if path == "." { "" } else { path };
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    let output = output.unwrap_or_else(|| PathBuf::from(name.unwrap_or("workspace")));
    ensure!(
        output.symlink_metadata().is_err(),
        "{} exists already; name another place with --output",
        output.display()
    );
    let mut archive = tempfile::tempfile().context("cannot make a temporary file")?;
    let call = routes::snapshot_archive(owner, snapshot, Some(path));
    api.download(call, &mut archive).await?;
    archive.seek(SeekFrom::Start(0))?;
    // Beside the place, so that the last move stays on one disk.
    let above = output.parent().filter(|above| *above != Path::new(""));
    let above = above.unwrap_or(Path::new("."));
    let unpacked = tempfile::tempdir_in(above);
    let unpacked = unpacked.with_context(|| format!("cannot write in {}", above.display()))?;
    let mut archive = tar::Archive::new(archive);
    archive.set_preserve_permissions(true);
    // The library refuses names and links that lead out of the folder.
    archive
        .unpack(unpacked.path())
        .context("cannot unpack the folder")?;
    let mut inside = std::fs::read_dir(unpacked.path())?;
    let top = inside
        .next()
        .context("the gateway sent an empty archive")??;
    std::fs::rename(top.path(), &output)
        .with_context(|| format!("cannot make {}", output.display()))?;
    eprintln!("{}", output.display());
    Ok(())
}
