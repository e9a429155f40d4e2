//! Files of a commit by name: the lock files from which the gateway loads packages.

use roost_secret_broker::wire::{Fault, FaultCode, FoundFile, GitFiles, ReadFiles};

use super::bundle::resolve;
use super::command::{Git, Input};
use super::shelf::Place;
use super::{Mirrors, bounded, failed, refs};

/// Most files that are read, and most that are named.
const MOST_FILES: usize = 64;
/// Most bytes of one file.
const MOST_BYTES: u64 = 8 << 20;
/// Most bytes of all files. It is less than git may print.
const MOST_TOTAL: u64 = 24 << 20;

/// A file of the tree.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    object: String,
    path: String,
    bytes: u64,
}

impl Mirrors {
    /// Reads files of a commit: what they are, and their bytes one after the other.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::UnknownCommit`], [`FaultCode::GitFailed`].
    pub async fn files(
        &self,
        place: &Place,
        asked: &GitFiles,
    ) -> Result<(ReadFiles, Vec<u8>), Fault> {
        let git = || Git::new(place.path(), self.shared.limits.most);
        let commit = resolve(&git, refs::commit(&asked.commit)?).await?;
        let _room = self.room_for_branches().await?;
        let tree = git()
            .run(
                &["ls-tree", "-r", "-l", "-z", "--full-tree", &commit],
                |_| {},
            )
            .await
            .map_err(|error| failed(&error))?;
        let (chosen, unread) = chosen(&tree, asked);
        let wanted: String = chosen
            .iter()
            .map(|file| format!("{}\n", file.object))
            .collect();
        let output = match chosen.is_empty() {
            true => Vec::new(),
            false => git()
                .run_with(&["cat-file", "--batch"], Input::Bytes(wanted.into_bytes()))
                .await
                .map_err(|error| failed(&error))?,
        };
        let bytes = contents(&output, &chosen).ok_or_else(|| {
            Fault::new(
                FaultCode::GitFailed,
                "a file of the commit is missing in the mirror; fetch the mirror again",
            )
        })?;
        let files = chosen.iter().map(Listed::shown).collect();
        Ok((ReadFiles { files, unread }, bytes))
    }
}

impl Listed {
    fn shown(&self) -> FoundFile {
        FoundFile {
            path: bounded(&self.path),
            bytes: self.bytes,
        }
    }
}

/// The files to read, those near the top of the tree first, and those that are too large or too many.
fn chosen(tree: &[u8], asked: &GitFiles) -> (Vec<Listed>, Vec<FoundFile>) {
    let mut found: Vec<Listed> = tree
        .split(|byte| *byte == 0)
        .filter_map(listed)
        .filter(|file| {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            asked.names.iter().any(|pattern| fits(pattern, name))
        })
        .collect();
    found.sort_by_key(|file| (file.path.matches('/').count(), file.path.clone()));
    let most_files = usize::try_from(asked.most_files)
        .unwrap_or(MOST_FILES)
        .min(MOST_FILES);
    let most_bytes = asked.most_bytes.min(MOST_BYTES);
    let (mut chosen, mut unread, mut total) = (Vec::new(), Vec::new(), 0);
    for file in found {
        if file.bytes <= most_bytes && total + file.bytes <= MOST_TOTAL && chosen.len() < most_files
        {
            total += file.bytes;
            chosen.push(file);
        } else if unread.len() < MOST_FILES {
            unread.push(file.shown());
        }
    }
    (chosen, unread)
}

/// `<mode> blob <object> <bytes>\t<path>` of a regular file.
fn listed(line: &[u8]) -> Option<Listed> {
    let line = String::from_utf8_lossy(line);
    let (head, path) = line.split_once('\t')?;
    let mut parts = head.split_ascii_whitespace();
    let (mode, kind) = (parts.next()?, parts.next()?);
    let (object, bytes) = (parts.next()?, parts.next()?);
    (kind == "blob" && mode.starts_with("100") && refs::is_commit(object)).then_some(())?;
    Some(Listed {
        object: object.to_owned(),
        path: path.to_owned(),
        bytes: bytes.parse().ok()?,
    })
}

/// Whether a name fits a pattern with at most one `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

