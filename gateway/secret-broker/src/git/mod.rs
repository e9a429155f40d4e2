//! Bare mirrors of repositories that a credential may read. git fetches them, the broker stores them below its data,
//! and they are deleted with their credential.
//!
//! *Invariant: git never gets a credential.* It sends requests to a proxy on loopback (`git_proxy`), and the broker
//! sends them to the host. *Invariant: nothing in a repository is run, checked out or read as configuration*
//! (`command`). One fetch at a time changes a mirror. A fetch that is killed leaves the mirror as it was, plus extra
//! packs that the next fetch merges. A mirror is not a record: it can be fetched again, so backups do not hold it.

mod archive;
mod bundle;
mod bundle_head;
mod command;
mod files;
mod full;
mod git_proxy;
mod import;
mod listing;
mod paths;
mod progress;
mod push;
mod push_gate;
mod receive;
mod received;
mod refs;
mod shelf;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use roost_secret_broker::wire::{
    Fault, FaultCode, FetchPhase, Fetching, Mirror, MirrorHead, RecordName,
};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::{Instant, timeout_at};

use self::command::{Git, GitError};
use self::git_proxy::{GitProxy, Passing};
use self::progress::Line;
use self::shelf::Shelves;
use crate::disk;
use crate::egress::{HttpClient, chain};

pub use self::archive::Archive;
pub use self::bundle::Bundle;
pub use self::git_proxy::Upstream;
pub use self::import::Import;
pub use self::receive::{Incoming, ReceiveLimits};
pub use self::shelf::Place;

/// Bounds of mirrors.
#[derive(Debug, Clone, Copy)]
pub struct MirrorLimits {
    /// Bytes of one mirror on the disk.
    pub most: u64,
    /// Fetches at the same time.
    pub at_once: usize,
    /// Longest fetch or push. A caller cannot ask for more.
    pub longest: Duration,
    pub receive: ReceiveLimits,
}

impl Default for MirrorLimits {
    fn default() -> Self {
        Self {
            most: 2 << 30,
            at_once: 2,
            longest: Duration::from_secs(30 * 60),
            receive: ReceiveLimits::default(),
        }
    }
}

/// Bundles, checks and diffs at the same time.
const BRANCHES_AT_ONCE: usize = 3;
/// Lists of branches at the same time.
const LISTINGS_AT_ONCE: usize = 4;

/// Packs of a mirror before they are merged.
const PACKS: u64 = 20;

/// All mirrors. Cheap to clone.
#[derive(Clone)]
pub struct Mirrors {
    shared: Arc<Shared>,
}

struct Shared {
    shelves: Shelves,
    http_client: HttpClient,
    limits: MirrorLimits,
    room: Semaphore,
    /// Apart from fetches, which wait for hosts.
    branches: Semaphore,
    /// Apart from fetches, because a person waits for a list.
    listings: Semaphore,
}

impl Mirrors {
    /// The mirrors below a folder.
    pub fn new(folder: PathBuf, http_client: HttpClient, limits: MirrorLimits) -> Self {
        Self {
            shared: Arc::new(Shared {
                shelves: Shelves::new(folder),
                http_client,
                limits,
                room: Semaphore::new(limits.at_once),
                branches: Semaphore::new(BRANCHES_AT_ONCE),
                listings: Semaphore::new(LISTINGS_AT_ONCE),
            }),
        }
    }

    /// Reserves a mirror: nobody else can change it, and deleting its credential waits for this.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`] for an invalid name, [`FaultCode::Busy`] while another fetch runs.
    pub async fn reserve(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        self.shared.shelves.reserve(name, mirror).await
    }

    /// Reserves a mirror that exists, to add a received branch; waits for others.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::UnknownCommit`] without a mirror.
    pub async fn change(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        self.shared.shelves.change(name, mirror).await
    }

    /// Keeps a mirror that exists as it is; waits while it changes.
    ///
    /// # Errors
    /// As for [`change`](Self::change).
    pub async fn read(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        self.shared.shelves.read(name, mirror).await
    }

