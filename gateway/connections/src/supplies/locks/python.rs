//! Lock files of Python: `requirements.txt` with hashes, `uv.lock` and `poetry.lock`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{MOST_ENTRIES, Parsed, many};
use crate::supplies::model::{Hash, LeftOut, Release};
use crate::supplies::python::{is_file_of, normalised};
use roost_protocol::text::clean;

const NO_HASH: &str =
    "The lock file has no sha256 hash of it. Make the lock file again with hashes.";
const OWN_ADDRESS: &str = "It has an address of its own, and only the index of the operator is used. Copy it into the repository, or depend on a \
     release of it.";
const STRANGE: &str = "Its name or version is not one of a Python index. Make the lock file again.";

/// Releases of one lock file, each once, with all of its files.
#[derive(Default)]
struct Found {
    releases: BTreeMap<(String, String), Release>,
    left_out: Vec<LeftOut>,
    count: usize,
}

impl Found {
    fn add(&mut self, name: &str, version: &str, files: Vec<(Hash, Option<String>)>) {
        self.count += 1;
        if !is_name(name) || !is_version(version) {
            return self.leave_out(&format!("{name} {version}"), STRANGE);
        }
        let name = normalised(name);
        if files.is_empty() {
            return self.leave_out(&format!("{name} {version}"), NO_HASH);
        }
        let key = (name.clone(), version.to_owned());
        let release = self.releases.entry(key).or_insert_with(|| Release {
            name,
            version: version.to_owned(),
            files: Vec::new(),
        });
        for file in files {
            if !release.files.contains(&file) {
                release.files.push(file);
            }
        }
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out.push(LeftOut::new(name, why));
    }

    fn parsed(self) -> Result<Parsed, String> {
        if self.count + self.left_out.len() > 2 * MOST_ENTRIES {
            return Err(many());
        }
        Ok(Parsed {
            releases: self.releases.into_values().collect(),
            left_out: self.left_out,
            ..Parsed::default()
        })
    }
}

/// Reads `requirements.txt` as pip-compile and uv write it.
///
/// # Errors
/// Why nothing of it can be used, as a sentence.
pub(super) fn requirements(text: &str) -> Result<Parsed, String> {
    let mut found = Found::default();
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let line = without_comment(line);
        if line.is_empty() || line.starts_with("--") {
            continue;
        }
        if found.count > MOST_ENTRIES {
            return Err(many());
        }
        if let Some(option) = line.strip_prefix('-') {
            let more = option.starts_with(['r', 'c']);
            if more {
                found.leave_out(line, "Files that a requirements file names are not read. Write all packages into one file.");
            }
            continue;
        }
        let (wanted, options) = line.split_once(" --").unwrap_or((line, ""));
        let options = format!("--{options}");
        let wanted = wanted.split(';').next().unwrap_or_default().trim();
        if wanted.contains('@') || wanted.contains('/') {
            found.leave_out(wanted, OWN_ADDRESS);
            continue;
        }
        let Some((name, version)) = wanted.split_once("==") else {
            found.leave_out(wanted, "The file does not pin its version with `==`. Write the file with `pip-compile --generate-hashes` or `uv export`.");
            continue;
        };
        let name = name.split('[').next().unwrap_or_default().trim();
        let hashes = options.split_ascii_whitespace().filter_map(|option| {
            let text = option.strip_prefix("--hash=")?.strip_prefix("sha256:")?;
            Some((Hash::sha256(text)?, None))
        });
        let version = version.trim_start_matches('=').trim();
        found.add(name, version, hashes.collect());
    }
    if found.releases.is_empty() && found.left_out.iter().any(|left| left.why == NO_HASH) {
        return Err(
            "The file has no sha256 hashes, so nothing of it can be checked. Write it with `pip-compile --generate-hashes` or \
             `uv export`, and commit it."
                .to_owned(),
        );
    }
    found.parsed()
}

/// A `#` begins a comment at the start of a line, or after a space.
fn without_comment(line: &str) -> &str {
    let at = line
        .char_indices()
        .find(|(at, one)| *one == '#' && (*at == 0 || line[..*at].ends_with([' ', '\t'])));
    at.map_or(line, |(at, _)| &line[..at]).trim()
}

#[derive(Deserialize)]
struct UvLock {
    version: Option<u32>,
    #[serde(default)]
    package: Vec<UvPackage>,
}

#[derive(Deserialize)]
struct UvPackage {
    name: String,
    version: Option<String>,
    source: Option<BTreeMap<String, toml::Value>>,
    sdist: Option<UvFile>,
    #[serde(default)]
    wheels: Vec<UvFile>,
}

#[derive(Deserialize)]
struct UvFile {
    url: Option<String>,
    path: Option<String>,
    filename: Option<String>,
    hash: Option<String>,
}