/// The contents in the output of `git cat-file --batch`: `<object> blob <bytes>\n<content>\n` for each file.
fn contents(output: &[u8], files: &[Listed]) -> Option<Vec<u8>> {
    let (mut rest, mut bytes) = (output, Vec::new());
    for file in files {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&rest[..end]).ok()?;
        (head == format!("{} blob {}", file.object, file.bytes)).then_some(())?;
        let length = usize::try_from(file.bytes).ok()?;
        let content = rest.get(end + 1..end + 1 + length)?;
        bytes.extend_from_slice(content);
        rest = rest.get(end + 2 + length..)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use roost_secret_broker::wire::RecordName;

    use super::*;

    const OBJECT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn asked(names: &[&str], most_files: u32) -> GitFiles {
        GitFiles {
            name: RecordName::new("w1", "repos/c1").unwrap(),
            mirror: "r1".to_owned(),
            commit: OBJECT.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            most_files,
            most_bytes: 1_000,
            on_behalf: String::new(),
        }
    }

    fn tree(entries: &[(&str, &str, u64, &str)]) -> Vec<u8> {
        entries
            .iter()
            .map(|(mode, kind, bytes, path)| format!("{mode} {kind} {OBJECT} {bytes}\t{path}\0"))
            .collect::<String>()
            .into_bytes()
    }

    fn paths(files: &[Listed]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn files_are_chosen_by_name_and_those_near_the_top_are_first() {
        let tree = tree(&[
            ("100644", "blob", 10, "a/b/Cargo.lock"),
            ("100755", "blob", 10, "Cargo.lock"),
            ("100644", "blob", 10, "requirements-dev.txt"),
            ("100644", "blob", 10, "notes.txt"),
            // A link and a submodule are not files of this commit.
            ("120000", "blob", 10, "c/Cargo.lock"),
            ("160000", "commit", 0, "d/Cargo.lock"),
        ]);
        let (found, unread) = chosen(&tree, &asked(&["Cargo.lock", "requirements*.txt"], 10));
        let expected = ["Cargo.lock", "requirements-dev.txt", "a/b/Cargo.lock"];
        assert_eq!(paths(&found), expected);
        assert!(unread.is_empty());
    }

    #[test]
    fn file_that_is_too_large_or_one_too_many_is_named_and_not_read() {
        let tree = tree(&[
            ("100644", "blob", 50_000_000, "Cargo.lock"),
            ("100644", "blob", 10, "a/Cargo.lock"),
            ("100644", "blob", 10, "b/Cargo.lock"),
        ]);
        let (found, unread) = chosen(&tree, &asked(&["Cargo.lock"], 1));
        assert_eq!(paths(&found), ["a/Cargo.lock"]);
        let unread: Vec<(&str, u64)> = unread
            .iter()
            .map(|file| (file.path.as_str(), file.bytes))
            .collect();
        assert_eq!(unread, [("Cargo.lock", 50_000_000), ("b/Cargo.lock", 10)]);
    }

    #[test]
    fn star_stands_for_any_text_but_its_sides_do_not_overlap() {
        assert!(fits("requirements*.txt", "requirements.txt"));
        assert!(fits("requirements*.txt", "requirements-dev.txt"));
        assert!(!fits("requirements*.txt", "requirements.in"));
        assert!(!fits("aba*aba", "aba"));
        assert!(!fits("Cargo.lock", "Cargo.lock.orig"));
    }

    #[test]
    fn contents_are_cut_at_their_lengths_and_a_missing_object_is_noticed() {
        let file = |bytes| Listed {
            object: OBJECT.to_owned(),
            path: String::new(),
            bytes,
        };
        let output = format!("{OBJECT} blob 3\na\nb\n{OBJECT} blob 2\ncd\n");
        let both = [file(3), file(2)];
        assert_eq!(contents(output.as_bytes(), &both).unwrap(), b"a\nbcd");
        let missing = format!("{OBJECT} missing\n");
        assert_eq!(contents(missing.as_bytes(), &[file(3)]), None);
        assert_eq!(
            contents(&output.as_bytes()[..output.len() - 2], &both),
            None
        );
    }
}
