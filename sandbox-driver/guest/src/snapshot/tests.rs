//! Listing and reading of a workspace with everything that can be in one.
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use roost_protocol::guest::listing::{Listed, ListedKind, ReadStatus};

use super::*;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("roost-snapshot-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn listed(root: &std::path::Path) -> (Vec<Listed>, Vec<String>) {
    let mut bytes = Vec::new();
    let left_out = list(root, 1 << 20, &mut bytes).unwrap();
    let mut rest = bytes.as_slice();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        entries.push(rmp_serde::from_read(&mut rest).unwrap());
    }
    (entries, left_out)
}

fn paths(entries: &[Listed]) -> Vec<String> {
    let path = |entry: &Listed| String::from_utf8_lossy(&entry.path).into_owned();
    entries.iter().map(path).collect()
}

fn contents(root: &std::path::Path, wanted: &[&[u8]]) -> Vec<(Vec<u8>, ReadStatus)> {
    let mut asked = Vec::new();
    for path in wanted {
        asked.extend_from_slice(&(path.len() as u32).to_le_bytes());
        asked.extend_from_slice(path);
    }
    let mut out = Vec::new();
    read(root, asked.as_slice(), &mut out).unwrap();
    let (mut rest, mut files, mut data) = (out.as_slice(), Vec::new(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 {
            files.push((std::mem::take(&mut data), ReadStatus::of_byte(after[0])));
            rest = &after[1..];
        } else {
            data.extend_from_slice(&after[..length]);
            rest = &after[length..];
        }
    }
    files
}

#[test]
fn entries_are_listed_in_order_with_their_facts() {
    let root = folder("list");
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/file"), b"content").unwrap();
    fs::write(root.join("a.txt"), b"x").unwrap();
    fs::hard_link(root.join("a/file"), root.join("same")).unwrap();
    fs::set_permissions(root.join("a.txt"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("/usr/bin/python3", root.join("python")).unwrap();
    let odd = std::ffi::OsString::from_vec(b"odd-\xff".to_vec());
    fs::write(root.join(&odd), b"odd").unwrap();
    fs::create_dir(root.join(".tmp")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();

    let (entries, left_out) = listed(&root);
    assert!(left_out.is_empty(), "{left_out:?}");
    let found = paths(&entries);
    assert_eq!(found[..3], ["a", "a/file", "a.txt"]);
    assert_eq!(entries.len(), 6, "{found:?}");
    let find = |path: &[u8]| entries.iter().find(|entry| entry.path == path).unwrap();
    assert_eq!(find(b"a.txt").mode, 0o750);
    assert_eq!(find(b"python").target, b"/usr/bin/python3");
    assert_eq!(find(b"python").kind, ListedKind::Link);
    assert_eq!(find(b"same").inode, find(b"a/file").inode);
    assert!(find(b"same").linked && !find(b"a.txt").linked);
    assert_eq!(find(odd.as_bytes()).size, 3);
}

#[test]
fn what_can_be_made_again_and_what_is_named_is_left_out() {
    let root = folder("left-out");
    for path in [
        "web/node_modules/x",
        "target/debug",
        "own/target",
        ".venv/lib",
        "home/.cargo/registry/src",
        "home/.cargo/bin",
        ".pnpm-store/v10",
        "web/.pnpm-store",
        "logs",
    ] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    fs::write(root.join("Cargo.toml"), b"").unwrap();
    fs::write(root.join(".venv/pyvenv.cfg"), b"").unwrap();
    fs::write(root.join(".roostignore"), b"logs/\n*.bin\n!keep.bin\n").unwrap();
    for file in ["logs/a", "big.bin", "keep.bin"] {
        fs::write(root.join(file), b"x").unwrap();
    }
    let (entries, left_out) = listed(&root);
    let found = paths(&entries);
    for kept in [
        "own/target",
        "home/.cargo/bin",
        "web/.pnpm-store",
        "keep.bin",
        ".roostignore",
    ] {
        assert!(found.iter().any(|path| path == kept), "{kept}: {found:?}");
    }
    let mut told = left_out;
    told.sort();
    let again = "it can be made again";
    assert_eq!(
        told,
        [
            format!(".pnpm-store: {again}"),
            format!(".venv: {again}"),
            "big.bin: named in .roostignore".to_owned(),
            format!("home/.cargo/registry: {again}"),
            "logs: named in .roostignore".to_owned(),
            format!("target: {again}"),
            format!("web/node_modules: {again}"),
        ]
    );
}

#[test]
fn pipe_and_oversized_sparse_file_are_left_out_and_named() {
    let root = folder("special");
    let file = fs::File::create(root.join("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let (entries, left_out) = listed(&root);
    assert!(entries.is_empty());
    assert!(left_out[0].starts_with("huge: a sparse file"));
    assert_eq!(left_out[1], "pipe: a pipe");
}

#[test]
fn contents_are_read_and_nothing_outside() {
    let root = folder("read");
    let outside = folder("read-outside");
    fs::write(outside.join("secret"), b"secret").unwrap();
    symlink(&outside, root.join("door")).unwrap();
    symlink(outside.join("secret"), root.join("link")).unwrap();
    let large: Vec<u8> = (0..200_000_u32).map(|n| n as u8).collect();
    fs::write(root.join("large"), &large).unwrap();
    fs::write(root.join("empty"), b"").unwrap();
    let escape = format!("../{}/secret", outside.file_name().unwrap().display());
    let read = contents(
        &root,
        &[
            b"large",
            b"empty",
            b"door/secret",
            b"link",
            escape.as_bytes(),
            b"gone",
        ],
    );
    assert_eq!(read[0], (large, ReadStatus::Whole));
    assert_eq!(read[1], (Vec::new(), ReadStatus::Whole));
    for refused in &read[2..] {
        assert_eq!(*refused, (Vec::new(), ReadStatus::Unreadable));
    }
    assert_eq!(read.len(), 6);
}

#[test]
fn malformed_request_is_an_error() {
    let root = folder("malformed");
    for bytes in [&[1_u8, 0][..], &[5, 0, 0, 0, b'a'], &[255; 8]] {
        assert!(read(&root, bytes, Vec::new()).is_err(), "{bytes:?}");
    }
}
