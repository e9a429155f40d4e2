//! `roost files put`: a local file or folder goes into a sandbox, as an archive that `tar` reads there.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::api::{Api, Owner, routes};
use crate::show::{self, Shown};

/// Copies `local` into `folder` of the owner's workspace. Files that exist stay, except with `force`.
///
/// # Errors
/// When the local files cannot be read, and what the gateway said.
pub(super) async fn put(
    api: &Api,
    owner: &Owner,
    local: &Path,
    folder: &str,
    force: bool,
) -> anyhow::Result<ExitCode> {
    // Before anything is sent: a gateway that refuses early closes the connection, and its reason can be lost.
    let leaves = Path::new(folder)
        .components()
        .any(|part| part == Component::ParentDir);
    ensure!(!leaves, "the folder must be below /workspace, without `..`");
    let name = local
        .canonicalize()
        .with_context(|| format!("cannot read {}", local.display()))?;
    let name = name.file_name().map(PathBuf::from);
    let name = name.context("give a file or a folder, not the root of the file system")?;
    let from = local.to_owned();
    let archive = tokio::task::spawn_blocking(move || packed(&from, &name)).await??;
    let bytes = archive.metadata()?.len();
    let call = routes::put_files(owner, Some(folder), Some(force));
    let done = api.upload(call, archive, bytes).await?;
    match api.json {
        true => show::json(done.raw()),
        false => eprintln!(
            "Copied {} to {}. A snapshot follows.",
            show::bytes(Some(done.bytes)),
            done.folder.shown()
        ),
    }
    if !force {
        // Some kinds of tar keep them without a word.
        eprintln!("A file that existed there before was kept; --force replaces it.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Packs a file or a folder into a file without a name. Links stay links.
fn packed(local: &Path, name: &Path) -> anyhow::Result<File> {
    let file = tempfile::tempfile().context("cannot make a temporary file for the archive")?;
    let mut archive = tar::Builder::new(BufWriter::new(file));
    archive.follow_symlinks(false);
    let added = match local.is_dir() {
        true => archive.append_dir_all(name, local),
        false => archive.append_path_with_name(local, name),
    };
    added.with_context(|| format!("cannot pack {}", local.display()))?;
    let mut file = archive
        .into_inner()?
        .into_inner()
        .map_err(IntoInnerError::into_error)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_that_cannot_be_made_ends_with_the_reason() {
        let error = packed("/nothing/here".as_ref(), "here".as_ref()).unwrap_err();
        assert!(error.to_string().contains("/nothing/here"), "{error}");
    }

    #[test]
    fn folder_is_packed_below_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b.txt"), "x").unwrap();
        let packed = packed(folder.path(), "kept".as_ref()).unwrap();
        let mut archive = tar::Archive::new(packed);
        let names: Vec<String> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert!(names.contains(&"kept/a/b.txt".to_owned()), "{names:?}");
    }
}
