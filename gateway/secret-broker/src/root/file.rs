//! The source of a keyring's keys: a file of the broker, or a credential from systemd.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use roost_secret_broker::wire::RootKind;
use zeroize::Zeroizing;

use super::{KeyText, RootError};
use crate::disk;
use crate::seal::DataKey;

/// Most bytes of a key file: a few keys and comments.
const MOST: u64 = 16 * 1024;

/// A file of keys: 64 hexadecimal digits a line, the active key first; `#` begins a comment.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// The broker makes it at its first start and changes it in a rekey.
    File(PathBuf),
    /// Below `$CREDENTIALS_DIRECTORY`; read only.
    Credential(PathBuf),
    #[cfg(test)]
    Memory,
}

impl KeySource {
    pub(super) fn kind(&self) -> RootKind {
        match self {
            Self::Credential(_) => RootKind::Credential,
            _ => RootKind::File,
        }
    }

    /// Reads the keys. Makes a missing file if nothing was sealed under an earlier key.
    pub(super) fn read(&self, store_is_empty: bool) -> Result<Vec<DataKey>, RootError> {
        let path = match self {
            Self::File(path) | Self::Credential(path) => path,
            #[cfg(test)]
            Self::Memory => return Ok(Vec::new()),
        };
        match read(path, self.hidden_from()) {
            Err(RootError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                if !store_is_empty || matches!(self, Self::Credential(_)) {
                    return Err(RootError::Missing {
                        path: path.display().to_string(),
                    });
                }
                let key = DataKey::fresh();
                self.write(&[&key])?;
                Ok(vec![key])
            }
            text => parse(path, &text?),
        }
    }

    /// The mode bits that must be off. systemd grants the unit's user by an access list, which shows as group rights.
    fn hidden_from(&self) -> u32 {
        match self {
            Self::Credential(_) => 0o007,
            _ => 0o077,
        }
    }

    pub(super) fn write(&self, keys: &[&DataKey]) -> Result<(), RootError> {
        let path = match self {
            Self::File(path) => path,
            Self::Credential(path) => {
                return Err(RootError::ReadOnly {
                    path: path.display().to_string(),
                });
            }
            #[cfg(test)]
            Self::Memory => return Ok(()),
        };
        let mut text = Zeroizing::new(String::with_capacity(1024 + keys.len() * 65));
        text.push_str(
            "# The root key of Roost's secret broker. Without it no stored credential can be used: keep a copy in another place.\n",
        );
        for key in keys {
            let line: KeyText = Zeroizing::new(hex::encode(key.reveal()));
            text.push_str(&line);
            text.push('\n');
        }
        disk::replace(path, text.as_bytes()).map_err(|source| RootError::Unwritable {
            path: path.display().to_string(),
            source,
        })
    }
}

/// Reads a file that only this user can read.
pub(super) fn read_private(path: &Path) -> Result<KeyText, RootError> {
    read(path, 0o077)
}

fn read(path: &Path, hidden_from: u32) -> Result<KeyText, RootError> {
    let shown = path.display().to_string();
    let unreadable = |source| RootError::Unreadable {
        path: shown.clone(),
        source,
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let facts = file.metadata().map_err(unreadable)?;
    let own = rustix::process::geteuid().as_raw();
    if facts.uid() != own && facts.uid() != 0 {
        return Err(RootError::Owner {
            path: shown,
            owner: facts.uid(),
        });
    }
    if facts.mode() & hidden_from != 0 {
        return Err(RootError::Open {
            path: shown,
            mode: facts.mode() & 0o777,
        });
    }
    let mut text = Zeroizing::new(String::with_capacity(MOST as usize));
    file.take(MOST)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    Ok(text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<DataKey>, RootError> {
    let malformed = || RootError::Malformed {
        path: path.display().to_string(),
    };
    let mut keys = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut bytes = Zeroizing::new([0_u8; 32]);
        hex::decode_to_slice(line, &mut *bytes).map_err(|_| malformed())?;
        keys.push(DataKey::from_bytes(&*bytes).ok_or_else(malformed)?);
    }
    if keys.is_empty() {
        Err(malformed())
    } else {
        Ok(keys)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn first_key_is_made_private_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root-key");
        let source = KeySource::File(path.clone());
        let made = source.read(true).unwrap();
        let mode = std::fs::metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let again = source.read(false).unwrap();
        assert!(made[0].reveal() == again[0].reveal());
    }

    #[test]
    fn missing_key_is_not_recreated_when_records_need_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root-key");
        let missing = KeySource::File(path.clone()).read(false);
        assert!(matches!(missing, Err(RootError::Missing { .. })));
        assert!(!path.exists());
        let credential = KeySource::Credential(path).read(true);
        assert!(matches!(credential, Err(RootError::Missing { .. })));
    }

    #[test]
    fn readable_or_invalid_key_file_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root-key");
        let source = KeySource::File(path.clone());
        source.read(true).unwrap();
        chmod(&path, 0o640);
        let open = source.read(false).err().unwrap();
        assert!(open.to_string().contains("chmod 600"), "{open}");
        for text in ["", "# nothing\n", "abcd\n", &"x".repeat(64)] {
            std::fs::write(&path, text).unwrap();
            chmod(&path, 0o600);
            assert!(
                matches!(source.read(false), Err(RootError::Malformed { .. })),
                "{text:?}"
            );
        }
    }
}
