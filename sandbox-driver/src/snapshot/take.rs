//! Takes a snapshot of a running sandbox's workspace.
use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use roost_protocol::guest::listing::{KNOWN_LISTING, Listed, ListedKind, ReadStatus, UNCHANGED};
use roost_protocol::sandbox::SandboxFacts;
use roost_protocol::snapshot::Stored;
use roost_snapshot::build::{self, Added, BuildError, Builder, Content};
use roost_snapshot::packs::Packs;
use roost_snapshot::tree::MOST_ENTRIES;
use roost_snapshot::{Address, Entry, Node, Root, Tenant};
use tokio_util::io::SyncIoBridge;

use super::seen::Seen;
use super::store::{Limited, SnapshotStore};
use crate::error::DriverError;
use crate::exec::{Command, Ran, Sink};
use crate::link::GuestLink;
use crate::policy::GUEST;

/// How long listing and reading may take, milliseconds.
const DEADLINE_MS: u64 = 30 * 60 * 1000;
/// Largest listing, bytes: that of about 300,000 files.
const MOST_LISTING: usize = 64 << 20;
/// The exit code of a tool that the kernel ended, because the sandbox has no memory left.
const OUT_OF_MEMORY: i32 = 128 + 9;
/// Bytes between the guest and the builder.
const PIPE: usize = 512 * 1024;

/// A listing of a workspace.
pub struct Listing {
    pub entries: Vec<Listed>,
    pub left_out: Vec<String>,
    pub hash: blake3::Hash,
}

/// Lists a workspace of at most `budget` bytes. `None` when the list has the hash `known`.
///
/// # Errors
/// [`DriverError::GuestOld`] for a guest of a version without snapshots; see also [`GuestLink::run`].
pub async fn list(
    link: &GuestLink,
    budget: u64,
    known: Option<blake3::Hash>,
) -> Result<Option<Listing>, DriverError> {
    let mut bytes = Vec::new();
    let mut command = Command::of(GUEST, &["snapshot-list", &budget.to_string()]);
    command.deadline_ms = DEADLINE_MS;
    if let Some(known) = known {
        let hash = known.to_hex().to_string();
        command.env.insert(KNOWN_LISTING.to_owned(), hash);
    }
    let sink = Sink::Whole(&mut bytes, MOST_LISTING);
    let ran = link
        .run_with(command, tokio::io::empty(), false, sink)
        .await?;
    let told = String::from_utf8_lossy(&ran.errors);
    if is_unknown(&ran) {
        return Err(DriverError::GuestOld(link.sandbox()));
    }
    if ran.code == OUT_OF_MEMORY {
        let many = "more files than its memory can list".to_owned();
        return Err(DriverError::TooManyFiles(many));
    }
    crate::archive::succeeded("snapshot-list", &ran)?;
    let malformed = |error: rmp_serde::decode::Error| {
        DriverError::Archive(format!("the guest's list of files cannot be read: {error}"))
    };
    if known.is_some() && bytes == [UNCHANGED] {
        return Ok(None);
    }
    let mut hash = blake3::Hasher::new();
    let hash = hash.update(&bytes).update(told.as_bytes()).finalize();
    if known == Some(hash) {
        // A long list, or a guest of an older version.
        return Ok(None);
    }
    let (mut entries, mut rest) = (Vec::new(), bytes.as_slice());
    while !rest.is_empty() {
        entries.push(rmp_serde::from_read(&mut rest).map_err(malformed)?);
    }
    if entries.len() > MOST_ENTRIES {
        // Before anything of it is read.
        return Err(DriverError::TooManyFiles(entries.len().to_string()));
    }
    let line =
        |line: &str| roost_protocol::text::clean(line, roost_protocol::limits::MAX_SHORT_TEXT);
    Ok(Some(Listing {
        entries,
        left_out: told.lines().map(line).collect(),
        hash,
    }))
}

/// Whether the guest is of a version that does not know the tool.
pub fn is_unknown(ran: &Ran) -> bool {
    ran.code != 0 && String::from_utf8_lossy(&ran.errors).contains("usage: roost-guest")
}

