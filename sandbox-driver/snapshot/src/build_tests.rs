//! Contents of every size read back, and a change stores little.
use std::collections::HashMap;

use super::*;
use crate::chunk::decode;

#[derive(Default)]
struct Memory {
    chunks: HashMap<Address, Vec<u8>>,
    written: usize,
}

impl Store for Memory {
    fn has(&self, address: &Address) -> bool {
        self.chunks.contains_key(address)
    }

    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        self.written += stored.len();
        self.chunks.insert(address, stored.to_vec());
        Ok(())
    }
}

fn tenant() -> Tenant {
    Tenant::of(uuid::Uuid::from_u128(7))
}

/// Bytes that do not compress and do not repeat.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut reader = blake3::Hasher::new()
        .update(&seed.to_le_bytes())
        .finalize_xof();
    let mut bytes = vec![0; length];
    reader.fill(&mut bytes);
    bytes
}

fn add(store: &mut Memory, known: &mut Known, contents: &[Vec<u8>]) -> Vec<Content> {
    let tenant = tenant();
    let snapshot = known.clone();
    let mut builder = Builder::new(&tenant, store, &snapshot);
    let added: Vec<Added> = contents
        .iter()
        .map(|content| builder.file(content.as_slice()).unwrap())
        .collect();
    let files = builder.close().unwrap();
    for file in &files.0 {
        if let Some(whole) = file.whole {
            known.insert(whole, file.extents.clone());
        }
    }
    added
        .into_iter()
        .map(|file| files.content(file).clone())
        .collect()
}

fn read(store: &Memory, content: &Content) -> Vec<u8> {
    let parts = content.extents.iter().flat_map(|part| {
        let chunk = decode(&tenant(), part.chunk, &store.chunks[&part.chunk]).unwrap();
        let from = part.offset as usize;
        chunk[from..from + part.length as usize].to_vec()
    });
    parts.collect()
}

#[test]
fn contents_of_every_size_read_back() {
    let (mut store, mut known) = Default::default();
    let sizes = [
        0,
        1,
        4096,
        SMALL - 1,
        SMALL,
        SMALL + 1,
        SHARED,
        3 * chunk::MOST + 5,
    ];
    let contents: Vec<Vec<u8>> = (0..).zip(sizes).map(|(n, size)| noise(n, size)).collect();
    let stored = add(&mut store, &mut known, &contents);
    for (content, stored) in contents.iter().zip(&stored) {
        assert_eq!(stored.size, content.len() as u64);
        assert!(read(&store, stored) == *content);
    }
}

#[test]
fn small_files_share_chunks() {
    let (mut store, mut known) = Default::default();
    let contents: Vec<Vec<u8>> = (0..1000).map(|n| noise(n, 4096)).collect();
    add(&mut store, &mut known, &contents);
    assert!(store.chunks.len() <= 9, "{}", store.chunks.len());
}

#[test]
fn small_file_that_is_known_is_stored_once() {
    let (mut store, mut known) = Default::default();
    let contents: Vec<Vec<u8>> = (0..100).map(|n| noise(n, 4096)).collect();
    add(&mut store, &mut known, &contents);
    let before = store.written;
    add(&mut store, &mut known, &contents[40..60]);
    assert_eq!(store.written, before);
    // A chunk that was removed meanwhile is not relied on.
    store.chunks.clear();
    let again = add(&mut store, &mut known, &contents[40..41]);
    assert!(read(&store, &again[0]) == contents[40]);
}

#[test]
fn change_in_a_large_file_stores_little() {
    let (mut store, mut known) = Default::default();
    let mut content = noise(1, 20 << 20);
    add(&mut store, &mut known, &[content.clone()]);
    let before = store.written;
    // A byte is inserted: everything after it moves.
    content.insert(5 << 20, 9);
    let changed = add(&mut store, &mut known, &[content.clone()]);
    assert!(
        store.written - before <= 2 << 20,
        "{}",
        store.written - before
    );
    assert!(read(&store, &changed[0]) == content);
}

#[test]
fn change_of_one_entry_stores_a_small_part_of_the_tree() {
    let mut store = Memory::default();
    let mut entries: Vec<Entry> = (0..10_000)
        .map(|n| Entry {
            path: format!("file-{n:05}").into_bytes(),
            mode: 0o644,
            mtime_ns: n,
            node: Node::File {
                size: 10,
                content: vec![Extent {
                    chunk: tenant().address(&n.to_le_bytes()),
                    offset: 0,
                    length: 10,
                }],
            },
        })
        .collect();
    let (first, root) = close_tree(&tenant(), &mut store, &entries, Vec::new()).unwrap();
    assert_eq!((root.files, root.bytes), (10_000, 100_000));
    let whole = store.written;
    let (again, _) = close_tree(&tenant(), &mut store, &entries, Vec::new()).unwrap();
    assert_eq!((again, store.written), (first, whole));
    entries[5000].mtime_ns += 1;
    let (other, _) = close_tree(&tenant(), &mut store, &entries, Vec::new()).unwrap();
    assert_ne!(other, first);
    assert!(
        store.written - whole < whole / 10,
        "{} of {whole}",
        store.written - whole
    );
}
