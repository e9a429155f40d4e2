//! The workspace as an archive: streamed out of a sandbox and into one, stored by its content.
mod shelf;
mod store;

use std::path::Path;

use roost_protocol::ids::AgentId;
use roost_protocol::report::ArchiveFacts;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, ReadBuf};

use crate::error::DriverError;
use crate::exec::{Command, Ran, Sink};
use crate::link::GuestLink;
use crate::policy::GUEST;
pub use store::ArchiveStore;
pub(crate) use store::Partial;

/// Bytes for headers and padding beside the content.
const HEADERS: u64 = 64 << 20;
/// How long archiving may take, milliseconds.
const DEADLINE_MS: u64 = 30 * 60 * 1000;

/// The digest in an archive's file name.
pub(crate) fn digest_of(path: &Path) -> Result<String, DriverError> {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .filter(|stem| store::is_digest(stem))
        .map(str::to_owned)
        .ok_or_else(|| {
            DriverError::Archive(format!("{} is not named <sha256>.tar", path.display()))
        })
}

/// Streams the workspace out of a sandbox and stores it for an agent.
pub(crate) async fn store(
    link: &GuestLink,
    store: &ArchiveStore,
    agent: AgentId,
    workspace_bytes: u64,
) -> Result<ArchiveFacts, DriverError> {
    let most = workspace_bytes + HEADERS;
    let mut partial = store.begin().await?;
    let mut command = Command::of(GUEST, &["archive-out", &workspace_bytes.to_string()]);
    command.deadline_ms = DEADLINE_MS;
    let ran = link
        .run_with(
            command,
            tokio::io::empty(),
            false,
            Sink::Archive(&mut partial, most),
        )
        .await?;
    succeeded("archive-out", &ran)?;
    if !ran.errors.is_empty() {
        let skipped = roost_protocol::text::clean(&String::from_utf8_lossy(&ran.errors), 2000);
        tracing::warn!(sandbox = %link.sandbox(), skipped, "some files of the workspace cannot be archived");
    }
    partial.finish(agent).await
}

/// Streams an archive into a sandbox. The content is hashed on the way and must match the file's name.
pub(crate) async fn restore(
    link: &GuestLink,
    path: &Path,
    digest: &str,
) -> Result<(), DriverError> {
    let file = tokio::fs::File::open(path)
        .await
        .map_err(|source| DriverError::file("cannot open the archive", path, source))?;
    let mut hashed = Hashed {
        inner: tokio::io::BufReader::with_capacity(256 * 1024, file),
        hash: Sha256::new(),
    };
    let mut command = Command::of(GUEST, &["archive-in"]);
    command.deadline_ms = DEADLINE_MS;
    let ran = link
        .run_with(command, &mut hashed, true, Sink::Nowhere)
        .await?;
    succeeded("archive-in", &ran)?;
    let got = hex::encode(hashed.hash.finalize());
    if got != digest {
        return Err(DriverError::Archive(format!(
            "{} has the digest {got}: it was damaged on disk, use an older archive",
            path.display()
        )));
    }
    // Only now: if this process dies before this line, the next provision makes the sandbox again.
    let ran = link
        .run(Command::of(GUEST, &["mark-restored", digest]))
        .await?;
    succeeded("mark-restored", &ran)
}

/// The archive of which this sandbox was made, if it was restored completely.
pub(crate) async fn restored(link: &GuestLink) -> Result<Option<String>, DriverError> {
    let ran = link.run(Command::of(GUEST, &["restored"])).await?;
    let text = String::from_utf8_lossy(&ran.output).trim().to_owned();
    Ok(store::is_digest(&text).then_some(text))
}

pub(crate) fn succeeded(program: &'static str, ran: &Ran) -> Result<(), DriverError> {
    if ran.code == 0 {
        return Ok(());
    }
    Err(DriverError::CommandFailed {
        program,
        code: ran.code,
        detail: roost_protocol::text::clean(&String::from_utf8_lossy(&ran.errors), 1000),
    })
}

/// Hashes everything that is read through it.
struct Hashed<R> {
    inner: R,
    hash: Sha256,
}

impl<R: AsyncRead + Unpin> AsyncRead for Hashed<R> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        let polled = std::pin::Pin::new(&mut self.inner).poll_read(cx, buf);
        if polled.is_ready() {
            self.hash.update(&buf.filled()[before..]);
        }
        polled
    }
}
