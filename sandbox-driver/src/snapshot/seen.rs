//! What the last snapshot of a sandbox saw. A file with the same facts is not read again.
use std::collections::HashMap;

use roost_protocol::guest::listing::{Listed, ListedKind};
use roost_snapshot::build::{Content, Known};
use roost_snapshot::{Entry, Node};

/// The facts of one listing.
#[derive(Debug, Default)]
pub struct Seen {
    /// The hash of the last listing; `None` when the next snapshot must look at the entries again.
    pub listing: Option<blake3::Hash>,
    files: HashMap<Vec<u8>, File>,
    known: Known,
}

#[derive(Debug)]
struct File {
    size: u64,
    mtime_ns: i64,
    ctime_ns: i64,
    inode: u64,
    content: Content,
}

impl Seen {
    /// The content of a file that has not changed since.
    pub fn unchanged(&self, listed: &Listed) -> Option<&Content> {
        let file = self.files.get(&listed.path)?;
        let same = (file.size, file.mtime_ns, file.ctime_ns, file.inode)
            == (listed.size, listed.mtime_ns, listed.ctime_ns, listed.inode);
        same.then_some(&file.content)
    }

    /// The small contents that the last snapshot contains.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Records the content of a file.
    pub fn add(&mut self, listed: &Listed, content: Content) {
        if let Some(whole) = content.whole {
            self.known.insert(whole, content.extents.clone());
        }
        let file = File {
            size: listed.size,
            mtime_ns: listed.mtime_ns,
            ctime_ns: listed.ctime_ns,
            inode: listed.inode,
            content,
        };
        self.files.insert(listed.path.clone(), file);
    }

    /// What a workspace holds that was just restored from a tree: no command has run in it yet, so each file has the
    /// content of the tree.
    pub fn restored(tree: &[Entry], listing: &[Listed]) -> Self {
        let contents: HashMap<&[u8], &Entry> = tree
            .iter()
            .map(|entry| (entry.path.as_slice(), entry))
            .collect();
        let mut seen = Self::default();
        for listed in listing {
            if listed.kind != ListedKind::File {
                continue;
            }
            let Some(entry) = contents.get(listed.path.as_slice()) else {
                continue;
            };
            if let Node::File { size, content } = &entry.node
                && (*size, entry.mtime_ns) == (listed.size, listed.mtime_ns)
            {
                let content = Content {
                    size: *size,
                    extents: content.clone(),
                    whole: None,
                };
                seen.add(listed, content);
            }
        }
        seen
    }
}
