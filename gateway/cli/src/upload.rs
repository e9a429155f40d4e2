//! `--from`: the files of a folder of this machine, or an archive, for a run that has no code host.

use std::fs::File;
use std::io::{IntoInnerError, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};
use ignore::{DirEntry, WalkBuilder};

use crate::api::types::{RunRepo, UploadBounds, UploadId};
use crate::api::{Api, routes};
use crate::show;

/// Uploads the files.
///
/// # Errors
/// When the files cannot be read, or are over a limit, and what the gateway said.
pub(super) async fn sent(api: &Api, from: &Path) -> anyhow::Result<RunRepo> {
    let name = named(from)?;
    let bounds = api.ask(routes::upload_limits()).await?.into_value();
    let packed = {
        let (from, bounds) = (from.to_owned(), Bounds::of(&bounds));
        tokio::task::spawn_blocking(move || packed(&from, bounds)).await??
    };
    let bytes = packed.metadata()?.len();
    ensure!(
        bytes <= bounds.archive_bytes,
        "the archive has {}, and an upload has at most {}; leave files out with .gitignore or .roostignore",
        show::bytes(Some(bytes)),
        show::bytes(Some(bounds.archive_bytes))
    );
    let upload = api
        .upload(routes::create_upload(Some(&name)), packed, bytes)
        .await?;
    if !api.json {
        eprintln!(
            "Uploaded {} files ({}).",
            upload.files,
            show::bytes(Some(upload.bytes))
        );
    }
    let id: UploadId = upload.into_value().id;
    Ok(RunRepo {
        repo_id: None,
        upload_id: Some(id),
        base: None,
    })
}

/// What people call the files: the name of the folder, or of the archive without its ending.
fn named(from: &Path) -> anyhow::Result<String> {
    let whole = from
        .canonicalize()
        .with_context(|| format!("cannot read {}", from.display()))?;
    let name = whole.file_name().and_then(|name| name.to_str());
    let name = name.context(
        "give a folder or an archive whose name is UTF-8, not the root of the file system",
    )?;
    let name = match whole.is_dir() {
        true => name,
        false => [".tar.gz", ".tgz", ".tar", ".zip"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name),
    };
    let name: String = name
        .chars()
        .filter(|char| !char.is_control())
        .take(100)
        .collect();
    Ok(if name.trim().is_empty() {
        "files".to_owned()
    } else {
        name
    })
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    files: u64,
    unpacked: u64,
    path: u64,
}

impl Bounds {
    fn of(bounds: &UploadBounds) -> Self {
        Self {
            files: bounds.files,
            unpacked: bounds.unpacked_bytes,
            path: bounds.path_bytes,
        }
    }
}

