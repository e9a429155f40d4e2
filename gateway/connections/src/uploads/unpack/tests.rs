//! Archives that are good, hostile or broken.

use std::io::{Seek, Write};

use ::tar::{EntryType, Header};
use ::zip::CompressionMethod;
use roost_secret_broker::wire::{EntryPart, EntryReader};

use super::*;

const LIMITS: UploadLimits = UploadLimits {
    bytes: 1 << 20,
    unpacked: 1 << 20,
    files: 20,
    workspace: 1 << 30,
};

type Entries = Vec<(EntryKind, String, Vec<u8>)>;

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn read(bytes: &[u8]) -> Result<Entries, Refusal> {
    let mut reader = EntryReader::default();
    let mut all: Entries = Vec::new();
    let done = unpack(file_of(bytes), LIMITS, |piece| {
        reader.add(&piece);
        while let Some(part) = reader.next_part().unwrap() {
            match part {
                EntryPart::Head(head) => {
                    all.push((head.kind, String::from_utf8(head.path).unwrap(), Vec::new()));
                }
                EntryPart::Content(piece, _) => all.last_mut().unwrap().2.extend(piece),
            }
        }
        true
    });
    match done {
        Ok((files, _)) => {
            assert_eq!(files, all.len() as u64);
            Ok(all)
        }
        Err(Stopped::Refused(refusal)) => Err(refusal),
        Err(Stopped::Unread) => panic!("the reader reads all"),
    }
}

/// One raw entry of tar. The library writes no hostile names.
fn entry(kind: EntryType, name: &[u8], target: &[u8], content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(0o755);
    header.set_size(content.len() as u64);
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.as_old_mut().linkname[..target.len()].copy_from_slice(target);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.extend([0; 1024]);
    bytes
}