impl UvFile {
    fn pinned(&self) -> Option<(Hash, Option<String>)> {
        let place = self.filename.as_ref().or(self.url.as_ref());
        let place = place.or(self.path.as_ref())?;
        let name = place.split(['#', '?']).next()?.rsplit('/').next()?;
        // An address may have `+` and `!` as `%2B` and `%21`.
        let name = percent_encoding::percent_decode_str(name);
        pinned(self.hash.as_deref()?, &name.decode_utf8().ok()?)
    }
}

/// Reads `uv.lock`.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn uv(text: &str) -> Result<Parsed, String> {
    let lock: UvLock = read(text, "uv lock")?;
    if lock.version != Some(1) {
        return Err("The lock file does not have version 1 of uv's format. Run `uv lock` with a current uv, and commit it.".to_owned());
    }
    if lock.package.len() > MOST_ENTRIES {
        return Err(many());
    }
    let mut found = Found::default();
    for package in lock.package {
        let source = package.source.unwrap_or_default();
        // The parts of the repository itself.
        if ["virtual", "editable", "directory"]
            .iter()
            .any(|own| source.contains_key(*own))
        {
            continue;
        }
        let version = package.version.unwrap_or_default();
        if !source.contains_key("registry") {
            found.leave_out(&format!("{} {version}", package.name), OWN_ADDRESS);
            continue;
        }
        let files = package.wheels.iter().chain(&package.sdist);
        let files = files.filter_map(UvFile::pinned);
        let files = files.filter(|file| is_of(&package.name, file)).collect();
        found.add(&package.name, &version, files);
    }
    found.parsed()
}

#[derive(Deserialize)]
struct PoetryLock {
    #[serde(default)]
    package: Vec<PoetryPackage>,
    metadata: PoetryMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PoetryMetadata {
    lock_version: String,
    /// Versions below 2 have the files here.
    #[serde(default)]
    files: BTreeMap<String, Vec<PoetryFile>>,
}

#[derive(Deserialize)]
struct PoetryPackage {
    name: String,
    version: String,
    #[serde(default)]
    files: Vec<PoetryFile>,
    source: Option<PoetrySource>,
}

#[derive(Deserialize)]
struct PoetryFile {
    file: String,
    hash: String,
}

#[derive(Deserialize)]
struct PoetrySource {
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Reads `poetry.lock`.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn poetry(text: &str) -> Result<Parsed, String> {
    let lock: PoetryLock = read(text, "poetry lock")?;
    if !lock.metadata.lock_version.starts_with(['1', '2']) {
        return Err("The lock file does not have version 1 or 2 of Poetry's format. Run `poetry lock` with a current Poetry, and commit it.".to_owned());
    }
    if lock.package.len() > MOST_ENTRIES {
        return Err(many());
    }
    let mut found = Found::default();
    for package in lock.package {
        let source = package.source.and_then(|source| source.kind);
        match source.as_deref() {
            // The default index, or another one.
            None | Some("legacy") => {}
            Some("directory") => continue,
            Some(_) => {
                let shown = format!("{} {}", package.name, package.version);
                found.leave_out(&shown, OWN_ADDRESS);
                continue;
            }
        }
        let files = match package.files.is_empty() {
            true => lock
                .metadata
                .files
                .get(&package.name)
                .map_or(&[][..], Vec::as_slice),
            false => &package.files,
        };
        let files = files
            .iter()
            .filter_map(|file| pinned(&file.hash, &file.file));
        let files = files.filter(|file| is_of(&package.name, file)).collect();
        found.add(&package.name, &package.version, files);
    }
    found.parsed()
}

fn read<T: DeserializeOwned>(text: &str, command: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let cause = clean(error.message(), 200);
        format!("The lock file cannot be read: {cause}. Run `{command}`, and commit it.")
    })
}

fn pinned(hash: &str, name: &str) -> Option<(Hash, Option<String>)> {
    let hash = Hash::sha256(hash.strip_prefix("sha256:")?)?;
    Some((hash, Some(name.to_owned())))
}

/// A file that belongs to another project, or is of another form, is not used.
fn is_of(project: &str, (_, file): &(Hash, Option<String>)) -> bool {
    file.as_deref()
        .is_some_and(|file| is_file_of(project, file))
}

