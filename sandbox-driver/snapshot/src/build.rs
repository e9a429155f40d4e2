//! Builds a snapshot: contents go in, chunks and a root come out.
//!
//! A small file would be a chunk of a few hundred bytes, and a workspace has ten thousand of them. So small files share a
//! chunk, and an entry names its part. A file that did not change keeps its extents, whatever its neighbours do.
use std::collections::HashMap;
use std::io::{self, Read};

use fastcdc::v2020::{FastCDC, StreamCDC};

use crate::address::{Address, Tenant};
use crate::chunk;
use crate::root::{Root, RootError};
use crate::tree::{self, Entry, Extent, Node, TreeError};

/// Smaller files share a chunk, bytes.
const SMALL: usize = 64 * 1024;
/// A shared chunk is closed when the next file would make it larger, bytes.
const SHARED: usize = 512 * 1024;
/// Sizes of the chunks of larger files: least, average, most.
const FILE_CUTS: (u32, u32, u32) = (64 * 1024, 256 * 1024, chunk::MOST as u32);
/// Sizes of the chunks of a tree. They are small: a change in one folder should store little.
const TREE_CUTS: (u32, u32, u32) = (4 * 1024, 16 * 1024, 64 * 1024);

/// Where chunks are kept.
pub trait Store {
    fn has(&self, address: &Address) -> bool;
    /// Keeps the stored form of a chunk.
    ///
    /// # Errors
    /// When it cannot be written.
    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()>;
}

/// Why a snapshot cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("a file cannot be read or stored: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Root(#[from] RootError),
}

/// Contents of small files that a store has, by the address of the whole content: a file that was moved or touched is
/// stored once.
pub type Known = HashMap<Address, Vec<Extent>>;

/// A file that was added. Its extents are known after [`Builder::close`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added(usize);

/// The extents of an added file.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub size: u64,
    pub extents: Vec<Extent>,
    /// The address of the whole content, if the file is small.
    pub whole: Option<Address>,
}

/// Takes contents of files and stores their chunks.
pub struct Builder<'a, S> {
    tenant: &'a Tenant,
    store: &'a mut S,
    known: &'a Known,
    files: Vec<Content>,
    /// The shared chunk that is being filled, and the files in it.
    shared: Vec<u8>,
    sharing: Vec<usize>,
}

impl<'a, S: Store> Builder<'a, S> {
    pub fn new(tenant: &'a Tenant, store: &'a mut S, known: &'a Known) -> Self {
        Self {
            tenant,
            store,
            known,
            files: Vec::new(),
            shared: Vec::new(),
            sharing: Vec::new(),
        }
    }

    /// Adds the content of a file.
    ///
    /// # Errors
    /// When the content cannot be read, or a chunk cannot be stored.
    pub fn file(&mut self, mut content: impl Read) -> io::Result<Added> {
        let mut head = Vec::new();
        content.by_ref().take(SMALL as u64).read_to_end(&mut head)?;
        let added = Added(self.files.len());
        let file = if head.len() < SMALL {
            self.small(added.0, &head)?
        } else {
            self.large(io::Cursor::new(head).chain(content))?
        };
        self.files.push(file);
        Ok(added)
    }

    fn small(&mut self, file: usize, content: &[u8]) -> io::Result<Content> {
        let whole = self.tenant.address(content);
        let size = content.len() as u64;
        if content.is_empty() {
            return Ok(Content::default());
        }
        let known = self.known.get(&whole).filter(|extents| {
            let mut chunks = extents.iter().map(|part| &part.chunk);
            chunks.all(|chunk| self.store.has(chunk))
        });
        if let Some(extents) = known {
            let (extents, whole) = (extents.clone(), Some(whole));
            return Ok(Content {
                size,
                extents,
                whole,
            });
        }
        if self.shared.len() + content.len() > SHARED {
            self.close_shared()?;
        }
        let part = Extent {
            // The address is known when the chunk is closed.
            chunk: whole,
            offset: u32::try_from(self.shared.len()).unwrap_or(u32::MAX),
            length: u32::try_from(content.len()).unwrap_or(u32::MAX),
        };
        self.shared.extend_from_slice(content);
        self.sharing.push(file);
        Ok(Content {
            size,
            extents: vec![part],
            whole: Some(whole),
        })
    }

    fn large(&mut self, content: impl Read) -> io::Result<Content> {
        let mut file = Content::default();
        let (least, average, most) = FILE_CUTS;
        for cut in StreamCDC::new(content, least, average, most) {
            let data = cut.map_err(io::Error::from)?.data;
            let chunk = put(self.tenant, self.store, &data)?;
            let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
            file.size += u64::from(length);
            let offset = 0;
            file.extents.push(Extent {
                chunk,
                offset,
                length,
            });
        }
        Ok(file)
    }

    fn close_shared(&mut self) -> io::Result<()> {
        if self.sharing.is_empty() {
            return Ok(());
        }
        let chunk = put(self.tenant, self.store, &self.shared)?;
        self.shared.clear();
        for file in self.sharing.drain(..) {
            for part in &mut self.files[file].extents {
                part.chunk = chunk;
            }
        }
        Ok(())
    }

    /// Stores the last chunk. Returns the files in the order in which they were added.
    ///
    /// # Errors
    /// When the chunk cannot be stored.
    pub fn close(mut self) -> io::Result<Files> {
        self.close_shared()?;
        Ok(Files(self.files))
    }
}

/// The contents of all added files.
#[derive(Clone, Debug)]
pub struct Files(Vec<Content>);

impl Files {
    pub fn content(&self, added: Added) -> &Content {
        &self.0[added.0]
    }
}

/// Stores the tree and the root over entries that are sorted by [`tree::before`]. Returns the digest and the root.
///
/// # Errors
/// [`BuildError`].
pub fn close_tree(
    tenant: &Tenant,
    store: &mut impl Store,
    entries: &[Entry],
    left_out: Vec<String>,
) -> Result<(Address, Root), BuildError> {
    let bytes = tree::encode(entries)?;
    let (least, average, most) = TREE_CUTS;
    let mut chunks = Vec::new();
    for cut in FastCDC::new(&bytes, least, average, most) {
        chunks.push(put(
            tenant,
            store,
            &bytes[cut.offset..cut.offset + cut.length],
        )?);
    }
    let sizes = entries.iter().filter_map(|entry| match &entry.node {
        Node::File { size, .. } => Some(*size),
        _ => None,
    });
    let (files, total) = sizes.fold((0, 0), |(files, total), size| (files + 1, total + size));
    let root = Root::new(files, total, chunks, left_out);
    let digest = put(tenant, store, &root.encode()?)?;
    Ok((digest, root))
}

fn put(tenant: &Tenant, store: &mut impl Store, content: &[u8]) -> io::Result<Address> {
    let address = tenant.address(content);
    if !store.has(&address) {
        store.put(address, &chunk::encode(content))?;
    }
    Ok(address)
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
