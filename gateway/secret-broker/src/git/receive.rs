//! A branch that comes out of a sandbox. Every byte of its bundle was made by an agent.
//!
//! The bundle is written to a file, its head is read here, and git unpacks it beside the mirror (`Quarantine`), with
//! every check that git has. Only a branch that passes all rules moves into the mirror, under a name that no fetch
//! touches. Nothing is checked out.

use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use roost_secret_broker::wire::{Fault, FaultCode, GitReceive, Received};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::bundle::{is_ancestor, resolve};
use super::bundle_head::{self, BundleHead, refused};
use super::command::{Git, GitError, Input};
use super::full::is_full;
use super::shelf::{self, Place};
use super::{Mirrors, failed, line, paths, received, refs, unkept};
use crate::disk;

/// Longest check of a bundle.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Bounds of a received branch.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveLimits {
    /// Bytes of a bundle.
    pub bytes: u64,
    /// Objects of its pack.
    pub objects: u32,
    /// Bytes of all its objects, unpacked.
    pub unpacked: u64,
    /// Commits after the base.
    pub commits: u64,
    /// Changed paths, counted for each commit.
    pub paths: usize,
}

impl Default for ReceiveLimits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            objects: 200_000,
            unpacked: 1 << 30,
            commits: 5_000,
            paths: 200_000,
        }
    }
}

/// A bundle that arrives. Its file is deleted with this value.
pub struct Incoming {
    path: PathBuf,
    file: tokio::fs::File,
    bytes: u64,
    most: u64,
}

impl Incoming {
    /// Adds a piece.
    ///
    /// # Errors
    /// [`FaultCode::TooLarge`], [`FaultCode::StoreFailed`].
    pub async fn add(&mut self, piece: &[u8]) -> Result<(), Fault> {
        self.bytes += piece.len() as u64;
        if self.bytes > self.most {
            return Err(Fault::new(
                FaultCode::TooLarge,
                format!(
                    "the commits of the branch are over {} MiB; leave large files out of the commits",
                    self.most >> 20
                ),
            ));
        }
        let written = self.file.write_all(piece).await;
        written.map_err(|error| unkept(&error))
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Mirrors {
    /// Most bytes of a bundle.
    pub fn largest_bundle(&self) -> u64 {
        self.shared.limits.receive.bytes
    }

    /// A file for a bundle that arrives.
    ///
    /// # Errors
    /// [`FaultCode::StoreFailed`].
    pub async fn incoming(&self) -> Result<Incoming, Fault> {
        let folder = self.shared.shelves.incoming();
        let opened = shelf::blocking(move || {
            disk::make_private_folder(&folder)?;
            let path = folder.join(random_name()?);
            let file = std::fs::File::options()
                .write(true)
                .create_new(true)
                .open(&path)?;
            Ok((path, file))
        });
        let (path, file) = opened.await.map_err(|error| unkept(&error))?;
        Ok(Incoming {
            path,
            file: tokio::fs::File::from_std(file),
            bytes: 0,
            most: self.shared.limits.receive.bytes,
        })
    }

    /// Checks the bundle and keeps its branch. The mirror is unchanged when this fails.
    ///
    /// # Errors
    /// [`FaultCode::BundleRefused`] with the rule that is broken; the errors of git and the disk.
    pub async fn receive(
        &self,
        place: &Place,
        asked: &GitReceive,
        mut incoming: Incoming,
    ) -> Result<Received, Fault> {
        incoming
            .file
            .flush()
            .await
            .map_err(|error| unkept(&error))?;
        let working = timeout(LONGEST, self.received(place, asked, &incoming));
        tokio::select! {
            done = working => done.unwrap_or_else(|_| Err(refused("its check took too long"))),
            () = place.ended() => Err(Fault::new(FaultCode::UnknownRecord, "the credential was deleted meanwhile")),
        }
    }

    async fn received(
        &self,
        place: &Place,
        asked: &GitReceive,
        incoming: &Incoming,
    ) -> Result<Received, Fault> {
        let limits = self.shared.limits;
        let branch = refs::branch(&asked.branch)?.to_owned();
        let asked_base = refs::commit(&asked.base)?;
        let _room = self.room_for_branches().await?;
        let path = place.path();
        if shelf::size(path).await + 2 * incoming.bytes > limits.most {
            return Err(super::too_large());
        }
        let plain = || Git::new(path, limits.most);
        let base = resolve(&plain, asked_base).await?;
        let kept = refs::kept(&branch);
        let before = resolve(&plain, &kept).await.ok();
        let (head, pack) = opened(incoming.path.clone(), branch).await?;
        if head.objects > limits.receive.objects {
            return Err(refused(&format!(
                "it has {} objects, and {} is the limit",
                head.objects, limits.receive.objects
            )));
        }
        let quarantine = Quarantine::open(path)
            .await
            .map_err(|error| unkept(&error))?;
        let git = || Git::new(path, limits.most).apart(&quarantine.path);
        for needed in &head.needs {
            resolve(&git, needed)
                .await
                .map_err(|_| refused("it needs a commit that the mirror does not have"))?;
        }
        let indexed = git()
            .run_with(
                &["index-pack", "--stdin", "--fix-thin", "--strict"],
                Input::File(pack),
            )
            .await;
        indexed.map_err(|error| unsound(&error))?;
        let commit = head.commit;
        let kind = git().run(&["cat-file", "-t", &commit], |_| {}).await;
        if !kind.is_ok_and(|kind| line(&kind) == "commit") {
            return Err(refused("its branch is not a commit of the bundle"));
        }
        let after = [Some(&base), before.as_ref()];
        for earlier in after.into_iter().flatten() {
            if !is_ancestor(&git, earlier, &commit).await? {
                return Err(refused(
                    "its branch does not continue the branch that is kept; commit on top of it, and rewrite nothing",
                ));
            }
        }
        let new = format!("{commit}\n--not\n{base}\n");
        check_objects(&git, &new, limits.receive).await?;
        check_paths(&git, &new, asked.workflows, limits.receive).await?;
        let received = received::describe(&git, &base, &commit).await?;
        quarantine
            .keep(path)
            .await
            .map_err(|error| unkept(&error))?;
        let zero = "0".repeat(commit.len());
        let before = before.as_deref().unwrap_or(&zero);
        plain()
            .run(&["update-ref", &kept, &commit, before], |_| {})
            .await
            .map_err(|error| failed(&error))?;
        Ok(received)
    }
}

/// The head, and the file at its pack.
async fn opened(path: PathBuf, branch: String) -> Result<(BundleHead, std::fs::File), Fault> {
    let read = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::File::open(&path).map_err(|error| unkept(&error))?;
        let head = bundle_head::read(BufReader::new(&file), &branch)?;
        file.seek(SeekFrom::Start(head.length))
            .map_err(|error| unkept(&error))?;
        Ok((head, file))
    });
    read.await
        .unwrap_or_else(|_| Err(Fault::new(FaultCode::Stopping, "the broker is stopping")))
}

