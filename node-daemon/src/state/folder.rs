//! Finds the state folder and writes files into it.
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use roost_sandbox_driver::private;

/// Names of all files that roostd makes in its folder.
const OURS: [&str; 9] = [
    "ca.pem",
    "control.sock",
    "executor",
    "install-id",
    "lock",
    "node.json",
    "owner.toml",
    "paused",
    "token",
];

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
    /// The given folder, else `/var/lib/roostd` for root and `$XDG_STATE_HOME/roostd` for other users.
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

    /// Where the executor keeps the ledger, spools and stored workspaces.
    pub fn executor(&self) -> PathBuf {
        self.file("executor")
    }

    /// The agent image that the gateway wanted last, else the one that the product builds.
    pub fn agent_image(&self) -> String {
        use roost_sandbox_driver::executor::{AGENT_IMAGE, remembered_image};
        remembered_image(&self.executor()).unwrap_or_else(|| AGENT_IMAGE.to_owned())
    }

    /// Makes the folder. Only this user can read it.
    ///
    /// # Errors
    /// The file system's error.
    pub fn make(&self) -> Result<(), StateError> {
        let outcome = private::make_folder(&self.0).and_then(|()| {
            std::fs::set_permissions(&self.0, std::fs::Permissions::from_mode(0o700))
        });
        outcome.map_err(|source| StateError {
            path: self.0.clone(),
            source,
        })
    }

    /// Removes other users' rights from files that an older version or another umask left readable. Files of the owner
    /// in the folder are not touched.
    ///
    /// # Errors
    /// The file system's error.
    pub fn mend(&self) -> Result<(), StateError> {
        let mended = private::mend_ours(&self.0, |name| OURS.contains(&name));
        let mended = mended.map_err(|source| StateError {
            path: self.0.clone(),
            source,
        })?;
        private::say_mended(mended, &self.0);
        Ok(())
    }

    /// Writes a whole file atomically, synced, with mode 0600.
    ///
    /// # Errors
    /// The file system's error; the old file is still there then.
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

    /// Reads a file; `None` when it does not exist.
    ///
    /// # Errors
    /// The file system's error.
    pub fn read(&self, name: &str) -> Result<Option<String>, StateError> {
        let path = self.file(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StateError { path, source }),
        }
    }

    /// Removes a file; a missing file is not an error.
    ///
    /// # Errors
    /// The file system's error.
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

    /// Stores whether the owner paused this machine.
    ///
    /// # Errors
    /// The file system's error.
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