fn is_name(text: &str) -> bool {
    let is_end = |one: Option<u8>| one.is_some_and(|one| one.is_ascii_alphanumeric());
    let mut bytes = text.bytes();
    text.len() <= 128
        && is_end(text.bytes().next_back())
        && is_end(bytes.next())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_version(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && !text.contains("..")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-+!_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplies::locks;

    const SUM: &str = "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274";
    const OTHER: &str = "ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81";

    fn parsed(name: &str, text: &str) -> Parsed {
        locks::read(name, text.as_bytes(), "").unwrap()
    }

    fn refused(name: &str, text: &str) -> String {
        locks::read(name, text.as_bytes(), "").unwrap_err()
    }

    fn releases(parsed: &Parsed) -> Vec<(String, usize)> {
        let shown = |release: &Release| {
            let Release {
                name,
                version,
                files,
            } = release;
            (format!("{name} {version}"), files.len())
        };
        parsed.releases.iter().map(shown).collect()
    }

    fn left(parsed: &Parsed) -> Vec<&str> {
        parsed
            .left_out
            .iter()
            .map(|left| left.name.as_str())
            .collect()
    }

    #[test]
    fn requirements_with_hashes_are_read_as_pip_compile_and_uv_write_them() {
        let text = format!(
            "# by pip-compile\n--find-links /wheels\n--index-url https://evil.example/simple\n-e .\n\
             six==1.17.0 \\\n    --hash=sha256:{SUM} \\\n    --hash=sha256:{OTHER}\n    # via x\n\
             Flask_Login[extra]==0.6.3 ; python_version >= '3.9' --hash=sha256:{SUM} --hash=md5:00\n"
        );
        let parsed = parsed("sub/requirements.txt", &text);
        let found = [
            ("flask-login 0.6.3".to_owned(), 1),
            ("six 1.17.0".to_owned(), 2),
        ];
        assert_eq!(releases(&parsed), found);
        assert_eq!(parsed.left_out, []);
    }

    #[test]
    fn requirements_with_addresses_ranges_or_without_hashes_are_left_out_and_named() {
        let text = format!(
            "a @ https://evil.example/a.whl --hash=sha256:{SUM}\n./b.whl --hash=sha256:{SUM}\nc>=1 --hash=sha256:{SUM}\n\
             d==1.* --hash=sha256:{SUM}\ne==1\n-r more.txt\n../f==1 --hash=sha256:{SUM}\nok==1 --hash=sha256:{SUM}\n"
        );
        let parsed = parsed("requirements.txt", &text);
        assert_eq!(releases(&parsed), [("ok 1".to_owned(), 1)]);
        assert_eq!(parsed.left_out.len(), 7, "{:?}", left(&parsed));
        let error = refused("requirements.txt", "six==1.17.0\nflask\n");
        assert!(error.contains("no sha256 hashes"), "{error}");
    }

    fn uv_entry(name: &str, source: &str, file: &str) -> String {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"1.0\"\nsource = {{ {source} }}\nwheels = [{{ url = \
             \"https://evil.example/{file}\", hash = \"sha256:{SUM}\" }}]\n"
        )
    }

    #[test]
    fn lock_of_uv_is_read_and_sources_that_are_no_index_are_left_out() {
        let index = "registry = \"https://packages.example/simple\"";
        let text = [
            "version = 1\nrevision = 3\n".to_owned(),
            uv_entry("a", index, "a-1.0%2Bcpu-py3-none-any.whl"),
            uv_entry("mine", "editable = \".\"", "x"),
            uv_entry(
                "b",
                "git = \"https://evil.example/b\"",
                "b-1.0-py3-none-any.whl",
            ),
            uv_entry("c", index, "other-1.0-py3-none-any.whl"),
            uv_entry("d", index, "..%2Fd-1.0-py3-none-any.whl"),
        ];
        let parsed = parsed("uv.lock", &text.concat());
        assert_eq!(releases(&parsed), [("a 1.0".to_owned(), 1)]);
        let file = parsed.releases[0].files[0].1.as_deref();
        assert_eq!(file, Some("a-1.0+cpu-py3-none-any.whl"));
        assert_eq!(left(&parsed), ["b 1.0", "c 1.0", "d 1.0"]);
        let error = refused("uv.lock", "version = 9\n");
        assert!(error.contains("version 1"), "{error}");
    }

    #[test]
    fn lock_of_poetry_is_read_with_the_files_of_both_versions() {
        let file = format!("{{file = \"a-1.0.tar.gz\", hash = \"sha256:{SUM}\"}}");
        let entry = |name: &str, more: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"1.0\"\n{more}\n")
        };
        let text = [
            entry("a", &format!("files = [{file}]")),
            entry(
                "b",
                "[package.source]\ntype = \"git\"\nurl = \"https://evil.example\"",
            ),
            "[metadata]\nlock-version = \"2.1\"\n".to_owned(),
        ];
        let new = parsed("poetry.lock", &text.concat());
        assert_eq!(releases(&new), [("a 1.0".to_owned(), 1)]);
        assert_eq!(left(&new), ["b 1.0"]);
        let text = format!(
            "{}[metadata]\nlock-version = \"1.1\"\n[metadata.files]\na = [{file}]\n",
            entry("a", "")
        );
        assert_eq!(
            releases(&parsed("poetry.lock", &text)),
            [("a 1.0".to_owned(), 1)]
        );
        let error = refused("poetry.lock", "[metadata]\nlock-version = \"3.0\"\n");
        assert!(error.contains("version 1 or 2"), "{error}");
        let error = refused("poetry.lock", "{}");
        assert!(error.contains("cannot be read"), "{error}");
    }
}
