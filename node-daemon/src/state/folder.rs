//! Where the state folder is and how files are put into it.
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The state folder of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFolder(PathBuf);

/// Why a file of the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct StateError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl StateFolder {
    /// The folder that was asked for, else `/var/lib/roostd` for root and `$XDG_STATE_HOME/roostd` for everyone else.
    pub fn find(
        asked: Option<PathBuf>,
        root: bool,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Self {
        let absolute = |name| variable(name).filter(|path| path.is_absolute());
        Self(asked.unwrap_or_else(|| {
            if root {
                return PathBuf::from("/var/lib/roostd");
            }
            absolute("XDG_STATE_HOME")
                .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
                .unwrap_or_else(|| PathBuf::from("/var/lib"))
                .join("roostd")
        }))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The socket on which the running daemon answers `roostd status`.
    pub fn socket(&self) -> PathBuf {
        self.file("control.sock")
    }

    /// Where the executor keeps the ledger, spools and archives.
    pub fn executor(&self) -> PathBuf {
        self.file("executor")
    }

    /// Makes the folder, readable by nobody else.
    ///
    /// # Errors
    /// What the file system says.
    pub fn make(&self) -> Result<(), StateError> {
        let outcome = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0)
            .and_then(|()| {
                std::fs::set_permissions(&self.0, std::fs::Permissions::from_mode(0o700))
            });
        outcome.map_err(|source| StateError {
            path: self.0.clone(),
            source,
        })
    }

    /// Puts a whole file in place, synced, with mode 0600.
    ///
    /// # Errors
    /// What the file system says; the old file is then still there.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        let path = self.file(name);
        let new = self.file(&format!(".{name}.new"));
        let outcome = (|| {
            let _ = std::fs::remove_file(&new);
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&new, &path)?;
            File::open(&self.0)?.sync_all()
        })();
        outcome.map_err(|source| StateError { path, source })
    }

    /// Reads a file; `None` when there is none.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, name: &str) -> Result<Option<String>, StateError> {
        let path = self.file(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StateError { path, source }),
        }
    }

    /// Takes a file away; one that is not there is fine.
    ///
    /// # Errors
    /// What the file system says.
    pub fn remove(&self, name: &str) -> Result<(), StateError> {
        let path = self.file(name);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StateError { path, source })
            }
            _ => Ok(()),
        }
    }

    /// Whether the owner paused this machine.
    pub fn paused(&self) -> bool {
        self.file("paused").exists()
    }

    /// Remembers whether the owner paused this machine.
    ///
    /// # Errors
    /// What the file system says.
    pub fn set_paused(&self, on: bool) -> Result<(), StateError> {
        if on {
            self.write("paused", b"")
        } else {
            self.remove("paused")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_found_by_flag_then_user() {
        let none = |_: &str| None;
        let home = |name: &str| (name == "HOME").then(|| PathBuf::from("/home/a"));
        let xdg = |name: &str| (name == "XDG_STATE_HOME").then(|| PathBuf::from("/x"));
        let relative = |name: &str| match name {
            "XDG_STATE_HOME" => Some(PathBuf::from("x")),
            _ => Some(PathBuf::from("/home/a")),
        };
        assert_eq!(
            StateFolder::find(Some("/s".into()), true, none).path(),
            Path::new("/s")
        );
        assert_eq!(
            StateFolder::find(None, true, xdg).path(),
            Path::new("/var/lib/roostd")
        );
        assert_eq!(
            StateFolder::find(None, false, xdg).path(),
            Path::new("/x/roostd")
        );
        assert_eq!(
            StateFolder::find(None, false, home).path(),
            Path::new("/home/a/.local/state/roostd")
        );
        assert_eq!(
            StateFolder::find(None, false, relative).path(),
            Path::new("/home/a/.local/state/roostd")
        );
    }

    #[test]
    fn files_are_private_and_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateFolder(folder.path().join("s"));
        state.make().expect("made");
        assert_eq!(state.read("a").expect("reads"), None);
        state.write("a", b"one").expect("writes");
        state.write("a", b"two").expect("writes");
        assert_eq!(state.read("a").expect("reads").as_deref(), Some("two"));
        let mode =
            |path: &Path| std::fs::metadata(path).expect("facts").permissions().mode() & 0o777;
        assert_eq!((mode(state.path()), mode(&state.file("a"))), (0o700, 0o600));
        state.set_paused(true).expect("paused");
        assert!(state.paused());
        state.set_paused(false).expect("resumed");
        state.set_paused(false).expect("resumed again");
        assert!(!state.paused());
    }
}
