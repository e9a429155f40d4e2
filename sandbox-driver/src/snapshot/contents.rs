//! The content of a snapshot: its root, its tree, and the bytes of its files.
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;

use roost_snapshot::packs::{PackError, Packs};
use roost_snapshot::{Address, Entry, Extent, Node, Root, Tenant, tree};

use crate::error::DriverError;

/// A snapshot whose tree was read and checked.
pub struct Contents {
    packs: Packs,
    pub(super) tenant: Tenant,
    pub root: Root,
    pub entries: Vec<Entry>,
}

impl Contents {
    /// Reads the root and the tree.
    ///
    /// # Errors
    /// [`DriverError::Archive`] when a chunk is missing or damaged.
    pub fn open(packs: &Packs, tenant: &Tenant, digest: Address) -> Result<Self, DriverError> {
        let unusable = |error: &dyn std::fmt::Display| {
            DriverError::Archive(format!(
                "the snapshot {digest} cannot be used: {error}; use an older one"
            ))
        };
        let bytes = packs
            .content(tenant, digest)
            .map_err(|error| unusable(&error))?;
        let root = Root::decode(&bytes).map_err(|error| unusable(&error))?;
        let mut bytes = Vec::new();
        for chunk in &root.tree {
            let part = packs.content(tenant, *chunk);
            bytes.extend(part.map_err(|error| unusable(&error))?);
        }
        let entries = tree::decode(&bytes).map_err(|error| unusable(&error))?;
        Ok(Self {
            packs: packs.clone(),
            tenant: tenant.clone(),
            root,
            entries,
        })
    }

    /// Every chunk that the files need.
    pub fn chunks(&self) -> HashSet<Address> {
        let extents = self.entries.iter().filter_map(|entry| match &entry.node {
            Node::File { content, .. } => Some(content),
            _ => None,
        });
        extents.flatten().map(|extent| extent.chunk).collect()
    }

    /// The chunks that are not on this machine.
    pub fn missing(&self) -> Vec<Address> {
        let chunks = self.chunks().into_iter();
        chunks.filter(|chunk| !self.packs.has(chunk)).collect()
    }

    /// A reader of files. It keeps the last chunk, because small files share one.
    pub fn reader(&self) -> ChunkReader {
        ChunkReader {
            packs: self.packs.clone(),
            tenant: self.tenant.clone(),
            last: None,
        }
    }
}

/// Whether every chunk of a snapshot is here and undamaged. A damaged chunk does not count as here any more.
pub fn check(packs: &Packs, tenant: &Tenant, digest: Address) -> bool {
    let is_bad = |chunk: &Address| packs.content(tenant, *chunk).is_err();
    let Ok(contents) = Contents::open(packs, tenant, digest) else {
        let root = packs.content(tenant, digest).ok();
        let tree = root.and_then(|root| Root::decode(&root).ok());
        let tree = tree.map(|root| root.tree).unwrap_or_default();
        tree.iter()
            .filter(|chunk| is_bad(chunk))
            .for_each(|chunk| packs.discard(chunk));
        // A root that is here has its tree here.
        packs.discard(&digest);
        return false;
    };
    let chunks = contents.chunks();
    let bad: Vec<&Address> = chunks.iter().filter(|chunk| is_bad(chunk)).collect();
    bad.iter().for_each(|chunk| packs.discard(chunk));
    bad.is_empty()
}

/// Reads chunks and keeps the last one.
pub struct ChunkReader {
    packs: Packs,
    tenant: Tenant,
    last: Option<(Address, Arc<Vec<u8>>)>,
}

impl ChunkReader {
    fn chunk(&mut self, address: Address) -> Result<Arc<Vec<u8>>, PackError> {
        if let Some((last, content)) = &self.last
            && *last == address
        {
            return Ok(Arc::clone(content));
        }
        let content = Arc::new(self.packs.content(&self.tenant, address)?);
        self.last = Some((address, Arc::clone(&content)));
        Ok(content)
    }

    /// The bytes of a file.
    pub fn file<'a>(&'a mut self, extents: &'a [Extent]) -> impl Read + 'a {
        FileReader {
            chunks: self,
            extents,
            part: None,
        }
    }
}

struct FileReader<'a> {
    chunks: &'a mut ChunkReader,
    extents: &'a [Extent],
    /// The present chunk, and the range that is left of it.
    part: Option<(Arc<Vec<u8>>, std::ops::Range<usize>)>,
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some((content, range)) = &mut self.part
                && range.start < range.end
            {
                let got = range.len().min(buffer.len());
                buffer[..got].copy_from_slice(&content[range.start..range.start + got]);
                range.start += got;
                return Ok(got);
            }
            let Some((extent, rest)) = self.extents.split_first() else {
                return Ok(0);
            };
            self.extents = rest;
            let content = self.chunks.chunk(extent.chunk).map_err(io::Error::other)?;
            let (from, length) = (extent.offset as usize, extent.length as usize);
            if content.len() < from + length {
                return Err(io::Error::other(format!(
                    "the chunk {} is shorter than the tree says",
                    extent.chunk
                )));
            }
            self.part = Some((content, from..from + length));
        }
    }
}
