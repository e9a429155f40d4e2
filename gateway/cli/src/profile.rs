//! Where the client remembers its gateway: one TOML file that only this user reads.

use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// A gateway and the session there.
#[derive(Serialize, Deserialize)]
pub struct Profile {
    pub url: String,
    pub token: String,
    /// The workspace that commands act in.
    pub workspace: Option<String>,
    /// The authority that signed the gateway's certificate, when it is a private one.
    pub ca_file: Option<PathBuf>,
}

impl Profile {
    /// `ROOST_CLIENT_CONFIG`, else `$XDG_CONFIG_HOME/roost/client.toml`, else `~/.config/roost/client.toml`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn path() -> anyhow::Result<PathBuf> {
        if let Some(path) = std::env::var_os("ROOST_CLIENT_CONFIG") {
            return Ok(path.into());
        }
        let folder = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))
            .context(
                "neither HOME nor XDG_CONFIG_HOME is set; give a file with ROOST_CLIENT_CONFIG",
            )?;
        Ok(folder.join("roost").join("client.toml"))
    }

    /// Reads it.
    ///
    /// # Errors
    /// When nobody signed in, or others can read the file.
    pub fn load() -> anyhow::Result<Self> {
        let path = Self::path()?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                anyhow::bail!("you are not signed in; run `roost login --url ADDRESS`")
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let mode = std::fs::metadata(&path)?.permissions().mode();
        anyhow::ensure!(
            mode & 0o077 == 0,
            "{} holds a session and others can read it; run `chmod 600` on it",
            path.display()
        );
        toml::from_str(&text)
            .with_context(|| format!("{} is not a client file; sign in again", path.display()))
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn save(&self) -> anyhow::Result<PathBuf> {
        let path = Self::path()?;
        let folder = path.parent().context("the client file has no folder")?;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let fresh = path.with_extension(format!("new-{}", std::process::id()));
        let mut file = std::fs::OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&fresh)?;
        file.write_all(toml::to_string(self)?.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, &path)?;
        Ok(path)
    }

    /// Forgets it.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn forget() -> anyhow::Result<()> {
        match std::fs::remove_file(Self::path()?) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
