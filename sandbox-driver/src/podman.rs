//! How Podman differs from Docker behind the same API. Each rule was seen on Podman 4.3; anything else counts as a
//! difference.
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::DriverError;
use crate::inspect::{is_nothing, same_set, strings};

/// Writes a seccomp profile to a folder that only this user can write to, under a name from its content. Podman takes
/// the path of a profile and not its content.
///
/// # Errors
/// [`DriverError::File`] when the folder belongs to another user or cannot be written.
pub(crate) fn profile_file(profile: &str) -> Result<PathBuf, DriverError> {
    let own = rustix::process::geteuid();
    let folder = match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) => PathBuf::from(folder).join("roost"),
        None if own.is_root() => PathBuf::from("/run/roost"),
        None => std::env::temp_dir().join(format!("roost-{}", own.as_raw())),
    };
    let path = folder.join(format!(
        "seccomp-{}.json",
        &hex::encode(Sha256::digest(profile))[..16]
    ));
    let written: io::Result<()> = (|| {
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let meta = std::fs::symlink_metadata(&folder)?;
        if !meta.is_dir() || meta.uid() != own.as_raw() || meta.mode() & 0o022 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "another user can write to the folder",
            ));
        }
        if std::fs::read(&path).is_ok_and(|held| held == profile.as_bytes()) {
            return Ok(());
        }
        replace(&path, profile)
    })();
    written
        .map_err(|source| DriverError::file("cannot write the seccomp profile", &path, source))?;
    Ok(path)
}

fn replace(path: &Path, profile: &str) -> io::Result<()> {
    let partial = path.with_extension(format!("{}.partial", std::process::id()));
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&partial)?;
    file.write_all(profile.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&partial, path)
}

/// Whether Podman's answer matches the request.
pub(crate) fn same(field: &str, wanted: &Value, got: &Value) -> bool {
    match field {
        // Podman lists every capability by name instead of ALL.
        "CapDrop" => wanted == &serde_json::json!(["ALL"]) && strings(got).len() >= 11,
        // Podman reports only part of these; the probe checks the effect.
        "SecurityOpt" => {
            let kept: Vec<_> = strings(wanted)
                .into_iter()
                .filter(|option| option == "no-new-privileges")
                .collect();
            let got: Vec<_> = strings(got)
                .into_iter()
                .filter(|option| !strings(wanted).contains(option) || kept.contains(option))
                .filter(|option| !option.starts_with("mask="))
                .collect();
            same_set(&kept, &got)
        }
        // Not reported; the probe checks the effect.
        "MaskedPaths" | "ReadonlyPaths" => is_nothing(got),
        // Returned as a quota, which is compared in its own field.
        "NanoCpus" => is_nothing(got) || wanted == got,
        // Podman reports this for a private one too; nobody joins it.
        "IpcMode" => wanted == "private" && got == "shareable",
        // Podman's compatible API ignores this one. With cgroup v2 its own default is private. With cgroup v1 it is the
        // host's, and then `verify` fails and shows the differing facts.
        "CgroupnsMode" => is_nothing(got) || got == "private",
        _ => false,
    }
}