fn plain(name: &str, content: &str) -> Vec<u8> {
    entry(EntryType::Regular, name.as_bytes(), b"", content.as_bytes())
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zipped(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, mode, content) in entries {
        let options = ::zip::write::SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(*mode);
        match mode & 0o170_000 {
            0o120_000 => {
                let target = std::str::from_utf8(content).unwrap();
                writer.add_symlink(*name, target, options).unwrap();
            }
            _ => {
                writer.start_file(*name, options).unwrap();
                writer.write_all(content).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn tar_with_links_and_modes_is_read() {
    let bytes = archive(&[
        entry(EntryType::Directory, b"./", b"", b""),
        entry(EntryType::Directory, b"a/", b"", b""),
        plain("a/run", "one"),
        entry(EntryType::Symlink, b"a/link", b"run", b""),
        entry(EntryType::Link, b"again", b"./a/run", b""),
    ]);
    let wanted: Entries = vec![
        (EntryKind::Executable, "a/run".to_owned(), b"one".to_vec()),
        (EntryKind::Link, "a/link".to_owned(), b"run".to_vec()),
        (EntryKind::SameAs, "again".to_owned(), b"a/run".to_vec()),
    ];
    assert_eq!(read(&bytes).unwrap(), wanted);
    assert_eq!(read(&gzipped(&bytes)).unwrap(), wanted);
}

#[test]
fn long_names_of_gnu_and_pax_are_read() {
    let long = format!("{}/x", "d".repeat(200));
    let mut builder = ::tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(1);
    header.set_mode(0o644);
    builder.append_data(&mut header, &long, &b"1"[..]).unwrap();
    let bytes = builder.into_inner().unwrap();
    assert_eq!(read(&bytes).unwrap()[0].1, long);

    let record = format!("path={long}\n");
    let record = format!("{} {record}", record.len() + 4);
    let bytes = archive(&[
        entry(EntryType::XHeader, b"pax", b"", record.as_bytes()),
        plain("short", "1"),
    ]);
    assert_eq!(read(&bytes).unwrap()[0].1, long);
}

#[test]
fn tar_that_breaks_a_rule_is_refused_with_the_rule() {
    let of = |kind, name: &[u8], target: &[u8]| archive(&[entry(kind, name, target, b"")]);
    let regular = EntryType::Regular;
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (of(regular, b"../x", b""), "leaves the folder"),
        (of(regular, b"a/../../x", b""), "leaves the folder"),
        (of(regular, b"/etc/x", b""), "root of a file system"),
        (of(regular, b".git/config", b""), "`.git`"),
        (of(regular, b"a/.GIT/hooks/x", b""), "`.git`"),
        (of(regular, b"a\nb", b""), "control character"),
        (of(regular, b"a\xffb", b""), "not UTF-8"),
        (of(EntryType::Block, b"disk", b""), "device"),
        (of(EntryType::Char, b"tty", b""), "device"),
        (of(EntryType::Fifo, b"pipe", b""), "device, a pipe"),
        (of(EntryType::GNUSparse, b"holes", b""), "sparse"),
        (
            of(EntryType::Symlink, b"l", b"/etc/passwd"),
            "leads outside",
        ),
        (of(EntryType::Symlink, b"a/l", b"../../x"), "leads outside"),
        (of(EntryType::Link, b"l", b"/etc/passwd"), "root of a file"),
        (of(EntryType::Link, b"l", b"other"), "hard link"),
        (archive(&[plain("a", "1"), plain("./a", "2")]), "twice"),
        (archive(&[plain("a", "1"), plain("a/b", "2")]), "twice"),
        (
            archive(&[
                entry(EntryType::Symlink, b"a", b"b", b""),
                plain("a/x", "2"),
            ]),
            "twice",
        ),
        (archive(&[]), "no files"),
        (plain("a", "1")[..512].to_vec(), "damaged"),
        (
            archive(&vec![entry(EntryType::Directory, b"d", b"", b""); 21]),
            "more than 20",
        ),
        (
            archive(&[
                entry(EntryType::GNULongName, b"x", b"", &vec![b'a'; 20_000]),
                plain("a", ""),
            ]),
            "longer than",
        ),
        (b"nothing of the kind".to_vec(), "neither a tar"),
        (Vec::new(), "neither a tar"),
    ];
    for (bytes, why) in cases {
        let refusal = read(&bytes).unwrap_err().to_string();
        assert!(refusal.contains(why), "{why}: {refusal}");
    }
}

#[test]
fn archive_that_grows_too_much_is_refused_while_it_is_read() {
    let large = archive(&[entry(EntryType::Regular, b"zeros", b"", &vec![0; 2 << 20])]);
    let refusal = read(&gzipped(&large)).unwrap_err();
    assert_eq!(refusal, Refusal::TooLarge(1 << 20));
    // A header that says more than follows.
    let mut lying = Header::new_gnu();
    lying.set_size(1 << 40);
    lying.as_old_mut().name[..1].copy_from_slice(b"a");
    lying.set_cksum();
    assert_eq!(
        read(lying.as_bytes()).unwrap_err(),
        Refusal::TooLarge(1 << 20)
    );
    let zip = zipped(&[("zeros", 0o644, &vec![0; 2 << 20])]);
    assert_eq!(read(&zip).unwrap_err(), Refusal::TooLarge(1 << 20));
}

#[test]
fn zip_with_links_and_modes_is_read() {
    let bytes = zipped(&[
        ("a/run", 0o755, b"one"),
        ("a/link", 0o120_777, b"run"),
        ("b", 0o644, b""),
    ]);
    let wanted: Entries = vec![
        (EntryKind::Executable, "a/run".to_owned(), b"one".to_vec()),
        (EntryKind::Link, "a/link".to_owned(), b"run".to_vec()),
        (EntryKind::File, "b".to_owned(), Vec::new()),
    ];
    assert_eq!(read(&bytes).unwrap(), wanted);
}

#[test]
fn zip_that_breaks_a_rule_is_refused_with_the_rule() {
    for (name, why) in [
        ("../x", "leaves the folder"),
        ("/etc/x", "root of a file system"),
        (".git/config", "`.git`"),
        ("a\\b", "backslash"),
    ] {
        let refusal = read(&zipped(&[(name, 0o644, b"x")])).unwrap_err();
        assert!(refusal.to_string().contains(why), "{name}: {refusal}");
    }
    let link = read(&zipped(&[("l", 0o120_777, b"/etc/passwd")])).unwrap_err();
    assert!(matches!(link, Refusal::LinkOutside(_)), "{link}");
    let many: Vec<(String, u32, &[u8])> = (0..21)
        .map(|at| (at.to_string(), 0o644, &b""[..]))
        .collect();
    let many: Vec<_> = many
        .iter()
        .map(|(name, mode, content)| (name.as_str(), *mode, *content))
        .collect();
    assert_eq!(read(&zipped(&many)).unwrap_err(), Refusal::TooMany(20));
    let whole = zipped(&[("a", 0o644, b"some words that are packed")]);
    let refusal = read(&whole[..whole.len() - 30]).unwrap_err();
    assert!(matches!(refusal, Refusal::Damaged(_)), "{refusal}");
    // The content does not have its check sum.
    let mut changed = whole;
    changed[40] ^= 0xff;
    let refusal = read(&changed).unwrap_err();
    assert!(matches!(refusal, Refusal::Damaged(_)), "{refusal}");
}

#[test]
fn reader_that_stops_ends_the_unpacking() {
    let bytes = archive(&[plain("a", "1")]);
    let stopped = unpack(file_of(&bytes), LIMITS, |_| false);
    assert!(matches!(stopped, Err(Stopped::Unread)));
}
