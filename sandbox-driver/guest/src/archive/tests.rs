//! Unpacking restores a packed folder, and a hostile archive changes nothing outside.
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::archive::pack;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("roost-guest-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn tar_of(add: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    add(&mut builder);
    builder.into_inner().unwrap()
}

/// The tar crate refuses to write an invalid name, so it is put into the header by hand.
fn entry(
    builder: &mut tar::Builder<Vec<u8>>,
    name: &str,
    typ: EntryType,
    target: &str,
    data: &[u8],
) {
    let mut header = tar::Header::new_gnu();
    header.set_size(data.len() as u64);
    header.set_mode(0o644);
    header.set_entry_type(typ);
    let raw = header.as_gnu_mut().unwrap();
    raw.name[..name.len()].copy_from_slice(name.as_bytes());
    raw.linkname[..target.len()].copy_from_slice(target.as_bytes());
    header.set_cksum();
    builder.append(&header, data).unwrap();
}

#[test]
fn unpacking_restores_what_was_packed() {
    let from = folder("from");
    fs::create_dir_all(from.join("a/b")).unwrap();
    fs::write(from.join("a/b/file"), b"content").unwrap();
    fs::set_permissions(from.join("a/b/file"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(from.join("a/b/file"), from.join("same")).unwrap();
    symlink("/usr/bin/python3", from.join("python")).unwrap();
    symlink("a/b/file", from.join("near")).unwrap();
    let long = "n".repeat(200);
    fs::write(from.join(&long), b"long").unwrap();
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"not-utf8-\xff");
    fs::write(from.join(odd), b"odd").unwrap();
    fs::create_dir(from.join(".tmp")).unwrap();
    fs::set_permissions(from.join("a/b"), fs::Permissions::from_mode(0o555)).unwrap();

    let mut first = Vec::new();
    assert_eq!(
        pack(&from, 1 << 20, &mut first).unwrap(),
        Vec::<String>::new()
    );
    let to = folder("to");
    unpack(first.as_slice(), &to).unwrap();
    assert_eq!(fs::read(to.join("a/b/file")).unwrap(), b"content");
    assert_eq!(
        fs::metadata(to.join("a/b/file")).unwrap().mode() & 0o777,
        0o750
    );
    assert_eq!(fs::metadata(to.join("a/b")).unwrap().mode() & 0o777, 0o555);
    assert_eq!(fs::metadata(to.join("same")).unwrap().nlink(), 2);
    assert_eq!(
        fs::read_link(to.join("python")).unwrap(),
        Path::new("/usr/bin/python3")
    );
    assert_eq!(fs::read(to.join(&long)).unwrap(), b"long");
    assert_eq!(fs::read(to.join(odd)).unwrap(), b"odd");
    assert!(!to.join(".tmp").exists());

    let mut second = Vec::new();
    pack(&to, 1 << 20, &mut second).unwrap();
    assert!(first == second, "the same content must give the same bytes");
}

#[test]
fn oversized_sparse_file_is_skipped_and_named() {
    let from = folder("sparse");
    fs::write(from.join("real"), b"x").unwrap();
    File::create(from.join("huge"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let mut out = Vec::new();
    let left_out = pack(&from, 1 << 20, &mut out).unwrap();
    assert!(
        left_out[0].starts_with("huge: a sparse file"),
        "{left_out:?}"
    );
    assert!(out.len() < 1 << 16);
}

#[test]
fn escaping_names_and_special_files_are_refused() {
    for (name, typ) in [
        ("../out", EntryType::Regular),
        ("a/../../out", EntryType::Regular),
        ("/out", EntryType::Regular),
        ("dev", EntryType::Char),
        ("dev", EntryType::Block),
        ("pipe", EntryType::Fifo),
    ] {
        let root = folder("refuse");
        let tar = tar_of(|builder| entry(builder, name, typ, "", b""));
        assert!(unpack(tar.as_slice(), &root).is_err(), "{name} {typ:?}");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "{name} {typ:?}");
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let outside = folder("outside");
    let target = outside.display().to_string();
    let root = folder("links");
    let tar = tar_of(|builder| {
        entry(builder, "door", EntryType::Symlink, &target, b"");
        entry(builder, "door/file", EntryType::Regular, "", b"x");
    });
    assert!(unpack(tar.as_slice(), &root).is_err());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);

    let victim = outside.join("victim");
    fs::write(&victim, b"safe").unwrap();
    let root = folder("links-over");
    let tar = tar_of(|builder| {
        entry(
            builder,
            "v",
            EntryType::Symlink,
            &victim.display().to_string(),
            b"",
        );
        entry(builder, "v", EntryType::Regular, "", b"overwritten");
    });
    unpack(tar.as_slice(), &root).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"safe");
}

#[test]
fn a_hard_link_cannot_reach_outside() {
    for target in ["/etc/passwd", "../x", "door/file"] {
        let outside = folder("hard-outside");
        fs::write(outside.join("file"), b"x").unwrap();
        let root = folder("hard");
        symlink(&outside, root.join("door")).unwrap();
        let tar = tar_of(|builder| entry(builder, "l", EntryType::Link, target, b""));
        assert!(unpack(tar.as_slice(), &root).is_err(), "{target}");
    }
}
