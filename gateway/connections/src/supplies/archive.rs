//! Archives of packages are checked before they are kept: a sandbox unpacks only what passes.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Component, Path};

use flate2::read::GzDecoder;

use super::go;
use super::model::{Kind, Pin};

/// Most bytes of a package when it is unpacked.
const MOST_UNPACKED: u64 = 512 << 20;
/// Most files of a package.
const MOST_FILES: usize = 50_000;

/// Checks the archive of a package.
///
/// # Errors
/// Why it is refused, as the end of a sentence.
pub(super) fn check(pin: &Pin, content: &[u8]) -> Result<(), String> {
    match pin.kind {
        Kind::Cargo => {
            let top = format!("{}-{}", pin.name, pin.version);
            tar(content, Some(&top), "Cargo.toml")
        }
        // The folder of an npm package may have any name.
        Kind::Npm => tar(content, None, "package.json"),
        // Roost does not unpack it. The package manager does, as a program of the sandbox.
        Kind::Python => Ok(()),
        Kind::Go => go::check(&pin.name, &pin.version, content),
    }
}

/// A compressed tar whose files are all in a folder: in `top`, if it is known. One of them is `needed`.
fn tar(content: &[u8], top: Option<&str>, needed: &str) -> Result<(), String> {
    let broken = |error: std::io::Error| format!("its archive is damaged: {error}");
    // A file of zeros compresses very well, so the reader counts what comes out.
    let mut archive = tar::Archive::new(GzDecoder::new(content).take(MOST_UNPACKED + 1));
    let (mut seen, mut unpacked, mut has_needed) = (HashSet::new(), 0_u64, false);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            continue;
        }
        if !is_inside(&path, top) {
            return Err("its archive has a path outside of its folder".to_owned());
        }
        if !kind.is_file() && !kind.is_dir() {
            return Err("its archive has a link or a device".to_owned());
        }
        has_needed |= path.components().count() == 2 && path.ends_with(needed);
        if kind.is_file() && !seen.insert(path) {
            return Err("its archive has two files of one name".to_owned());
        }
        unpacked += std::io::copy(&mut entry, &mut std::io::sink()).map_err(broken)?;
        if unpacked > MOST_UNPACKED || seen.len() > MOST_FILES {
            return Err(format!(
                "it is larger than {} MiB, or has more than {MOST_FILES} files, when it is unpacked",
                MOST_UNPACKED >> 20
            ));
        }
    }
    match has_needed {
        true => Ok(()),
        false => Err(format!("its archive has no {needed}")),
    }
}

fn is_inside(path: &Path, top: Option<&str>) -> bool {
    let mut parts = path.components();
    let first = match (parts.next(), top) {
        (Some(Component::Normal(first)), Some(top)) => first == top,
        (Some(Component::Normal(_)), None) => true,
        _ => false,
    };
    first && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::supplies::model::Hash;

    fn packed(entries: &[(&str, tar::EntryType)]) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, kind) in entries {
            let mut header = tar::Header::new_ustar();
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            header.set_size(1);
            // The library refuses such paths, so the name is written as bytes.
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            archive.append(&header, &b"x"[..]).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    fn checked(content: &[u8]) -> Result<(), String> {
        let pin = Pin {
            kind: Kind::Cargo,
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            hash: Hash::Sha256([0; 32]),
            file: None,
        };
        check(&pin, content)
    }

    const FILE: tar::EntryType = tar::EntryType::Regular;

    #[test]
    fn crate_is_accepted_when_all_files_are_in_its_folder() {
        let fine = packed(&[("a-1.0.0/Cargo.toml", FILE), ("a-1.0.0/src/lib.rs", FILE)]);
        assert_eq!(checked(&fine), Ok(()));
    }

    #[test]
    fn paths_outside_links_and_duplicates_are_refused() {
        let toml = ("a-1.0.0/Cargo.toml", FILE);
        for (entry, says) in [
            (("a-1.0.0/../../.bashrc", FILE), "outside"),
            (("/etc/passwd", FILE), "outside"),
            (("b-1.0.0/Cargo.toml", FILE), "outside"),
            (("a-1.0.0/link", tar::EntryType::Symlink), "link"),
            (("a-1.0.0/hard", tar::EntryType::Link), "link"),
            (("a-1.0.0/fifo", tar::EntryType::Fifo), "device"),
            (toml, "two files"),
        ] {
            let error = checked(&packed(&[toml, entry])).unwrap_err();
            assert!(error.contains(says), "{entry:?}: {error}");
        }
        let error = checked(&packed(&[("a-1.0.0/src/lib.rs", FILE)])).unwrap_err();
        assert!(error.contains("no Cargo.toml"), "{error}");
    }

    #[test]
    fn truncated_archive_and_one_that_unpacks_without_end_are_refused() {
        let whole = packed(&[("a-1.0.0/Cargo.toml", FILE), ("a-1.0.0/src/lib.rs", FILE)]);
        assert!(checked(&whole[..whole.len() / 2]).is_err());
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        let mut header = tar::Header::new_ustar();
        header.set_path("a-1.0.0/zeros").unwrap();
        header.set_size(2 << 30);
        header.set_cksum();
        bomb.write_all(header.as_bytes()).unwrap();
        let zeros = vec![0; 1 << 20];
        for _ in 0..600 {
            bomb.write_all(&zeros).unwrap();
        }
        assert!(checked(&bomb.finish().unwrap()).is_err());
    }
}