/// Connected, and not larger than it may be when it is unpacked.
async fn check_objects(
    git: &impl Fn() -> Git,
    new: &str,
    limits: ReceiveLimits,
) -> Result<(), Fault> {
    let new = new.as_bytes().to_vec();
    let listed = git()
        .run_with(
            &["rev-list", "--stdin", "--objects", "--no-object-names"],
            Input::Bytes(new),
        )
        .await
        .map_err(|error| unsound(&error))?;
    let sizes = git()
        .run_with(
            &["cat-file", "--batch-check=%(objecttype) %(objectsize)"],
            Input::Bytes(listed),
        )
        .await
        .map_err(|error| unsound(&error))?;
    let (mut commits, mut bytes) = (0_u64, 0_u64);
    for object in String::from_utf8_lossy(&sizes).lines() {
        let (kind, size) = object.split_once(' ').unwrap_or_default();
        commits += u64::from(kind == "commit");
        let size: u64 = size
            .parse()
            .map_err(|_| refused("one of its objects is missing"))?;
        bytes = bytes.saturating_add(size);
    }
    if commits > limits.commits {
        return Err(refused(&format!(
            "it has {commits} commits, and {} is the limit",
            limits.commits
        )));
    }
    if bytes > limits.unpacked {
        return Err(refused(&format!(
            "its files have {} MiB unpacked, and {} MiB is the limit",
            bytes >> 20,
            limits.unpacked >> 20
        )));
    }
    Ok(())
}

/// Every path that some new commit changes, also one that a later commit undoes.
async fn check_paths(
    git: &impl Fn() -> Git,
    new: &str,
    workflows: bool,
    limits: ReceiveLimits,
) -> Result<(), Fault> {
    let commits = git()
        .run_with(
            &["rev-list", "--stdin"],
            Input::Bytes(new.as_bytes().to_vec()),
        )
        .await
        .map_err(|error| unsound(&error))?;
    let changed = git()
        .run_with(
            &[
                "diff-tree",
                "--stdin",
                "-r",
                "-m",
                "-z",
                "--root",
                "--no-renames",
                "--name-only",
                "--no-commit-id",
            ],
            Input::Bytes(commits),
        )
        .await
        .map_err(|error| unsound(&error))?;
    let paths = changed
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty());
    for (at, path) in paths.enumerate() {
        if at >= limits.paths {
            return Err(refused(&format!(
                "its commits change over {} files",
                limits.paths
            )));
        }
        paths::check(path, workflows)?;
    }
    Ok(())
}

/// git found a fault in the objects. Its words name objects and paths of the bundle.
fn unsound(error: &GitError) -> Fault {
    match error {
        full if is_full(full) => failed(full),
        GitError::Failed { said, .. } => refused(&super::bounded(&format!(
            "git found a fault in it: {}",
            said.join("; ")
        ))),
        GitError::TooMuch => refused("it has too many objects or files"),
        other => failed(other),
    }
}

/// A folder of objects beside the mirror's own. It goes with this value, unless its packs are kept.
struct Quarantine {
    path: PathBuf,
}

impl Quarantine {
    async fn open(mirror: &Path) -> std::io::Result<Self> {
        let path = mirror.join(format!("tmp_{}", random_name()?));
        let quarantine = Self { path };
        disk::make_private_folder(&quarantine.path)?;
        Ok(quarantine)
    }

    /// Moves the packs into the mirror. An index makes its pack visible, so it moves last.
    async fn keep(&self, mirror: &Path) -> std::io::Result<()> {
        let (from, to) = (self.path.join("pack"), mirror.join("objects/pack"));
        shelf::blocking(move || {
            std::fs::create_dir_all(&to)?;
            let mut files: Vec<_> = std::fs::read_dir(&from)?
                .flatten()
                .map(|entry| entry.file_name())
                .collect();
            files.sort_by_key(|name| Path::new(name).extension().is_some_and(|end| end == "idx"));
            for name in files {
                std::fs::File::open(from.join(&name))?.sync_all()?;
                std::fs::rename(from.join(&name), to.join(&name))?;
            }
            std::fs::File::open(&to)?.sync_all()
        })
        .await
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn random_name() -> std::io::Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(hex::encode(random))
}