    async fn room_for_branches(&self) -> Result<SemaphorePermit<'_>, Fault> {
        let room = self.shared.branches.acquire().await;
        room.map_err(|_| Fault::new(FaultCode::Stopping, "the broker is stopping"))
    }

    /// Makes or updates the mirror. Aborts when its credential is deleted meanwhile.
    ///
    /// # Errors
    /// The error of the host, git or the disk. The mirror is unchanged then.
    pub async fn fetch(
        &self,
        place: &Place,
        upstream: Upstream,
        head: Option<&str>,
        deadline: Option<Duration>,
        progress: &watch::Sender<Fetching>,
    ) -> Result<Mirror, Fault> {
        let longest = self.shared.limits.longest;
        let deadline = Instant::now() + deadline.unwrap_or(longest).min(longest);
        let fetching = timeout_at(
            deadline,
            self.fetched(place, upstream, head, deadline, progress),
        );
        tokio::select! {
            done = fetching => done.unwrap_or_else(|_| {
                Err(Fault::new(FaultCode::RemoteTimeout, "the repository could not be fetched before the deadline"))
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
        progress: &watch::Sender<Fetching>,
    ) -> Result<Mirror, Fault> {
        let Shared {
            room,
            limits,
            http_client,
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
                progress.send_replace(waiting);
                let room = room.acquire().await;
                room.map_err(|_| Fault::new(FaultCode::Stopping, "the broker is stopping"))?
            }
        };
        let path = place.path();
        prepare(path).await.map_err(|error| unkept(&error))?;
        let git = || Git::new(path, limits.most);
        // A no-op on a complete mirror. It completes a mirror whose creation was killed.
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
        let proxy = GitProxy::open(
            upstream,
            http_client.clone(),
            limits.most - there,
            deadline,
            Passing::Read,
        )
        .await
        .map_err(|error| unkept(&error))?;
        let on_line = |line: &str| {
            if let Some(Line::Progress(phase, percent)) = progress::read(line) {
                progress.send_replace(Fetching {
                    phase,
                    percent,
                    bytes: proxy.bytes(),
                });
            }
        };
        let url = proxy.url();
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
        let asking = git().with("http.extraHeader", &proxy.pass());
        if let Err(error) = asking.run(&fetch, on_line).await {
            return Err(proxy.fault().unwrap_or_else(|| unfetched(&error, &proxy)));
        }
        let bytes = proxy.bytes();
        drop(proxy);
        if shelf::packs(path).await > PACKS {
            progress.send_replace(Fetching {
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

    /// Deletes one mirror; returns whether there was one.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::Busy`], [`FaultCode::StoreFailed`].
    pub async fn forget(&self, name: &RecordName, mirror: &str) -> Result<bool, Fault> {
        let place = self.reserve(name, mirror).await?;
        shelf::remove(place.path())
            .await
            .map_err(|error| unkept(&error))
    }

    /// Ends a credential's fetches and deletes its mirrors. `gone` runs before new fetches are allowed.
    ///
    /// # Errors
    /// [`FaultCode::StoreFailed`]; `gone` does not run then.
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

    /// Removes mirrors without a credential: after a restore, or after a crash between two effects.
    ///
    /// # Errors
    /// The file system's error.
    pub async fn sweep(&self, names: &[RecordName]) -> std::io::Result<()> {
        self.shared.shelves.sweep(names).await
    }
}

/// What mirrors need and this machine lacks, in words for the operator.
pub async fn missing() -> Option<String> {
    let git = Git::new(Path::new("/nonexistent"), u64::MAX);
    let error = git.run(&["--version"], |_| {}).await.err()?;
    Some(format!(
        "mirrors of repositories are not available: {error}"
    ))
}

/// Prepares the folder: removes what a killed fetch left. No other fetch can hold a lock in it now.
async fn prepare(path: &Path) -> std::io::Result<()> {
    let path = path.to_owned();
    shelf::blocking(move || {
        disk::make_private_folder(&path)?;
        shelf::remove_leftovers(&path)?;
        full::check_room(&path)
    })
    .await
}

/// Reads the mirror's state and points `HEAD` to the wanted branch where it exists.
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
        // `HEAD` names a branch that does not exist.
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
        "the repository is larger than a mirror may be; the operator can raise the limit with `broker.mirror_mib`",
    )
}

fn unkept(error: &std::io::Error) -> Fault {
    if full::is_full_disk(error) {
        return full::no_room();
    }
    Fault::new(
        FaultCode::StoreFailed,
        format!(
            "the mirror cannot be stored: {}; check that the disk has room",
            chain(error)
        ),
    )
}

/// A failure of git itself. It holds no text of a remote.
fn failed(error: &GitError) -> Fault {
    tracing::warn!(error = %chain(error), "git failed");
    if full::is_full(error) {
        return full::no_room();
    }
    Fault::new(FaultCode::GitFailed, bounded(&chain(error)))
}

/// A failed fetch without an error at the proxy: git's last lines, which may come from the host.
fn unfetched(error: &GitError, proxy: &GitProxy) -> Fault {
    match error {
        full if full::is_full(full) => failed(full),
        GitError::Failed { said, status } if said.is_empty() => Fault::new(
            FaultCode::GitFailed,
            format!("git failed without a message ({status})"),
        ),
        GitError::Failed { said, .. } => {
            Fault::new(FaultCode::GitFailed, bounded(&proxy.text(&said.join("; "))))
        }
        other => failed(other),
    }
}

/// Removes control characters, which a host may send, and shortens the text.
fn bounded(text: &str) -> String {
    text.chars()
        .filter(|char| !char.is_control())
        .take(500)
        .collect()
}
