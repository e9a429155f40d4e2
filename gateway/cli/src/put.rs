//! `roost files put`: a local file or folder goes into the sandbox of an agent, as an archive that `tar` reads there.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::thread::JoinHandle;

use anyhow::{Context, bail, ensure};

use crate::api::Api;
use crate::api::types::ClawId;
use crate::{exec, show};

/// Makes the folder, and unpacks stdin there. The first argument is the folder, the second one what `tar` is told about
/// files that exist.
const UNPACK: &str = r#"mkdir -p -- "$1" && exec tar -x -o $2 -C "$1" -f -"#;

/// Copies `local` into `folder` of the agent's workspace. Files that exist stay, except with `force`.
///
/// # Errors
/// When the local files cannot be read, and what the gateway said.
pub(super) async fn put(
    api: &Api,
    claw: ClawId,
    local: &Path,
    folder: &str,
    force: bool,
) -> anyhow::Result<ExitCode> {
    let name = local
        .canonicalize()
        .with_context(|| format!("cannot read {}", local.display()))?;
    let name = name.file_name().map(PathBuf::from);
    let name = name.context("give a file or a folder, not the root of the file system")?;
    let to = inside(folder)?;
    let (reader, packing) = packed(local.to_owned(), name)?;
    let keep = if force { "" } else { "-k" };
    let argv = ["sh", "-c", UNPACK, "put", &to, keep].map(str::to_owned);
    let ended = exec::fed(api, claw, argv.into(), Checked::new(reader, packing)).await?;
    if ended == ExitCode::SUCCESS {
        eprintln!("Copied to {to}. A snapshot follows.");
    }
    if !force {
        // Some kinds of tar keep them without a word.
        eprintln!("A file that existed there before was kept; --force replaces it.");
    }
    Ok(ended)
}

/// The folder below the workspace, as an absolute path.
fn inside(folder: &str) -> anyhow::Result<String> {
    let path = Path::new(folder);
    let path = path.strip_prefix("/workspace").unwrap_or(path);
    let is_below = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    ensure!(
        path.components().all(is_below),
        "the folder must be below /workspace, without `..`"
    );
    let below: PathBuf = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    Ok(match below.to_str() {
        Some("") => "/workspace".to_owned(),
        Some(below) => format!("/workspace/{below}"),
        None => bail!("the folder is not UTF-8"),
    })
}

type Packing = JoinHandle<io::Result<()>>;

/// Packs a file or a folder on a thread. Links stay links.
fn packed(local: PathBuf, name: PathBuf) -> anyhow::Result<(PipeReader, Packing)> {
    let (reader, writer) = io::pipe()?;
    let pack = move || -> io::Result<()> {
        let mut archive = tar::Builder::new(Counted::new(writer));
        archive.follow_symlinks(false);
        match local.is_dir() {
            true => archive.append_dir_all(&name, &local)?,
            false => archive.append_path_with_name(&local, &name)?,
        }
        archive.into_inner()?.flush()
    };
    Ok((reader, std::thread::spawn(pack)))
}

/// The archive. Its end is an error when not everything could be packed.
struct Checked {
    reader: PipeReader,
    packing: Option<Packing>,
}

impl Checked {
    fn new(reader: PipeReader, packing: Packing) -> Self {
        Self {
            reader,
            packing: Some(packing),
        }
    }
}

impl Read for Checked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(into)?;
        if count == 0
            && let Some(packing) = self.packing.take()
        {
            packing
                .join()
                .map_err(|_| io::Error::other("the archive could not be made"))??;
        }
        Ok(count)
    }
}

/// Says on the terminal how much was read.
struct Counted {
    into: PipeWriter,
    bytes: u64,
    said: u64,
}

/// Bytes between two words about the progress.
const SAID_EVERY: u64 = 1 << 20;

impl Counted {
    fn new(into: PipeWriter) -> Self {
        Self {
            into,
            bytes: 0,
            said: 0,
        }
    }
}

impl Write for Counted {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let count = self.into.write(from)?;
        self.bytes += count as u64;
        if self.bytes - self.said >= SAID_EVERY {
            self.said = self.bytes;
            show::progress(&format!("copying… {}", show::bytes(Some(self.bytes))));
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.said > 0 {
            show::progress_over();
        }
        self.into.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_stays_below_the_workspace() {
        let path = |folder| inside(folder).ok();
        assert_eq!(path("").as_deref(), Some("/workspace"));
        assert_eq!(path("./src").as_deref(), Some("/workspace/src"));
        assert_eq!(path("/workspace/a/b").as_deref(), Some("/workspace/a/b"));
        assert_eq!(path("../etc"), None);
        assert_eq!(path("/etc"), None);
        assert_eq!(path("a/../../b"), None);
    }

    #[test]
    fn archive_that_cannot_be_made_ends_with_the_reason() {
        let (reader, packing) = packed("/nothing/here".into(), "here".into()).unwrap();
        let mut all = Vec::new();
        let error = Checked::new(reader, packing).read_to_end(&mut all);
        assert!(error.is_err());
    }

    #[test]
    fn folder_is_packed_below_its_own_name() {
        let folder = std::env::temp_dir().join(format!("roost-put-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a")).unwrap();
        std::fs::write(folder.join("a/b.txt"), "x").unwrap();
        let (reader, packing) = packed(folder.clone(), "kept".into()).unwrap();
        let mut archive = tar::Archive::new(Checked::new(reader, packing));
        let names: Vec<String> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(names.contains(&"kept/a/b.txt".to_owned()), "{names:?}");
    }
}
