//! What a person sees of a snapshot: a folder, the bytes of a file, and what differs between two. Pure, but for
//! [`content`].
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::Stream;
use roost_snapshot::diff::{self, Kind};
use roost_snapshot::{Entry, Extent, Node};

use super::chunks::{ChunkStore, ChunkStoreError};
use super::dto::{Difference, FileChange, FileEntry, FileKind};
use roost_platform::ids::WorkspaceId;

/// Most entries of one folder, and most differences, in one answer.
pub const MOST: usize = 5_000;

/// Why a path names nothing that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    Missing,
    NotAFolder,
    NotAFile,
}

fn find<'a>(entries: &'a [Entry], path: &[u8]) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.path == path)
}

fn parent(path: &[u8]) -> &[u8] {
    let cut = path.iter().rposition(|byte| *byte == b'/');
    cut.map_or(&[], |at| &path[..at])
}

/// A path as people give it, without slashes at its ends.
fn tidy(path: &str) -> &[u8] {
    path.trim_matches('/').as_bytes()
}

/// The entries of a folder; the empty path is the workspace. The flag says that there are more than [`MOST`].
///
/// # Errors
/// [`NotShown`].
pub fn folder(entries: &[Entry], path: &str) -> Result<(Vec<FileEntry>, bool), NotShown> {
    let path = tidy(path);
    if !path.is_empty() {
        let entry = find(entries, path).ok_or(NotShown::Missing)?;
        if entry.node != Node::Folder {
            return Err(NotShown::NotAFolder);
        }
    }
    let mut inside = entries.iter().filter(|entry| parent(&entry.path) == path);
    let listed = inside.by_ref().take(MOST);
    let listed = listed.map(|entry| listed_entry(entries, entry)).collect();
    Ok((listed, inside.next().is_some()))
}

