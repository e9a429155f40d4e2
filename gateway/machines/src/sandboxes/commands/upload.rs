//! Puts files of a person into a sandbox: `tar` unpacks the archive there while it arrives, and what is whole is moved into
//! its folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt;
use roost_protocol::operation::Purpose;
use roost_protocol::output::StreamName;
use roost_protocol::report::{Ended, ErrorKind, Outcome};
use roost_protocol::text::clean;

use super::{cancel, exec, output, stdin};
use crate::fleet::operations::{OutputItem, Part};
use crate::sandboxes::dto::{NewExec, Worker};
use crate::sandboxes::{SandboxError, SandboxOwner, SandboxesHandle, Starter, persons_command};
use roost_platform::ids::{OperationId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// Unpacks stdin. The first argument is the folder, the second one what happens to files that exist.
const UNPACK: &str = include_str!("unpack.sh");
/// Most bytes of an archive.
pub const MOST_UPLOAD: u64 = 512 << 20;
/// How long the unpacking may take, seconds.
const DEADLINE_S: u64 = 3_600;
/// Bytes of a piece for the sandbox.
const PIECE: usize = 32 << 10;
/// Bytes of error output that people see.
const MOST_COMPLAINT: usize = 1_000;

/// What a person puts into a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// The folder, relative to the workspace.
    pub folder: String,
    /// Replace files that exist.
    pub replace: bool,
}

/// Where an upload went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploaded {
    pub id: OperationId,
    pub folder: String,
    pub bytes: u64,
}

/// The folder below the workspace; `None` when it is elsewhere.
fn below(folder: &str) -> Option<String> {
    let inside = folder.strip_prefix("/workspace").unwrap_or(folder);
    if inside.starts_with('/') && inside == folder {
        return None;
    }
    let parts: Vec<&str> = inside
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let is_plain = !parts.contains(&"..") && !inside.chars().any(char::is_control);
    is_plain.then(|| {
        let parts = std::iter::once("/workspace").chain(parts);
        parts.collect::<Vec<_>>().join("/")
    })
}

/// Unpacks the archive of the body. Files that exist stay, except with `replace`.
///
/// # Errors
/// [`SandboxError::BadFolder`], [`SandboxError::UploadTooLarge`], [`SandboxError::UploadBrokeOff`],
/// [`SandboxError::UploadNoRoom`], [`SandboxError::NotUnpacked`], and those of a command.
pub async fn upload(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    owner: SandboxOwner,
    put: Put,
    body: Body,
) -> Result<Uploaded, SandboxError> {
    let folder = below(&put.folder).ok_or(SandboxError::BadFolder)?;
    let how = if put.replace { "replace" } else { "keep" };
    let argv = ["sh", "-c", UNPACK, "upload", &folder, how];
    let wanted = NewExec {
        argv: argv.map(str::to_owned).to_vec(),
        cwd: Some("/".to_owned()),
        env: BTreeMap::new(),
        stdin: None,
        tty: None,
        deadline_s: Some(DEADLINE_S),
        purpose: Some(Purpose::new(persons_command::UPLOAD, Some(&folder))),
        worker: Worker::default(),
    };
    let id = OperationId(sandboxes.ids.next());
    let starter = Starter::Person(user);
    let id = exec(sandboxes, scope, owner, id, wanted, true, starter).await?;
    let sent = sent(sandboxes, scope, owner, id, body).await;
    let bytes = match sent {
        Ok(bytes) => bytes,
        Err(error) => {
            // Half of an archive is no archive, and nothing of it was moved into the folder.
            let stopped = cancel(sandboxes, scope, owner, id).await;
            if let Err(error) = stopped {
                let error: &dyn std::error::Error = &error;
                tracing::info!(error, operation = %id, "the gateway cannot stop an upload; it ends at its deadline");
            }
            return Err(error);
        }
    };
    let (ended, complaint) = end_of(sandboxes, scope, owner, id).await?;
    match ended.outcome {
        Outcome::Exited { code: 0 } => Ok(Uploaded { id, folder, bytes }),
        Outcome::Exited { .. } if is_full(&complaint) => Err(SandboxError::UploadNoRoom),
        Outcome::Exited { .. } => Err(SandboxError::NotUnpacked(complaint)),
        Outcome::Error { error } if error.kind == ErrorKind::NotStarted => {
            let no_tar = "its image has no sh; choose an image with sh and tar";
            Err(SandboxError::NotUnpacked(no_tar.to_owned()))
        }
        Outcome::Error { error } => Err(SandboxError::Refused(error)),
        _ => Err(SandboxError::NotUnpacked("it was stopped".to_owned())),
    }
}

