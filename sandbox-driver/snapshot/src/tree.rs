//! The tree of a snapshot: its entries, sorted by path, as one sequence of MessagePack values.
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::chunk;

/// Most entries of one snapshot.
pub const MOST_ENTRIES: usize = 250_000;
/// Longest path, and longest target of a link, bytes.
pub const MOST_PATH: usize = 4096;
/// Largest file in a snapshot, bytes.
pub const MOST_FILE: u64 = 1 << 40;

/// One file, folder or link. A path is relative, and its bytes need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// Permission bits, at most `0o777`.
    pub mode: u32,
    /// Time of the last change of the content, nanoseconds since 1970.
    pub mtime_ns: i64,
    pub node: Node,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    Folder,
    File {
        size: u64,
        content: Vec<Extent>,
    },
    /// A symbolic link. Its target is text and is never followed.
    Link {
        #[serde(with = "serde_bytes")]
        target: Vec<u8>,
    },
    /// Another name of a file whose path sorts before this one.
    SameFile {
        #[serde(with = "serde_bytes")]
        first: Vec<u8>,
    },
}

/// A part of a chunk's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    pub chunk: Address,
    pub offset: u32,
    pub length: u32,
}

/// Why a tree is not valid.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("the tree cannot be read")]
    Malformed(#[source] rmp_serde::decode::Error),
    #[error("the tree cannot be written")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error("the tree has more than {MOST_ENTRIES} entries")]
    TooMany,
    #[error("the entry {0:?} has a path that leaves the workspace, or that is too long")]
    Path(String),
    #[error("the entries are not sorted, or one stands twice, at {0:?}")]
    Order(String),
    #[error("the entry {0:?} has no folder above it")]
    NoFolder(String),
    #[error("the content of {0:?} does not fit its size")]
    Content(String),
    #[error("the link {0:?} has no file")]
    NoFile(String),
}

/// Paths sort by their parts, so that a folder stands right before what it contains.
pub fn before(one: &[u8], other: &[u8]) -> std::cmp::Ordering {
    one.split(|byte| *byte == b'/')
        .cmp(other.split(|byte| *byte == b'/'))
}

/// Writes entries that are sorted already.
///
/// # Errors
/// [`TreeError`] when they are not valid: such a tree could not be read.
pub fn encode(entries: &[Entry]) -> Result<Vec<u8>, TreeError> {
    check(entries)?;
    let mut bytes = Vec::with_capacity(entries.len() * 96);
    for entry in entries {
        rmp_serde::encode::write(&mut bytes, entry).map_err(TreeError::Encode)?;
    }
    Ok(bytes)
}

/// Reads a tree and checks it.
///
/// # Errors
/// [`TreeError`]. Nothing of a tree that is not valid is used.
pub fn decode(bytes: &[u8]) -> Result<Vec<Entry>, TreeError> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if entries.len() >= MOST_ENTRIES {
            return Err(TreeError::TooMany);
        }
        entries.push(rmp_serde::from_read(&mut rest).map_err(TreeError::Malformed)?);
    }
    check(&entries)?;
    Ok(entries)
}

fn check(entries: &[Entry]) -> Result<(), TreeError> {
    if entries.len() > MOST_ENTRIES {
        return Err(TreeError::TooMany);
    }
    let mut folders = std::collections::HashSet::new();
    let mut files = std::collections::HashSet::new();
    let mut last: Option<&[u8]> = None;
    for entry in entries {
        let path = entry.path.as_slice();
        if !is_inside(path) {
            return Err(TreeError::Path(shown(path)));
        }
        if last.is_some_and(|last| before(last, path).is_ge()) {
            return Err(TreeError::Order(shown(path)));
        }
        last = Some(path);
        if let Some(above) = above(path)
            && !folders.contains(above)
        {
            return Err(TreeError::NoFolder(shown(path)));
        }
        match &entry.node {
            Node::Folder => {
                folders.insert(path);
            }
            Node::File { size, content } => {
                let total: u64 = content.iter().map(|part| u64::from(part.length)).sum();
                let fits = |part: &Extent| {
                    let end = u64::from(part.offset) + u64::from(part.length);
                    part.length > 0 && end <= chunk::MOST as u64
                };
                if total != *size || *size > MOST_FILE || !content.iter().all(fits) {
                    return Err(TreeError::Content(shown(path)));
                }
                files.insert(path);
            }
            Node::Link { target } if target.is_empty() || target.len() > MOST_PATH => {
                return Err(TreeError::Path(shown(path)));
            }
            Node::Link { .. } => {}
            Node::SameFile { first } if files.contains(first.as_slice()) => {}
            Node::SameFile { .. } => return Err(TreeError::NoFile(shown(path))),
        }
    }
    Ok(())
}

/// Whether a path is relative, has only plain parts, and is not too long.
pub fn is_inside(path: &[u8]) -> bool {
    path.len() <= MOST_PATH
        && !path.contains(&0)
        && path
            .split(|byte| *byte == b'/')
            .all(|part| !matches!(part, b"" | b"." | b".."))
}

fn above(path: &[u8]) -> Option<&[u8]> {
    let slash = path.iter().rposition(|byte| *byte == b'/')?;
    Some(&path[..slash])
}

/// A path for people.
pub fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, node: Node) -> Entry {
        Entry {
            path: path.as_bytes().to_vec(),
            mode: 0o644,
            mtime_ns: 1,
            node,
        }
    }

    fn file(path: &str) -> Entry {
        let content = Vec::new();
        entry(path, Node::File { size: 0, content })
    }

    fn same(path: &str, first: &str) -> Entry {
        let first = first.as_bytes().to_vec();
        entry(path, Node::SameFile { first })
    }

    #[test]
    fn tree_reads_back() {
        let mut odd = file("a/\u{fffd}");
        odd.path = b"a/\xff".to_vec();
        let target = b"/usr/bin/python3".to_vec();
        let entries = vec![
            entry("a", Node::Folder),
            file("a/b"),
            same("a/c", "a/b"),
            odd,
            entry("a-link", Node::Link { target }),
        ];
        assert_eq!(decode(&encode(&entries).unwrap()).unwrap(), entries);
    }

    #[test]
    fn tree_that_could_leave_the_workspace_is_refused() {
        let folder = |path| entry(path, Node::Folder);
        let cases = [
            vec![file("../a")],
            vec![file("/a")],
            vec![file("a\0b")],
            vec![file("a//b")],
            vec![file(&"a".repeat(MOST_PATH + 1))],
            vec![file("a/b")],
            vec![file("b"), file("a")],
            vec![file("a"), file("a")],
            // What a link points to is not a folder of the tree.
            vec![
                entry(
                    "a",
                    Node::Link {
                        target: b"/etc".to_vec(),
                    },
                ),
                file("a/passwd"),
            ],
            vec![folder("a"), same("b", "a")],
            vec![same("a", "b"), file("b")],
        ];
        for case in cases {
            assert!(encode(&case).is_err(), "{case:?}");
        }
    }

    #[test]
    fn content_must_fit_the_size() {
        let chunk = crate::Tenant::of(uuid::Uuid::nil()).address(b"");
        let part = |offset, length| Extent {
            chunk,
            offset,
            length,
        };
        let most = chunk::MOST as u32;
        for (size, content) in [
            (1, vec![]),
            (2, vec![part(0, 1)]),
            (0, vec![part(0, 0)]),
            (1, vec![part(most, 1)]),
        ] {
            assert!(encode(&[entry("a", Node::File { size, content })]).is_err());
        }
    }
}
