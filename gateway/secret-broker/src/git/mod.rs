//! Bare mirrors of repositories that a credential may read: fetched by git, kept below the broker's data, gone with their
//! credential.
//!
//! *Invariant: git is never given a credential.* It asks a door on loopback (`door`), and the broker asks the host.
//! *Invariant: nothing that a repository holds is run, checked out or read as configuration* (`command`). A mirror is
//! changed by one fetch at a time; killed anywhere, it is what it was before, with packs too many that the next fetch
//! puts together. A mirror is no record: it can be had again, so no backup holds it.

mod command;
mod door;
mod progress;
mod shelf;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use roost_secret_broker::wire::{
    Fault, FaultCode, FetchPhase, Fetching, Mirror, MirrorHead, RecordName,
};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout_at};

use self::command::{Git, GitError};
use self::door::Door;
use self::progress::Line;
use self::shelf::Shelves;
use crate::disk;
use crate::egress::{Outlet, chain};

pub use self::door::Upstream;
pub use self::shelf::Place;

/// What mirrors may cost.
#[derive(Debug, Clone, Copy)]
pub struct MirrorLimits {
    /// Bytes of one on the disk.
    pub most: u64,
    /// Fetches at once.
    pub at_once: usize,
    /// The longest that a fetch may take, whatever its caller asks.
    pub longest: Duration,
}

impl Default for MirrorLimits {
    fn default() -> Self {
        Self {
            most: 2 << 30,
            at_once: 2,
            longest: Duration::from_secs(30 * 60),
        }
    }
}

/// Packs of a mirror before they are put together.
const PACKS: u64 = 20;

/// All mirrors. Cheap to clone.
#[derive(Clone)]
pub struct Mirrors {
    shared: Arc<Shared>,
}

struct Shared {
    shelves: Shelves,
    outlet: Outlet,
    limits: MirrorLimits,
    room: Semaphore,
}

impl Mirrors {
    /// Those below a folder.
    pub fn new(folder: PathBuf, outlet: Outlet, limits: MirrorLimits) -> Self {
        Self {
            shared: Arc::new(Shared {
                shelves: Shelves::new(folder),
                outlet,
                limits,
                room: Semaphore::new(limits.at_once),
            }),
        }
    }

    /// The right to a mirror: nobody else changes it, and its credential's end waits for this.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`] for a name that cannot be one, [`FaultCode::Busy`] when it is being fetched.
    pub async fn reserve(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        self.shared.shelves.reserve(name, mirror).await
    }

    /// Makes the mirror, or brings it up to date. Breaks off when its credential is deleted meanwhile.
    ///
    /// # Errors
    /// What the host, git or the disk said; the mirror is as it was.
    pub async fn fetch(
        &self,
        place: &Place,
        upstream: Upstream,
        head: Option<&str>,
        deadline: Option<Duration>,
        told: &watch::Sender<Fetching>,
    ) -> Result<Mirror, Fault> {
        let longest = self.shared.limits.longest;
        let deadline = Instant::now() + deadline.unwrap_or(longest).min(longest);
        let fetching = timeout_at(
            deadline,
            self.fetched(place, upstream, head, deadline, told),
        );
        tokio::select! {
            done = fetching => done.unwrap_or_else(|_| {
                Err(Fault::new(FaultCode::RemoteTimeout, "the repository could not be fetched in the time that there was"))
            }),
            () = place.ended() => Err(Fault::new(FaultCode::UnknownRecord, "the credential was deleted meanwhile")),
        }
    }