fn listed_entry(all: &[Entry], entry: &Entry) -> FileEntry {
    let name = match parent(&entry.path) {
        [] => entry.path.as_slice(),
        above => &entry.path[above.len() + 1..],
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (kind, bytes, target) = match &entry.node {
        Node::Folder => (FileKind::Folder, None, None),
        Node::Link { target } => (FileKind::Link, None, Some(text(target))),
        Node::File { size, .. } => (FileKind::File, Some(*size), None),
        Node::SameFile { first } => (FileKind::File, find(all, first).and_then(size), None),
    };
    FileEntry {
        name: text(name),
        kind,
        bytes,
        mode: format!("{:04o}", entry.mode),
        modified_at: moment(entry.mtime_ns),
        target,
    }
}

fn size(entry: &Entry) -> Option<u64> {
    match &entry.node {
        Node::File { size, .. } => Some(*size),
        _ => None,
    }
}

fn moment(ns: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(ns)
}

/// Size and content of a file.
///
/// # Errors
/// [`NotShown`].
pub fn file(entries: &[Entry], path: &str) -> Result<(u64, Vec<Extent>), NotShown> {
    let mut entry = find(entries, tidy(path)).ok_or(NotShown::Missing)?;
    if let Node::SameFile { first } = &entry.node {
        entry = find(entries, first).ok_or(NotShown::Missing)?;
    }
    match &entry.node {
        Node::File { size, content } => Ok((*size, content.clone())),
        _ => Err(NotShown::NotAFile),
    }
}

/// What differs from one snapshot to another. The flag says that there is more than [`MOST`].
pub fn differences(before: &[Entry], after: &[Entry]) -> (Vec<FileChange>, bool) {
    let changes = diff::changes(before, after);
    let shown = changes.iter().take(MOST).map(|change| FileChange {
        path: String::from_utf8_lossy(change.path()).into_owned(),
        difference: match change.kind {
            Kind::Added => Difference::Added,
            Kind::Removed => Difference::Removed,
            Kind::Changed => Difference::Changed,
        },
        bytes_before: change.before.and_then(size),
        bytes_after: change.after.and_then(size),
    });
    (shown.collect(), changes.len() > MOST)
}

/// Why the bytes of a file end early.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    #[error(transparent)]
    Store(#[from] ChunkStoreError),
    #[error("a chunk of the file is not in the store any more")]
    Lost,
}

/// The bytes of a file, chunk by chunk.
pub fn content(
    chunks: ChunkStore,
    workspace: WorkspaceId,
    extents: Vec<Extent>,
) -> impl Stream<Item = Result<Bytes, ContentError>> {
    let rest = extents.into_iter();
    futures::stream::try_unfold((chunks, rest), move |(chunks, mut rest)| async move {
        let Some(extent) = rest.next() else {
            return Ok(None);
        };
        let read = chunks.read(workspace, extent.chunk).await?;
        let (_, content) = read.ok_or(ContentError::Lost)?;
        let from = extent.offset as usize;
        let to = from.saturating_add(extent.length as usize);
        let part = content.get(from..to).ok_or(ContentError::Lost)?;
        Ok(Some((Bytes::copy_from_slice(part), (chunks, rest))))
    })
}

#[cfg(test)]
mod tests {
    use roost_snapshot::Tenant;

    use super::*;

    fn entry(path: &str, node: Node) -> Entry {
        Entry {
            path: path.as_bytes().to_vec(),
            mode: 0o644,
            mtime_ns: 1_500_000_000,
            node,
        }
    }

    fn of_size(size: u32) -> Node {
        let chunk = Tenant::of(uuid::Uuid::nil()).address(b"");
        let part = Extent {
            chunk,
            offset: 0,
            length: size,
        };
        Node::File {
            size: size.into(),
            content: vec![part],
        }
    }

    fn tree() -> Vec<Entry> {
        let link = Node::Link {
            target: b"src/main.rs".to_vec(),
        };
        let same = Node::SameFile {
            first: b"src/main.rs".to_vec(),
        };
        vec![
            entry("near", link),
            entry("src", Node::Folder),
            entry("src/deep", Node::Folder),
            entry("src/deep/a", of_size(1)),
            entry("src/main.rs", of_size(3)),
            entry("twin", same),
        ]
    }

    fn names(path: &str) -> Result<Vec<String>, NotShown> {
        let (listed, more) = folder(&tree(), path)?;
        assert!(!more);
        Ok(listed.into_iter().map(|entry| entry.name).collect())
    }

    #[test]
    fn folder_lists_what_is_directly_in_it() {
        assert_eq!(names("").unwrap(), ["near", "src", "twin"]);
        assert_eq!(names("/src/").unwrap(), ["deep", "main.rs"]);
        assert_eq!(names("src/deep").unwrap(), ["a"]);
        assert_eq!(names("gone"), Err(NotShown::Missing));
        assert_eq!(names("src/main.rs"), Err(NotShown::NotAFolder));
        let (listed, _) = folder(&tree(), "").unwrap();
        assert_eq!(listed[0].target.as_deref(), Some("src/main.rs"));
        assert_eq!((listed[2].kind, listed[2].bytes), (FileKind::File, Some(3)));
        assert_eq!(listed[0].mode, "0644");
    }

    #[test]
    fn file_is_found_by_each_of_its_names() {
        assert_eq!(file(&tree(), "src/main.rs").unwrap().0, 3);
        assert_eq!(file(&tree(), "twin").unwrap().0, 3);
        assert_eq!(file(&tree(), "src"), Err(NotShown::NotAFile));
        assert_eq!(file(&tree(), "near"), Err(NotShown::NotAFile));
        assert_eq!(file(&tree(), "../src"), Err(NotShown::Missing));
    }

    #[test]
    fn differences_are_told_with_their_sizes() {
        let mut after = tree();
        after[3] = entry("src/deep/a", of_size(9));
        after.remove(0);
        let (changes, more) = differences(&tree(), &after);
        let told: Vec<_> = changes
            .iter()
            .map(|change| (change.path.as_str(), change.difference))
            .collect();
        assert_eq!(
            told,
            [
                ("near", Difference::Removed),
                ("src/deep/a", Difference::Changed)
            ]
        );
        assert_eq!(changes[1].bytes_before, Some(1));
        assert_eq!(changes[1].bytes_after, Some(9));
        assert!(!more);
    }
}