/// Takes a snapshot and records it. An unchanged workspace gives the snapshot of before. The flag says whether the
/// snapshot is a new one.
///
/// # Errors
/// [`DriverError`]; the snapshots of before are unchanged.
pub async fn take(
    link: &GuestLink,
    store: &SnapshotStore,
    facts: &SandboxFacts,
) -> Result<(Stored, bool), DriverError> {
    let seen = store.seen(facts.sandbox);
    let mut seen = seen.lock().await;
    let _no_sweep = store.in_use().await;
    let before = store.latest(facts.agent);
    let known = before.as_ref().and(seen.listing);
    let listing = match (
        list(link, facts.limits.workspace_bytes, known).await?,
        before.clone(),
    ) {
        (Some(listing), _) => listing,
        (None, Some(before)) => return Ok((before, false)),
        // Only a known list can be unchanged.
        (None, None) => return Err(DriverError::Archive("the guest sent no list".to_owned())),
    };
    let hash = listing.hash;
    let known = Arc::new(std::mem::take(&mut *seen));
    let built = match build(link, store, facts, listing, &known).await {
        Ok(built) => built,
        Err(error) => {
            // What was seen stays, so that the next attempt reads only what changed: a full disk may fail many.
            *seen = Arc::into_inner(known).unwrap_or_default();
            return Err(error);
        }
    };
    *seen = built.seen;
    if let Some(before) = before
        && before.digest == built.digest.to_string()
        && before.sandbox == facts.sandbox
    {
        seen.listing = built.settled.then_some(hash);
        return Ok((before, false));
    }
    let stored = Stored {
        sandbox: facts.sandbox,
        workspace: facts.workspace,
        agent: facts.agent,
        digest: built.digest.to_string(),
        files: built.root.files,
        bytes: built.root.bytes,
        taken_at_s: 0,
        left_out: built.root.left_out,
    };
    let stored = store.record(stored).await?;
    // Only now: a snapshot that was not recorded is taken again.
    seen.listing = built.settled.then_some(hash);
    Ok((stored, true))
}

/// A snapshot whose pack is on the disk, before its record is written.
struct Built {
    digest: Address,
    root: Root,
    seen: Seen,
    /// No file changed while it was read.
    settled: bool,
}

async fn build(
    link: &GuestLink,
    store: &SnapshotStore,
    facts: &SandboxFacts,
    listing: Listing,
    before: &Arc<Seen>,
) -> Result<Built, DriverError> {
    let plan = Plan::of(listing.entries, before, store.packs());
    let before = Arc::clone(before);
    let asked = plan.request();
    let writer = store.begin().await?;
    let (tenant, left_out) = (super::tenant(facts.workspace), listing.left_out);
    let (mut into, from) = tokio::io::duplex(PIPE);
    let building = tokio::task::spawn_blocking(move || {
        let from = SyncIoBridge::new(from);
        plan.build(&tenant, writer, &before, left_out, from)
    });
    let read = if asked.is_empty() {
        Ok(())
    } else {
        let mut command = Command::of(GUEST, &["snapshot-read"]);
        command.deadline_ms = DEADLINE_MS;
        let ran = link
            .run_with(command, asked.as_slice(), true, Sink::Pipe(&mut into))
            .await;
        ran.and_then(|ran| crate::archive::succeeded("snapshot-read", &ran))
    };
    drop(into);
    let built = building
        .await
        .map_err(|error| DriverError::Archive(format!("taking a snapshot failed: {error}")))?;
    match (built, read) {
        (Ok(built), Ok(())) => Ok(built),
        // The builder got an end of file because the guest failed.
        (Err(BuildError::Io(error)), Err(read)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(read)
        }
        (Ok(_), Err(read)) => Err(read),
        (Err(error), _) => Err(store.build_error(error)),
    }
}

/// The entries of a snapshot, with what must be read.
struct Plan(Vec<Step>);

struct Step {
    listed: Listed,
    source: Source,
}

enum Source {
    /// A folder or a link.
    Nothing,
    /// The content of the last snapshot.
    Before(Content),
    /// The guest reads it.
    Read,
    /// Another name of the file at this place of the plan.
    SameAs(usize),
}

impl Plan {
    fn of(entries: Vec<Listed>, before: &Seen, packs: &Packs) -> Self {
        // A sweep or a damage may have taken the chunks of an unchanged file: then it is read again.
        let is_here =
            |content: &&Content| content.extents.iter().all(|part| packs.has(&part.chunk));
        let mut first: HashMap<u64, usize> = HashMap::new();
        let steps = entries.into_iter().enumerate().map(|(at, listed)| {
            let source = if listed.kind != ListedKind::File {
                Source::Nothing
            } else if let Some(same) = listed
                .linked
                .then(|| *first.entry(listed.inode).or_insert(at))
                .filter(|same| *same != at)
            {
                Source::SameAs(same)
            } else if let Some(content) = before.unchanged(&listed).filter(is_here) {
                Source::Before(content.clone())
            } else {
                Source::Read
            };
            Step { listed, source }
        });
        Self(steps.collect())
    }