/// The archive: the file itself, or the folder in a file without a name.
fn packed(from: &Path, bounds: Bounds) -> anyhow::Result<File> {
    if !from.is_dir() {
        return File::open(from).with_context(|| format!("cannot read {}", from.display()));
    }
    let file = tempfile::tempfile().context("cannot make a temporary file for the archive")?;
    let mut archive = tar::Builder::new(std::io::BufWriter::new(file));
    archive.follow_symlinks(false);
    let (mut files, mut bytes) = (0_u64, 0_u64);
    for entry in walk(from) {
        let entry = entry.context("cannot read a part of the folder")?;
        let kind = entry.file_type();
        let path = entry.path();
        let inside = path.strip_prefix(from)?;
        let is_link = kind.is_some_and(|kind| kind.is_symlink());
        if !is_link && !kind.is_some_and(|kind| kind.is_file()) {
            // git keeps no empty folders; devices, pipes and sockets are no files.
            continue;
        }
        if is_link && !stays_inside(inside, &std::fs::read_link(path)?) {
            eprintln!(
                "Left out {}: the link leads outside the folder.",
                roost_protocol::text::clean(&inside.display().to_string(), 300)
            );
            continue;
        }
        let text = inside
            .to_str()
            .with_context(|| format!("the name of {} is not UTF-8; rename it", inside.display()))?;
        ensure!(
            text.len() as u64 <= bounds.path,
            "the path {text} is longer than {} bytes",
            bounds.path
        );
        files += 1;
        bytes += if is_link { 0 } else { entry.metadata()?.len() };
        ensure!(
            files <= bounds.files,
            "the folder has more than {} files; leave some out with .gitignore or .roostignore",
            bounds.files
        );
        ensure!(
            bytes <= bounds.unpacked,
            "the files have more than {}; leave some out with .gitignore or .roostignore",
            show::bytes(Some(bounds.unpacked))
        );
        archive
            .append_path_with_name(path, inside)
            .with_context(|| format!("cannot pack {}", path.display()))?;
        if files % 200 == 0 {
            show::progress(&format!(
                "packing… {files} files, {}",
                show::bytes(Some(bytes))
            ));
        }
    }
    show::progress_over();
    if files == 0 {
        bail!("{} has no files to send", from.display());
    }
    let mut file = archive
        .into_inner()?
        .into_inner()
        .map_err(IntoInnerError::into_error)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// All files except `.git` and what `.gitignore` and `.roostignore` name.
fn walk(from: &Path) -> ignore::Walk {
    let is_kept = |entry: &DirEntry| entry.file_name() != ".git";
    WalkBuilder::new(from)
        .standard_filters(false)
        .git_ignore(true)
        .require_git(false)
        .parents(false)
        .add_custom_ignore_filename(".roostignore")
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(is_kept)
        .build()
}

/// As the gateway checks it: `..` stands only at the beginning of the target.
fn stays_inside(link: &Path, target: &Path) -> bool {
    let mut above = link.components().count().saturating_sub(1);
    let mut is_down = false;
    target.components().all(|part| match part {
        Component::CurDir => true,
        Component::ParentDir if is_down || above == 0 => false,
        Component::ParentDir => {
            above -= 1;
            true
        }
        Component::Normal(_) => {
            is_down = true;
            true
        }
        Component::RootDir | Component::Prefix(_) => false,
    })
}

/// Unpacks the files of a run into a new or empty folder.
///
/// # Errors
/// When the folder has files, or the archive is not whole.
pub(super) fn unpacked(archive: File, to: &Path) -> anyhow::Result<()> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    archive.set_preserve_mtime(false);
    archive
        .unpack(to)
        .with_context(|| format!("cannot unpack the files into {}", to.display()))
}

/// Checks that files can go into a folder without changing others.
///
/// # Errors
/// When the folder is not empty.
pub(super) fn must_be_empty(to: &Path) -> anyhow::Result<PathBuf> {
    if let Ok(mut entries) = std::fs::read_dir(to)
        && entries.next().is_some()
    {
        bail!(
            "{} has files already; name a new or an empty folder",
            to.display()
        );
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    Ok(to.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const BOUNDS: Bounds = Bounds {
        files: 100,
        unpacked: 1 << 20,
        path: 1024,
    };

    fn names(folder: &Path) -> Vec<String> {
        let mut archive = tar::Archive::new(packed(folder, BOUNDS).unwrap());
        let mut names: Vec<String> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn ignored_files_and_git_and_links_to_the_outside_stay_here() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            ".git/config",
            "src/a.rs",
            "target/x",
            "notes/private.md",
            ".github/ci.yml",
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "x").unwrap();
        }
        std::fs::write(at(".gitignore"), "target/\n").unwrap();
        std::fs::write(at(".roostignore"), "notes\n").unwrap();
        symlink("a.rs", at("src/b.rs")).unwrap();
        symlink("/etc/passwd", at("src/c.rs")).unwrap();
        assert_eq!(
            names(folder.path()),
            [
                ".github/ci.yml",
                ".gitignore",
                ".roostignore",
                "src/a.rs",
                "src/b.rs"
            ]
        );
    }

    #[test]
    fn folder_over_a_limit_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("large"), vec![0; 2 << 20]).unwrap();
        let error = packed(folder.path(), BOUNDS).unwrap_err().to_string();
        assert!(error.contains("more than"), "{error}");
        let none = tempfile::tempdir().unwrap();
        packed(none.path(), BOUNDS).unwrap_err();
    }

    #[test]
    fn archive_and_folder_give_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.tar.gz");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(named(&file).unwrap(), "shop");
        let made = folder.path().join("shop");
        std::fs::create_dir(&made).unwrap();
        assert_eq!(named(&made).unwrap(), "shop");
    }
}