    async fn fetched(
        &self,
        place: &Place,
        upstream: Upstream,
        head: Option<&str>,
        deadline: Instant,
        told: &watch::Sender<Fetching>,
    ) -> Result<Mirror, Fault> {
        let Shared {
            room,
            limits,
            outlet,
            ..
        } = &*self.shared;
        let waiting = Fetching {
            phase: FetchPhase::Waiting,
            percent: 0,
            bytes: 0,
        };
        let _room = match room.try_acquire() {
            Ok(room) => room,
            Err(_) => {
                told.send_replace(waiting);
                let room = room.acquire().await;
                room.map_err(|_| Fault::new(FaultCode::Stopping, "the broker stops"))?
            }
        };
        let path = place.path();
        prepare(path).await.map_err(|error| unkept(&error))?;
        let git = || Git::new(path, limits.most);
        // On one that is there it changes nothing, and one that was killed while it was made becomes whole.
        let init = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch=main",
        ];
        git()
            .run(&init, |_| {})
            .await
            .map_err(|error| failed(&error))?;
        let there = shelf::size(path).await;
        if there >= limits.most {
            return Err(too_large());
        }
        let door = Door::open(upstream, outlet.clone(), limits.most - there, deadline)
            .await
            .map_err(|error| unkept(&error))?;
        let hear = |line: &str| {
            if let Some(Line::Progress(phase, percent)) = progress::read(line) {
                told.send_replace(Fetching {
                    phase,
                    percent,
                    bytes: door.bytes(),
                });
            }
        };
        let url = door.url();
        let fetch = [
            "fetch",
            "--progress",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--refmap=",
            "--end-of-options",
            url.as_str(),
            "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*",
        ];
        let asking = git().with("http.extraHeader", &door.pass());
        if let Err(error) = asking.run(&fetch, hear).await {
            return Err(door.fault().unwrap_or_else(|| unfetched(&error, &door)));
        }
        let bytes = door.bytes();
        drop(door);
        if shelf::packs(path).await > PACKS {
            told.send_replace(Fetching {
                phase: FetchPhase::Tidying,
                percent: 0,
                bytes,
            });
            git()
                .run(&["repack", "-a", "-d", "-q"], |_| {})
                .await
                .map_err(|error| failed(&error))?;
        }
        survey(&git, path, head)
            .await
            .map_err(|error| failed(&error))
    }

    /// Forgets one; whether there was one.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::Busy`], [`FaultCode::StoreFailed`].
    pub async fn forget(&self, name: &RecordName, mirror: &str) -> Result<bool, Fault> {
        let place = self.reserve(name, mirror).await?;
        shelf::remove(place.path())
            .await
            .map_err(|error| unkept(&error))
    }

    /// Ends the fetches of a credential and forgets its mirrors; `gone` is done before anybody may fetch again.
    ///
    /// # Errors
    /// [`FaultCode::StoreFailed`]; `gone` is not done then.
    pub async fn forget_all<T>(
        &self,
        name: &RecordName,
        gone: impl Future<Output = T>,
    ) -> Result<T, Fault> {
        let _cleared = self
            .shared
            .shelves
            .clear(name)
            .await
            .map_err(|error| unkept(&error))?;
        Ok(gone.await)
    }

    /// Removes mirrors whose credential is not there: a backup was restored, or the broker died between two effects.
    ///
    /// # Errors
    /// What the file system says.
    pub async fn sweep(&self, names: &[RecordName]) -> std::io::Result<()> {
        self.shared.shelves.sweep(names).await
    }
}

/// What is missing here for mirrors, in words for the operator.
pub async fn missing() -> Option<String> {
    let git = Git::new(Path::new("/nonexistent"), u64::MAX);
    let asked = git.run(&["--version"], |_| {});
    asked
        .await
        .err()
        .map(|error| format!("no mirrors of repositories can be made: {error}"))
}

/// The folder, without what a killed fetch left behind: whoever held a lock in it is dead, or this fetch would not be.
async fn prepare(path: &Path) -> std::io::Result<()> {
    let path = path.to_owned();
    shelf::blocking(move || {
        disk::make_private_folder(&path)?;
        shelf::remove_leftovers(&path)
    })
    .await
}

/// What the mirror has now; its `HEAD` names the wanted branch, where that is there.
async fn survey(
    git: &impl Fn() -> Git,
    path: &Path,
    head: Option<&str>,
) -> Result<Mirror, GitError> {
    let refs = git()
        .run(&["for-each-ref", "--format=%(refname)"], |_| {})
        .await?;
    let refs = String::from_utf8_lossy(&refs);
    let count = |begin: &str| refs.lines().filter(|name| name.starts_with(begin)).count() as u64;
    let wanted = head.map(|branch| format!("refs/heads/{branch}"));
    if let Some(wanted) = wanted.filter(|wanted| refs.lines().any(|name| name == wanted)) {
        git()
            .run(&["symbolic-ref", "HEAD", &wanted], |_| {})
            .await?;
    }
    let named = git()
        .run(&["symbolic-ref", "--short", "HEAD"], |_| {})
        .await?;
    let commit = git()
        .run(
            &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
            |_| {},
        )
        .await;
    let head = match commit {
        Ok(commit) => Some(MirrorHead {
            branch: line(&named),
            commit: line(&commit),
        }),
        // It names a branch that is not there.
        Err(GitError::Failed { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Mirror {
        bytes: shelf::size(path).await,
        branches: count("refs/heads/"),
        tags: count("refs/tags/"),
        head,
    })
}

fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}

fn too_large() -> Fault {
    Fault::new(
        FaultCode::TooLarge,
        "the repository is larger than a mirror may be; the operator allows more with `broker.mirror_mib`",
    )
}

fn unkept(error: &std::io::Error) -> Fault {
    Fault::new(
        FaultCode::StoreFailed,
        format!(
            "the mirror cannot be kept: {}; see that the disk has room",
            chain(error)
        ),
    )
}

/// Of git by itself, which no stranger's words are in.
fn failed(error: &GitError) -> Fault {
    tracing::warn!(error = %chain(error), "git could not do it");
    Fault::new(FaultCode::GitFailed, bounded(&chain(error)))
}

/// Of a fetch that the door saw nothing wrong with: git's last words, which may be the host's.
fn unfetched(error: &GitError, door: &Door) -> Fault {
    match error {
        GitError::Failed { said, status } if said.is_empty() => Fault::new(
            FaultCode::GitFailed,
            format!("git ended without a word ({status})"),
        ),
        GitError::Failed { said, .. } => {
            Fault::new(FaultCode::GitFailed, bounded(&door.text(&said.join("; "))))
        }
        other => failed(other),
    }
}

/// Without control characters, of which a host may send any, and short.
fn bounded(text: &str) -> String {
    text.chars()
        .filter(|char| !char.is_control())
        .take(500)
        .collect()
}