/// Whether the workspace had no room, in the words of GNU's and BusyBox's programs.
fn is_full(complaint: &str) -> bool {
    let mut lines = complaint.lines().map(str::trim_end);
    lines.any(|line| {
        line.ends_with(": No space left on device")
            || line.contains(": Wrote only ") && line.ends_with(" bytes")
    })
}

/// Sends the body to the command's stdin. A command that ended does not read it; its end says why.
async fn sent(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    body: Body,
) -> Result<u64, SandboxError> {
    let (mut body, mut bytes, mut offset) = (body.into_data_stream(), 0_u64, 0_u64);
    let mut is_read = true;
    while let Some(piece) = body.next().await {
        let mut piece = piece.map_err(SandboxError::UploadBrokeOff)?;
        bytes += piece.len() as u64;
        if bytes > MOST_UPLOAD {
            return Err(SandboxError::UploadTooLarge(MOST_UPLOAD));
        }
        while is_read && !piece.is_empty() {
            let part = piece.split_to(piece.len().min(PIECE));
            match stdin(sandboxes, scope, owner, id, offset, part, false).await {
                Ok(next) => offset = next,
                Err(_) => is_read = false,
            }
        }
    }
    if is_read {
        // The end says why it is not read.
        let _ = stdin(sandboxes, scope, owner, id, offset, Bytes::new(), true).await;
    }
    Ok(bytes)
}

/// The end of the command, with what it complained about.
async fn end_of(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
) -> Result<(Ended, String), SandboxError> {
    let mut stream = output(sandboxes, scope, owner, id, 0).await?;
    let mut complaint = Vec::new();
    loop {
        match stream.next().await {
            Some(OutputItem::Part(Part::Data {
                stream: StreamName::Stderr,
                data,
                ..
            })) if complaint.len() < MOST_COMPLAINT => complaint.extend_from_slice(&data),
            Some(OutputItem::Part(_)) => {}
            Some(OutputItem::Ended(ended)) => {
                let text = String::from_utf8_lossy(&complaint);
                return Ok((
                    Arc::unwrap_or_clone(ended),
                    clean(text.trim(), MOST_COMPLAINT),
                ));
            }
            None => return Err(SandboxError::TooSlow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_workspace_is_told_from_other_complaints() {
        for full in [
            "mkdir: can't create directory '/workspace/a': No space left on device\n",
            "tar: write error: No space left on device",
            "tar: n/a: Cannot write: No space left on device\ntar: Exiting with failure status",
            "tar: n/big: Wrote only 7168 of 10240 bytes\ntar: Exiting with failure status",
        ] {
            assert!(is_full(full), "{full}");
        }
        for other in ["", "tar: short read", "tar: a: Permission denied"] {
            assert!(!is_full(other), "{other}");
        }
    }

    #[test]
    fn folder_stays_below_the_workspace() {
        assert_eq!(below("").as_deref(), Some("/workspace"));
        assert_eq!(below("./src").as_deref(), Some("/workspace/src"));
        assert_eq!(below("/workspace/a//b").as_deref(), Some("/workspace/a/b"));
        assert_eq!(below("/workspace").as_deref(), Some("/workspace"));
        for elsewhere in ["../etc", "/etc", "a/../../b", "a\nb"] {
            assert_eq!(below(elsewhere), None, "{elsewhere}");
        }
    }
}
