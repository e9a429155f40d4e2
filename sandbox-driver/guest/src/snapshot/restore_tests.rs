//! Records restore a workspace exactly, and hostile ones change nothing outside.
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

use super::*;

const FACTS: EntryFacts = EntryFacts {
    mode: 0o640,
    mtime_ns: 1_500_000_000_123_456_789,
};

fn root(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("roost-restore-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn write(root: &Path, records: &[Restoring]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for record in records {
        rmp_serde::encode::write(&mut bytes, record).unwrap();
    }
    restore(root, bytes.as_slice())
}

fn folder(path: &str) -> Restoring {
    let path = path.into();
    Restoring::Folder { path }
}

fn chunk(content: &[u8], packed: bool) -> Restoring {
    let bytes = match packed {
        true => zstd::bulk::compress(content, 1).unwrap(),
        false => content.to_vec(),
    };
    Restoring::Chunk {
        length: content.len() as u32,
        packed,
        bytes,
    }
}

fn piece(path: &str, first: bool, at: u64, part: (u32, u32), last: bool) -> Restoring {
    Restoring::Piece {
        path: path.into(),
        first,
        at,
        offset: part.0,
        length: part.1,
        facts: last.then_some(FACTS),
    }
}

fn whole(path: &str, length: u32) -> Restoring {
    piece(path, true, 0, (0, length), true)
}

fn link(path: &str, target: &str) -> Restoring {
    Restoring::Link {
        path: path.into(),
        target: target.into(),
        mtime_ns: FACTS.mtime_ns,
    }
}

fn time_of(path: &Path) -> i64 {
    let meta = fs::symlink_metadata(path).unwrap();
    meta.mtime() * 1_000_000_000 + meta.mtime_nsec()
}

#[test]
fn everything_is_restored_as_it_was() {
    let root = root("whole");
    let settled = EntryFacts {
        mode: 0o555,
        mtime_ns: -1_500_000_000,
    };
    let settle = |path: &str| Restoring::Settle {
        path: path.into(),
        facts: settled,
    };
    let records = [
        folder("a"),
        folder("a/b"),
        chunk(b"0123456789", true),
        whole("a/b/digits", 10),
        // A file whose middle comes first, and whose neighbour comes between.
        piece("large", true, 5, (2, 3), false),
        whole("near", 1),
        chunk(b"abcde", false),
        piece("large", false, 0, (0, 5), false),
        piece("large", false, 8, (4, 1), true),
        whole("empty", 0),
        link("py", "/usr/bin/python3"),
        Restoring::SameFile {
            path: "same".into(),
            first: "a/b/digits".into(),
        },
        settle("a/b"),
        settle("a"),
        Restoring::End,
    ];
    write(&root, &records).unwrap();
    assert_eq!(fs::read(root.join("a/b/digits")).unwrap(), b"0123456789");
    assert_eq!(fs::read(root.join("large")).unwrap(), b"abcde234e");
    assert_eq!(fs::read(root.join("near")).unwrap(), b"0");
    assert_eq!(fs::read(root.join("empty")).unwrap(), b"");
    let target = fs::read_link(root.join("py")).unwrap();
    assert_eq!(target, PathBuf::from("/usr/bin/python3"));
    let inode = |path: &str| fs::metadata(root.join(path)).unwrap().ino();
    assert_eq!(inode("same"), inode("a/b/digits"));
    for file in ["a/b/digits", "large", "near", "empty"] {
        let meta = fs::metadata(root.join(file)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o7777, 0o640, "{file}");
        assert_eq!(time_of(&root.join(file)), FACTS.mtime_ns, "{file}");
    }
    assert_eq!(time_of(&root.join("py")), FACTS.mtime_ns);
    for folder in ["a", "a/b"] {
        let meta = fs::metadata(root.join(folder)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o7777, 0o555, "{folder}");
        assert_eq!(time_of(&root.join(folder)), settled.mtime_ns, "{folder}");
    }
}

