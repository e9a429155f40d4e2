//! A snapshot as the records that a guest restores; see [`roost_protocol::guest::restoring`].
use std::collections::HashMap;
use std::io::{self, Write};

use roost_protocol::guest::restoring::{EntryFacts, Restoring};
use roost_snapshot::{Address, Entry, Node, chunk};

/// A part of a file, in the order of the chunks.
struct Part {
    /// The file's place among the entries.
    entry: usize,
    /// Where in the file.
    at: u64,
    offset: u32,
    length: u32,
    first: bool,
    last: bool,
}

/// Each chunk once, in the order in which the tree needs it first, with the parts of files that it has.
struct Plan(Vec<(Address, Vec<Part>)>);

impl Plan {
    fn of(entries: &[Entry]) -> Self {
        let (mut places, mut chunks) = (HashMap::new(), Vec::<(Address, Vec<Part>)>::new());
        let mut left: HashMap<usize, usize> = HashMap::new();
        for (entry, node) in entries.iter().map(|entry| &entry.node).enumerate() {
            let Node::File { content, .. } = node else {
                continue;
            };
            let mut at = 0;
            for extent in content {
                let place = *places.entry(extent.chunk).or_insert_with(|| {
                    chunks.push((extent.chunk, Vec::new()));
                    chunks.len() - 1
                });
                chunks[place].1.push(Part {
                    entry,
                    at,
                    offset: extent.offset,
                    length: extent.length,
                    first: false,
                    last: false,
                });
                at += u64::from(extent.length);
            }
            left.insert(entry, content.len());
        }
        let mut begun = vec![false; entries.len()];
        for part in chunks.iter_mut().flat_map(|(_, parts)| parts) {
            part.first = !std::mem::replace(&mut begun[part.entry], true);
            if let Some(left) = left.get_mut(&part.entry) {
                *left -= 1;
                part.last = *left == 0;
            }
        }
        Self(chunks)
    }
}

/// Writes a snapshot. `stored` gives the stored form of a chunk that was checked against its address.
///
/// # Errors
/// When a chunk cannot be had or does not fit the tree, or the output cannot be written.
pub fn write(
    entries: &[Entry],
    out: impl Write,
    mut stored: impl FnMut(Address) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let mut out = Records(io::BufWriter::with_capacity(256 * 1024, out));
    for entry in entries.iter().filter(|entry| entry.node == Node::Folder) {
        let path = entry.path.clone();
        out.put(&Restoring::Folder { path })?;
    }
    for (address, parts) in Plan::of(entries).0 {
        let length = out.chunk(address, &stored(address)?)?;
        for part in parts {
            if u64::from(part.offset) + u64::from(part.length) > u64::from(length) {
                let why = format!("the chunk {address} is shorter than the tree says");
                return Err(io::Error::other(why));
            }
            let entry = &entries[part.entry];
            out.put(&Restoring::Piece {
                path: entry.path.clone(),
                first: part.first,
                at: part.at,
                offset: part.offset,
                length: part.length,
                facts: part.last.then(|| facts(entry)),
            })?;
        }
    }
    for entry in entries {
        let path = entry.path.clone();
        match &entry.node {
            Node::File { content, .. } if content.is_empty() => out.put(&Restoring::Piece {
                path,
                first: true,
                at: 0,
                offset: 0,
                length: 0,
                facts: Some(facts(entry)),
            })?,
            Node::Link { target } => out.put(&Restoring::Link {
                path,
                target: target.clone(),
                mtime_ns: entry.mtime_ns,
            })?,
            Node::SameFile { first } => out.put(&Restoring::SameFile {
                path,
                first: first.clone(),
            })?,
            Node::File { .. } | Node::Folder => {}
        }
    }
    // Deepest first: what is put into a folder changes its time.
    for entry in entries.iter().rev() {
        if entry.node == Node::Folder {
            out.put(&Restoring::Settle {
                path: entry.path.clone(),
                facts: facts(entry),
            })?;
        }
    }
    out.put(&Restoring::End)?;
    out.0.flush()
}

