//! Go modules: their hashes in `go.sum`, and how the module proxy names them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use serde_json::json;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::model::{Kind, Pin};

/// Most bytes of a module when it is unpacked; Go has the same limit.
const MOST_UNPACKED: u64 = 500 << 20;

/// A module path or version in an address: an upper case letter is written as `!` and its lower case.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for one in text.chars() {
        if one.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(one.to_ascii_lowercase());
    }
    escaped
}

/// Where the proxy has what a line of `go.sum` pins. A version that ends with `/go.mod` is the module's file of that name.
pub(super) fn place(module: &str, version: &str) -> String {
    let (version, end) = match version.strip_suffix(MOD) {
        Some(version) => (version, "mod"),
        None => (version, "zip"),
    };
    format!("{}/@v/{}.{end}", escaped(module), escaped(version))
}

/// The end of a version in `go.sum` that pins the `go.mod` alone.
pub(super) const MOD: &str = "/go.mod";

/// The other files of a proxy in a folder: the list of each module's versions, and a description of each version.
pub(super) fn index(pins: &BTreeSet<Pin>) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for pin in pins.iter().filter(|pin| pin.kind == Kind::Go) {
        let version = pin.version.strip_suffix(MOD).unwrap_or(&pin.version);
        let folder = format!("{}/@v", escaped(&pin.name));
        let about = format!("{folder}/{}.info", escaped(version));
        // A module and its go.mod are two pins.
        if files.contains_key(&about) {
            continue;
        }
        files.insert(about, json!({ "Version": version }).to_string());
        let list: &mut String = files.entry(format!("{folder}/list")).or_default();
        list.push_str(&format!("{version}\n"));
    }
    files
}

/// The hash `h1` of a `go.mod`.
pub(super) fn mod_sum(content: &[u8]) -> [u8; 32] {
    sum([("go.mod".to_owned(), Sha256::digest(content).into())])
}

/// The hash `h1` of the archive of a module. `None` when it is no such archive.
pub(super) fn zip_sum(content: &[u8]) -> Option<[u8; 32]> {
    let mut archive = ZipArchive::new(Cursor::new(content)).ok()?;
    let mut files = BTreeMap::new();
    let mut left = MOST_UNPACKED;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).ok()?;
        let name = std::str::from_utf8(entry.name_raw()).ok()?.to_owned();
        let mut hash = Sha256::new();
        // What an entry says of its size may be wrong, so the reader counts what comes out.
        let taken = std::io::copy(&mut (&mut entry).take(left + 1), &mut hash).ok()?;
        left = left.checked_sub(taken)?;
        let is_first = files.insert(name, hash.finalize().into()).is_none();
        if !is_first {
            return None;
        }
    }
    Some(sum(files))
}

/// Go's sum of files: the hash of a list of hashes and names, ordered by name.
fn sum(files: impl IntoIterator<Item = (String, [u8; 32])>) -> [u8; 32] {
    let mut all = Sha256::new();
    for (name, hash) in files {
        all.update(format!("{}  {name}\n", hex::encode(hash)));
    }
    all.finalize().into()
}

/// Whether all files of the archive are in the folder of the module, as Go needs it.
pub(super) fn check(module: &str, version: &str, content: &[u8]) -> Result<(), String> {
    if version.ends_with(MOD) {
        return Ok(());
    }
    let top = format!("{module}@{version}/");
    let archive = ZipArchive::new(Cursor::new(content))
        .map_err(|error| format!("its archive is damaged: {error}"))?;
    let is_inside = |name: &str| {
        name.strip_prefix(&top)
            .is_some_and(|inner| !inner.split('/').any(|part| part == ".."))
    };
    match archive
        .file_names_raw()
        .all(|name| std::str::from_utf8(name).is_ok_and(is_inside))
    {
        true => Ok(()),
        false => Err("its archive has a path outside of its folder".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;

    use super::*;

    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, text) in files {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(*path, options).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn sum_of_a_published_go_mod_is_the_one_that_go_writes() {
        let text = "module \"rsc.io/quote\"\n\nrequire \"rsc.io/sampler\" v1.3.0\n";
        assert_eq!(
            BASE64.encode(mod_sum(text.as_bytes())),
            "LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0="
        );
    }

    #[test]
    fn sum_of_an_archive_depends_on_names_and_contents_and_not_on_the_order() {
        let (one, two) = (("m@v1.0.0/a", "1"), ("m@v1.0.0/b", "2"));
        let sum = zip_sum(&packed(&[one, two])).unwrap();
        assert_eq!(zip_sum(&packed(&[two, one])), Some(sum));
        assert_ne!(zip_sum(&packed(&[one])), Some(sum));
        assert_ne!(zip_sum(&packed(&[one, ("m@v1.0.0/b", "3")])), Some(sum));
        assert_ne!(zip_sum(&packed(&[one, ("m@v1.0.0/c", "2")])), Some(sum));
        assert_eq!(zip_sum(b"no archive"), None);
    }

    #[test]
    fn archives_with_paths_outside_of_the_module_are_refused() {
        let checked = |path: &str| check("m", "v1.0.0", &packed(&[(path, "")]));
        assert_eq!(checked("m@v1.0.0/go.mod"), Ok(()));
        for path in ["m@v1.0.0/../../x", "/etc/passwd", "m@v1.0.1/x"] {
            assert!(checked(path).unwrap_err().contains("outside"), "{path}");
        }
        assert_eq!(check("m", "v1.0.0/go.mod", b"module m"), Ok(()));
    }

    #[test]
    fn names_are_written_as_the_proxy_has_them() {
        let module = "example.com/Azure/x";
        assert_eq!(
            place(module, "v1.0.0-RC1"),
            "example.com/!azure/x/@v/v1.0.0-!r!c1.zip"
        );
        assert_eq!(
            place(module, "v1.0.0/go.mod"),
            "example.com/!azure/x/@v/v1.0.0.mod"
        );
    }
}