#[test]
fn stream_without_its_end_is_an_error_wherever_it_is_cut() {
    let records = [
        chunk(b"0123456789", true),
        whole("file", 10),
        Restoring::End,
    ];
    let mut bytes = Vec::new();
    for record in &records {
        rmp_serde::encode::write(&mut bytes, record).unwrap();
    }
    for cut in 0..bytes.len() {
        let root = root("cut");
        let error = restore(&root, &bytes[..cut]).unwrap_err();
        assert!(error.to_string().contains("cut off"), "{cut}: {error}");
    }
}

#[test]
fn nothing_is_written_outside_or_through_a_link() {
    let outside = root("outside");
    fs::write(outside.join("precious"), "precious").unwrap();
    let away = outside.to_str().unwrap();
    let escapes: Vec<Vec<Restoring>> = vec![
        vec![whole("../x", 1)],
        vec![whole("/x", 1)],
        vec![whole("a/../../x", 1)],
        vec![whole("", 1)],
        vec![whole("..", 1)],
        vec![folder("../x")],
        vec![folder("/tmp/roost-x")],
        vec![link("../x", "y")],
        vec![link("l", away), whole("l/x", 1)],
        vec![link("l", away), folder("l"), folder("l/x")],
        vec![link("l", away), link("l/x", "y")],
        vec![link("l", "precious-link"), whole("l", 1)],
        vec![link("l", away), piece("l/precious", false, 0, (0, 1), true)],
        vec![Restoring::SameFile {
            path: "same".into(),
            first: "../outside/precious".into(),
        }],
        vec![
            link("l", away),
            Restoring::Settle {
                path: "l".into(),
                facts: FACTS,
            },
        ],
    ];
    let mode = fs::metadata(&outside).unwrap().permissions().mode();
    for (at, escape) in escapes.into_iter().enumerate() {
        let root = root("inside");
        let records = [vec![chunk(b"x", false)], escape, vec![Restoring::End]].concat();
        assert!(write(&root, &records).is_err(), "{at}");
        let names: Vec<_> = fs::read_dir(&outside).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{at}");
        assert_eq!(fs::read(outside.join("precious")).unwrap(), b"precious");
        let now = fs::metadata(&outside).unwrap().permissions().mode();
        assert_eq!(now, mode, "{at}");
    }
    // A folder of this name that is a link elsewhere is never used.
    let root = root("planted");
    symlink(&outside, root.join("a")).unwrap();
    let records = [
        folder("a"),
        chunk(b"x", false),
        whole("a/x", 1),
        Restoring::End,
    ];
    assert!(write(&root, &records).is_err());
    assert!(!outside.join("x").exists());
}

#[test]
fn lying_chunk_or_piece_is_refused() {
    let lie = |length, packed, bytes: &[u8]| Restoring::Chunk {
        length,
        packed,
        bytes: bytes.to_vec(),
    };
    let packed = zstd::bulk::compress(&[7; 4096], 1).unwrap();
    let most = MOST_CHUNK as u32;
    for chunk in [
        lie(2, false, b"x"),
        lie(4095, true, &packed),
        lie(4097, true, &packed),
        lie(10, true, b"not zstd"),
        lie(most + 1, true, &packed),
        lie(u32::MAX, false, b"x"),
    ] {
        let root = root("lie");
        assert!(write(&root, &[chunk, whole("f", 1), Restoring::End]).is_err());
    }
    let root = root("beyond");
    for part in [(0, 3), (2, 1), (u32::MAX, u32::MAX)] {
        let records = [chunk(b"xy", false), piece("f", true, 0, part, true)];
        assert!(write(&root, &records).is_err(), "{part:?}");
        fs::remove_file(root.join("f")).unwrap();
    }
}

#[test]
fn file_that_exists_is_not_changed() {
    let root = root("exists");
    fs::write(root.join("file"), "kept").unwrap();
    let records = [chunk(b"x", false), whole("file", 1), Restoring::End];
    let error = write(&root, &records).unwrap_err();
    assert!(error.to_string().starts_with("file: "), "{error}");
    assert_eq!(fs::read(root.join("file")).unwrap(), b"kept");
}
