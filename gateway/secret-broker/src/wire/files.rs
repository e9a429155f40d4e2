//! Uploaded files on their way to the broker: a repository with one commit, and a commit's files on their way back.
//!
//! The body of a `git_import` is a sequence of entries: kind (1 byte), length of the path (2 bytes), size (8 bytes, both
//! big-endian), the path, the content.

use bytes::{Buf, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use super::record::RecordName;

/// Longest path of an entry, bytes.
pub const LONGEST_PATH: usize = 1024;
const FIXED: usize = 11;

/// Files to keep as a repository. It must not exist yet. Its entries follow as body frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitImport {
    pub name: RecordName,
    pub mirror: String,
    /// The person behind the request, for the audit log.
    pub on_behalf: String,
}

/// A repository with one commit on the branch `main`. Equal files have equal commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub commit: String,
    /// Size on the broker's disk.
    pub bytes: u64,
}

/// A commit of a mirror whose files are packed as tar. The bytes follow the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitArchive {
    pub name: RecordName,
    pub mirror: String,
    pub commit: String,
    /// Most bytes of the archive.
    pub most: u64,
    pub on_behalf: String,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Executable,
    /// A symbolic link; its content is the target.
    Link,
    /// The same file as an earlier entry; its content is that entry's path.
    SameAs,
}

/// The beginning of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryHead {
    pub kind: EntryKind,
    pub path: Vec<u8>,
    pub size: u64,
}

impl EntryHead {
    /// The bytes of the head. A path over [`LONGEST_PATH`] has none.
    pub fn encode(&self) -> Option<Bytes> {
        let kind = match self.kind {
            EntryKind::File => 0,
            EntryKind::Executable => 1,
            EntryKind::Link => 2,
            EntryKind::SameAs => 3,
        };
        if self.path.len() > LONGEST_PATH {
            return None;
        }
        let length = u16::try_from(self.path.len()).ok()?;
        let mut bytes = Vec::with_capacity(FIXED + self.path.len());
        bytes.push(kind);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&self.size.to_be_bytes());
        bytes.extend_from_slice(&self.path);
        Some(bytes.into())
    }
}

/// A part of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryPart {
    Head(EntryHead),
    /// The next bytes of the content; `true` with the last ones. An entry without content has one empty piece.
    Content(Bytes, bool),
}

/// Reads entries from pieces of any size.
#[derive(Debug, Default)]
pub struct EntryReader {
    bytes: BytesMut,
    /// Bytes of the content that did not come yet; `None` between two entries.
    left: Option<u64>,
}

impl EntryReader {
    /// Takes a piece of the body.
    pub fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// The next part that is complete.
    ///
    /// # Errors
    /// Why the bytes are not an entry.
    pub fn next_part(&mut self) -> Result<Option<EntryPart>, &'static str> {
        let Some(left) = self.left else {
            return Ok(self.head()?.map(EntryPart::Head));
        };
        if left > 0 && self.bytes.is_empty() {
            return Ok(None);
        }
        let length =
            usize::try_from(left).map_or(self.bytes.len(), |left| left.min(self.bytes.len()));
        let piece = self.bytes.split_to(length).freeze();
        let left = left - length as u64;
        self.left = (left > 0).then_some(left);
        Ok(Some(EntryPart::Content(piece, left == 0)))
    }

    fn head(&mut self) -> Result<Option<EntryHead>, &'static str> {
        let Some(fixed) = self.bytes.first_chunk::<FIXED>() else {
            return Ok(None);
        };
        let mut fixed = &fixed[..];
        let kind = match fixed.get_u8() {
            0 => EntryKind::File,
            1 => EntryKind::Executable,
            2 => EntryKind::Link,
            3 => EntryKind::SameAs,
            _ => return Err("an entry has an unknown kind"),
        };
        let length = usize::from(fixed.get_u16());
        let size = fixed.get_u64();
        if length > LONGEST_PATH {
            return Err("an entry has a path that is too long");
        }
        if !matches!(kind, EntryKind::File | EntryKind::Executable) && size > LONGEST_PATH as u64 {
            return Err("an entry has a link that is too long");
        }
        if self.bytes.len() < FIXED + length {
            return Ok(None);
        }
        self.bytes.advance(FIXED);
        let path = self.bytes.split_to(length).to_vec();
        self.left = Some(size);
        Ok(Some(EntryHead { kind, path, size }))
    }

    /// Whether nothing is left of an entry that began.
    pub fn is_between(&self) -> bool {
        self.bytes.is_empty() && self.left.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], step: usize) -> Vec<(EntryHead, Vec<u8>)> {
        let mut reader = EntryReader::default();
        let mut all: Vec<(EntryHead, Vec<u8>)> = Vec::new();
        for piece in bytes.chunks(step) {
            reader.add(piece);
            while let Some(part) = reader.next_part().unwrap() {
                match part {
                    EntryPart::Head(head) => all.push((head, Vec::new())),
                    EntryPart::Content(piece, _) => all.last_mut().unwrap().1.extend(piece),
                }
            }
        }
        assert!(reader.is_between());
        all
    }

    #[test]
    fn entries_are_the_same_for_each_size_of_pieces() {
        let entry = |kind, path: &str, content: &str| EntryHead {
            kind,
            path: path.as_bytes().to_vec(),
            size: content.len() as u64,
        };
        let sent = [
            (entry(EntryKind::File, "a", "one"), "one"),
            (entry(EntryKind::Executable, "b/c", ""), ""),
            (entry(EntryKind::Link, "d", "a"), "a"),
        ];
        let mut bytes = Vec::new();
        for (head, content) in &sent {
            bytes.extend(head.encode().unwrap());
            bytes.extend(content.as_bytes());
        }
        let wanted: Vec<_> = sent
            .iter()
            .map(|(head, content)| (head.clone(), content.as_bytes().to_vec()))
            .collect();
        for step in [1, 2, 5, 1000] {
            assert_eq!(read(&bytes, step), wanted);
        }
    }

    #[test]
    fn unknown_kind_and_long_path_are_refused() {
        let mut reader = EntryReader::default();
        reader.add(&[9; FIXED]);
        assert!(reader.next_part().is_err());
        let mut reader = EntryReader::default();
        reader.add(&[0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(reader.next_part().is_err());
    }
}