fn facts(entry: &Entry) -> EntryFacts {
    EntryFacts {
        mode: entry.mode,
        mtime_ns: entry.mtime_ns,
    }
}

struct Records<W: Write>(io::BufWriter<W>);

impl<W: Write> Records<W> {
    fn put(&mut self, record: &Restoring) -> io::Result<()> {
        rmp_serde::encode::write(&mut self.0, record).map_err(|error| match error {
            rmp_serde::encode::Error::InvalidValueWrite(error) => io::Error::from(error),
            other => io::Error::other(other),
        })
    }

    /// Returns the length of the content.
    fn chunk(&mut self, address: Address, stored: &[u8]) -> io::Result<u32> {
        let parts = chunk::parts(stored);
        let parts =
            parts.ok_or_else(|| io::Error::other(format!("the chunk {address}: no form")))?;
        self.put(&Restoring::Chunk {
            length: parts.length,
            packed: parts.packed,
            bytes: parts.body.to_vec(),
        })?;
        Ok(parts.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_snapshot::{Extent, Tenant};

    fn address(content: &[u8]) -> Address {
        Tenant::of(uuid::Uuid::nil()).address(content)
    }

    fn file(path: &str, content: &[(&[u8], u32, u32)]) -> Entry {
        let extents = content.iter().map(|&(content, offset, length)| Extent {
            chunk: address(content),
            offset,
            length,
        });
        let content: Vec<Extent> = extents.collect();
        let size = content.iter().map(|part| u64::from(part.length)).sum();
        let node = Node::File { size, content };
        entry(path, node)
    }

    fn entry(path: &str, node: Node) -> Entry {
        Entry {
            path: path.as_bytes().to_vec(),
            mode: 0o640,
            mtime_ns: 7,
            node,
        }
    }

    fn records(entries: &[Entry], contents: &[&[u8]]) -> io::Result<Vec<Restoring>> {
        let mut bytes = Vec::new();
        write(entries, &mut bytes, |wanted| {
            let mut contents = contents.iter();
            let content = contents.find(|content| address(content) == wanted);
            content
                .map(|content| chunk::encode(content))
                .ok_or_else(|| io::Error::other("it is not here"))
        })?;
        let (mut rest, mut records) = (bytes.as_slice(), Vec::new());
        while !rest.is_empty() {
            records.push(rmp_serde::from_read(&mut rest).unwrap());
        }
        Ok(records)
    }

    #[test]
    fn each_chunk_comes_once_and_each_file_is_made_once_and_settled_once() {
        let (one, other) = (b"one".as_slice(), b"other".as_slice());
        let entries = [
            entry("a", Node::Folder),
            file("a/x", &[(one, 0, 1)]),
            file("b", &[(other, 0, 5), (one, 0, 3), (other, 1, 2)]),
            file("c", &[]),
        ];
        let records = records(&entries, &[one, other]).unwrap();
        let chunks = records
            .iter()
            .filter(|record| matches!(record, Restoring::Chunk { .. }));
        assert_eq!(chunks.count(), 2);
        let pieces: Vec<_> = records
            .iter()
            .filter_map(|record| match record {
                Restoring::Piece {
                    path,
                    first,
                    at,
                    facts,
                    ..
                } => Some((String::from_utf8_lossy(path), *first, *at, facts.is_some())),
                _ => None,
            })
            .collect();
        // The first piece of `b` that comes is its middle: that chunk is needed by `a/x` before.
        let expected = [
            ("a/x", true, 0, true),
            ("b", true, 5, false),
            ("b", false, 0, false),
            ("b", false, 8, true),
            ("c", true, 0, true),
        ];
        let expected: Vec<_> = expected
            .map(|(path, first, at, last)| (path.into(), first, at, last))
            .into();
        assert_eq!(pieces, expected);
        assert!(matches!(records.first(), Some(Restoring::Folder { .. })));
        assert_eq!(records.last(), Some(&Restoring::End));
    }

    #[test]
    fn chunk_that_is_shorter_than_the_tree_says_ends_the_stream() {
        let entries = [file("a", &[(b"one", 1, 3)])];
        let error = records(&entries, &[b"one"]).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
    }
}