    /// The paths to read, as the guest wants them.
    fn request(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for step in &self.0 {
            if matches!(step.source, Source::Read) {
                let length = u32::try_from(step.listed.path.len()).unwrap_or(u32::MAX);
                bytes.extend_from_slice(&length.to_le_bytes());
                bytes.extend_from_slice(&step.listed.path);
            }
        }
        bytes
    }

    fn build(
        self,
        tenant: &Tenant,
        mut writer: Limited,
        before: &Seen,
        mut left_out: Vec<String>,
        mut from: impl Read,
    ) -> Result<Built, BuildError> {
        let mut builder = Builder::new(tenant, &mut writer, before.known());
        let mut read: HashMap<usize, (Added, ReadStatus)> = HashMap::new();
        for (at, step) in self.0.iter().enumerate() {
            if matches!(step.source, Source::Read) {
                let mut file = OneFile::new(&mut from);
                let added = builder.file(&mut file)?;
                read.insert(at, (added, file.status()?));
            }
        }
        let files = builder.close()?;
        let (mut entries, mut seen, mut settled) = (Vec::new(), Seen::default(), true);
        let mut kept: Vec<bool> = Vec::with_capacity(self.0.len());
        let mut paths: Vec<Vec<u8>> = Vec::with_capacity(self.0.len());
        for (at, step) in self.0.into_iter().enumerate() {
            let Step { listed, source } = step;
            let node = match source {
                Source::Nothing if listed.kind == ListedKind::Link => Some(Node::Link {
                    target: listed.target.clone(),
                }),
                Source::Nothing => Some(Node::Folder),
                Source::Before(content) => {
                    let node = file_node(&content);
                    seen.add(&listed, content);
                    Some(node)
                }
                Source::Read => match read.get(&at) {
                    Some((added, status)) if *status != ReadStatus::Unreadable => {
                        let content = files.content(*added).clone();
                        let node = file_node(&content);
                        if *status == ReadStatus::Whole && content.size == listed.size {
                            seen.add(&listed, content);
                        } else {
                            // The next snapshot reads it again.
                            settled = false;
                        }
                        Some(node)
                    }
                    _ => {
                        settled = false;
                        None
                    }
                },
                Source::SameAs(first) if kept[first] => Some(Node::SameFile {
                    first: paths[first].clone(),
                }),
                Source::SameAs(_) => None,
            };
            kept.push(node.is_some());
            paths.push(listed.path.clone());
            match node {
                Some(node) => entries.push(Entry {
                    path: listed.path,
                    mode: listed.mode,
                    mtime_ns: listed.mtime_ns,
                    node,
                }),
                None => left_out.push(format!(
                    "{}: it could not be read",
                    String::from_utf8_lossy(&listed.path)
                )),
            }
        }
        let (digest, root) = build::close_tree(tenant, &mut writer, &entries, left_out)?;
        writer.finish()?;
        Ok(Built {
            digest,
            root,
            seen,
            settled,
        })
    }
}

fn file_node(content: &Content) -> Node {
    Node::File {
        size: content.size,
        content: content.extents.clone(),
    }
}

/// The bytes of one file in the guest's answer.
struct OneFile<R> {
    from: R,
    /// Bytes left of the present block.
    block: usize,
    status: Option<ReadStatus>,
}

impl<R: Read> OneFile<R> {
    fn new(from: R) -> Self {
        Self {
            from,
            block: 0,
            status: None,
        }
    }

    /// How the reading ended. Discards what was not read.
    fn status(mut self) -> io::Result<ReadStatus> {
        io::copy(&mut self, &mut io::sink())?;
        self.status
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl<R: Read> Read for OneFile<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.status.is_some() || buffer.is_empty() {
            return Ok(0);
        }
        if self.block == 0 {
            let mut length = [0; 4];
            self.from.read_exact(&mut length)?;
            self.block = u32::from_le_bytes(length) as usize;
            if self.block == 0 {
                let mut status = [0];
                self.from.read_exact(&mut status)?;
                self.status = Some(ReadStatus::of_byte(status[0]));
                return Ok(0);
            }
        }
        let most = buffer.len().min(self.block);
        let got = self.from.read(&mut buffer[..most])?;
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.block -= got;
        Ok(got)
    }
}
