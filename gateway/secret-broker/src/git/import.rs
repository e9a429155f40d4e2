//! Uploaded files become a repository with one commit. git reads them from a pipe; nothing is unpacked on the disk.
//!
//! Every name is checked here again, although the gateway checked it. The commit has no time and no person, so equal files
//! have equal commits. A repository that is not complete is removed.

use std::time::Duration;

use roost_secret_broker::wire::{
    EntryKind, EntryPart, EntryReader, Fault, FaultCode, Imported, RecordName,
};
use tokio::time::timeout;

use super::bundle::resolve;
use super::command::{Feeding, Git};
use super::shelf::{self, Place};
use super::{Mirrors, failed, full, paths, too_large, unkept};
use crate::disk;

/// Longest end of an import, after the last byte came.
const LONGEST: Duration = Duration::from_secs(5 * 60);
const BRANCH: &str = "refs/heads/main";
const WHO: &str = "Roost <roost@roost.invalid> 0 +0000";
const WORDS: &str = "Files as they were uploaded\n";

/// An import that is under way. Its repository goes with this value, unless it is finished.
pub struct Import {
    place: Option<Place>,
    git: Feeding,
    entries: EntryReader,
    /// The entry that is being read, with the target of a link.
    present: Option<(EntryKind, Vec<u8>, Vec<u8>)>,
    any: bool,
    bytes: u64,
    most: u64,
}

impl Mirrors {
    /// Begins an import.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`] when the repository exists; the errors of git and the disk.
    pub async fn import(&self, name: &RecordName, mirror: &str) -> Result<Import, Fault> {
        let place = self.reserve(name, mirror).await?;
        let (path, most) = (place.path().to_owned(), self.shared.limits.most);
        if tokio::fs::try_exists(&path).await.unwrap_or(true) {
            return Err(Fault::new(
                FaultCode::BadRequest,
                "files are imported once; the repository exists",
            ));
        }
        let made = path.clone();
        let ready = shelf::blocking(move || {
            disk::make_private_folder(&made)?;
            full::check_room(&made).inspect_err(|_| drop(std::fs::remove_dir(&made)))
        });
        ready.await.map_err(|error| unkept(&error))?;
        let git = || Git::new(&path, most).with("fastimport.unpackLimit", "1");
        let init = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch=main",
        ];
        let begun = async {
            git().run(&init, |_| {}).await?;
            let mut feeding =
                git().fed(&["fast-import", "--quiet", "--done", "--date-format=raw"])?;
            let words = format!(
                "commit {BRANCH}\nauthor {WHO}\ncommitter {WHO}\ndata {}\n{WORDS}",
                WORDS.len()
            );
            feeding.write(words.as_bytes()).await?;
            Ok(feeding)
        };
        match begun.await {
            Ok(git) => Ok(Import {
                place: Some(place),
                git,
                entries: EntryReader::default(),
                present: None,
                any: false,
                bytes: 0,
                most,
            }),
            Err(error) => {
                let _ = shelf::remove(&path).await;
                Err(failed(&error))
            }
        }
    }

    /// Keeps the repository when all of its entries came.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`] for an incomplete body; the errors of git and the disk.
    pub async fn imported(&self, mut import: Import) -> Result<Imported, Fault> {
        if !import.entries.is_between() || import.present.is_some() || !import.any {
            return Err(bad("the files did not arrive whole"));
        }
        let ended = async {
            import.git.write(b"\ndone\n").await?;
            import.git.end().await
        };
        match timeout(LONGEST, ended).await {
            Ok(ended) => ended.map_err(|error| failed(&error))?,
            Err(_) => return Err(bad("git took too long to keep the files")),
        }
        let place = import.place.as_ref().map(|place| place.path().to_owned());
        let path = place.ok_or_else(|| bad("the import is over"))?;
        let git = || Git::new(&path, self.shared.limits.most);
        let commit = resolve(&git, BRANCH).await?;
        let bytes = shelf::size(&path).await;
        if bytes > self.shared.limits.most {
            return Err(too_large());
        }
        import.place = None;
        Ok(Imported { commit, bytes })
    }
}

impl Import {
    /// Takes a piece of the body.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`] for a name that is not allowed, [`FaultCode::TooLarge`], [`FaultCode::GitFailed`].
    pub async fn add(&mut self, piece: &[u8]) -> Result<(), Fault> {
        self.bytes += piece.len() as u64;
        if self.bytes > self.most {
            return Err(too_large());
        }
        self.entries.add(piece);
        while let Some(part) = self.entries.next_part().map_err(bad)? {
            self.part(part).await?;
        }
        Ok(())
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    async fn part(&mut self, part: EntryPart) -> Result<(), Fault> {
        let git = &mut self.git;
        let written = match part {
            EntryPart::Head(head) => {
                paths::check(&head.path, true).map_err(|fault| bad(&fault.detail))?;
                self.any = true;
                let mode = match head.kind {
                    EntryKind::File => "100644",
                    EntryKind::Executable => "100755",
                    EntryKind::Link => "120000",
                    EntryKind::SameAs => "",
                };
                let words = match head.kind {
                    EntryKind::SameAs => Vec::new(),
                    _ => [
                        format!("M {mode} inline ").as_bytes(),
                        &quoted(&head.path),
                        format!("\ndata {}\n", head.size).as_bytes(),
                    ]
                    .concat(),
                };
                self.present = Some((head.kind, head.path, Vec::new()));
                git.write(&words).await
            }
            EntryPart::Content(piece, is_last) => {
                let Some((kind, path, from)) = &mut self.present else {
                    return Err(bad("content without an entry"));
                };
                let words = match kind {
                    EntryKind::SameAs => {
                        from.extend_from_slice(&piece);
                        match is_last {
                            true => [b"C ", &quoted(from)[..], b" ", &quoted(path), b"\n"].concat(),
                            false => Vec::new(),
                        }
                    }
                    _ => {
                        git.write(&piece).await.map_err(|error| failed(&error))?;
                        if is_last { b"\n".to_vec() } else { Vec::new() }
                    }
                };
                if is_last {
                    self.present = None;
                }
                git.write(&words).await
            }
        };
        written.map_err(|error| failed(&error))
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            self.git.kill();
            let _ = std::fs::remove_dir_all(place.path());
        }
    }
}

/// A path as fast-import reads it.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            b'\n' => quoted.extend(b"\\n"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

fn bad(detail: &str) -> Fault {
    Fault::new(FaultCode::BadRequest, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_quoted_for_fast_import() {
        assert_eq!(quoted(b"a \"b\".txt"), b"\"a \\\"b\\\".txt\"");
        assert_eq!(quoted("ü".as_bytes()), "\"ü\"".as_bytes());
    }
}
