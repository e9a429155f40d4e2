//! Packs survive restarts, dead writers and damage.
use super::*;

fn tenant() -> Tenant {
    Tenant::of(uuid::Uuid::from_u128(3))
}

fn store(packs: &Packs, contents: &[&[u8]]) -> Vec<Address> {
    let mut writer = packs.begin().unwrap();
    for content in contents {
        let address = tenant().address(content);
        writer.put(address, &chunk::encode(content)).unwrap();
    }
    let addresses = writer.addresses();
    writer.finish().unwrap();
    addresses
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn chunks_are_found_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let addresses = store(&packs, &[b"one", b"two", b""]);
    let more = store(&packs, &[b"three"]);
    let packs = Packs::open(folder.path()).unwrap();
    let read = |address: &Address| packs.content(&tenant(), *address).unwrap();
    let contents: Vec<Vec<u8>> = addresses.iter().chain(&more).map(read).collect();
    assert_eq!(contents, [&b"one"[..], b"two", b"", b"three"]);
    // A pack after the restart does not overwrite an earlier one.
    store(&packs, &[b"four"]);
    assert_eq!(files(folder.path()), 3);
}

#[test]
fn pack_of_a_dead_writer_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let mut writer = packs.begin().unwrap();
    let address = tenant().address(b"half");
    writer.put(address, &chunk::encode(b"half")).unwrap();
    // The process dies here: nothing of the writer runs.
    std::fs::copy(&writer.path, folder.path().join(".partial-99")).unwrap();
    drop(writer);
    assert!(!packs.has(&address));
    let packs = Packs::open(folder.path()).unwrap();
    assert!(!packs.has(&address));
    assert_eq!(files(folder.path()), 0);
}

#[test]
fn pack_that_is_cut_off_keeps_its_complete_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let addresses = store(&packs, &[b"one", b"two"]);
    let path = packs.path(1);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    assert_eq!(packs.content(&tenant(), addresses[0]).unwrap(), b"one");
    assert!(!packs.has(&addresses[1]));
}

#[test]
fn chunk_that_changed_on_disk_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let address = store(&packs, &[b"one"])[0];
    let path = packs.path(1);
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let refused = packs.content(&tenant(), address);
    assert!(matches!(refused, Err(PackError::Chunk(_))));
}

#[test]
fn only_needed_chunks_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let packs = Packs::open(folder.path()).unwrap();
    let large = [vec![1; 100], vec![2; 100], vec![3; 100], vec![4; 100]].map(|mut bytes| {
        // Each compresses to about the same length.
        bytes.push(0);
        bytes
    });
    let large: Vec<&[u8]> = large.iter().map(Vec::as_slice).collect();
    let first = store(&packs, &large);
    let second = store(&packs, &[b"unneeded"]);
    let third = store(&packs, &[b"needed"]);
    let needed: HashSet<Address> = [first[0], third[0]].into();
    assert!(packs.keep(&needed).unwrap() > 0);
    for packs in [packs.clone(), Packs::open(folder.path()).unwrap()] {
        assert_eq!(packs.content(&tenant(), first[0]).unwrap(), large[0]);
        assert!(packs.has(&third[0]));
        assert!(!packs.has(&first[1]) && !packs.has(&second[0]));
    }
    packs.keep(&HashSet::new()).unwrap();
    assert_eq!((packs.bytes(), files(folder.path())), (0, 0));
}
