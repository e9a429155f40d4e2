//! Private files and folders for secrets and tenants' data. They are made for their owner only, and repaired where an
//! older version or another umask left them readable.
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// All rights of the group and of others.
const OTHERS: u32 = 0o077;
/// The sticky bit: a folder that many users share, such as `/tmp`.
const STICKY: u32 = 0o1000;

/// Makes all new files of this process private, whatever the umask was. Call it before any thread starts.
pub fn by_default() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Makes a folder and its parents for this user only. An existing folder is unchanged; see [`mend`].
///
/// # Errors
/// The file system's error.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes an empty file for this user only, unless the file exists.
///
/// # Errors
/// The file system's error.
pub fn touch(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Replaces a file atomically, synced, for this user only. The old file stays until the new one is complete.
///
/// # Errors
/// The file system's error.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    // The mode applies only to new files: never write a secret into an existing file.
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(&fresh)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Removes all rights of the group and of others from a file, or from a folder and everything in it. Links, sockets and
/// other users' files are not changed, nor is a shared folder such as `/tmp` itself. Returns how many were changed; 0
/// for a missing path.
///
/// # Errors
/// The file system's error.
pub fn mend(path: &Path) -> io::Result<u32> {
    let facts = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        facts => facts?,
    };
    let mut changed = u32::from(close(path, &facts)?);
    if facts.is_dir() {
        for entry in fs::read_dir(path)? {
            changed += mend(&entry?.path())?;
        }
    }
    Ok(changed)
}

/// As [`mend`], for a folder in which its owner may keep other files. Only entries that `ours` accepts are changed, and
/// the folder itself only when it holds nothing else.
///
/// # Errors
/// The file system's error.
pub fn mend_ours(folder: &Path, ours: impl Fn(&str) -> bool) -> io::Result<u32> {
    let mut changed = 0;
    let mut only_ours = true;
    for path in entries(folder)? {
        if path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(&ours)
        {
            changed += mend(&path)?;
        } else {
            only_ours = false;
        }
    }
    if only_ours {
        changed += u32::from(close(folder, &fs::symlink_metadata(folder)?)?);
    }
    Ok(changed)
}

/// Logs once how many files were changed.
pub fn say_mended(changed: u32, folder: &Path) {
    if changed > 0 {
        tracing::warn!(
            changed,
            folder = %folder.display(),
            "other users of this machine could read these files or folders; now only this user can"
        );
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

fn close(path: &Path, facts: &Metadata) -> io::Result<bool> {
    let kind = facts.file_type();
    let mode = facts.mode() & 0o7777;
    let ours = facts.uid() == rustix::process::geteuid().as_raw();
    if !(kind.is_file() || kind.is_dir()) || !ours || mode & OTHERS == 0 || mode & STICKY != 0 {
        return Ok(false);
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        // The file vanished meanwhile: a write-ahead log, or a renamed file.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        outcome => outcome.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    fn open_file(path: &Path) {
        fs::write(path, b"x").unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
    }

    #[test]
    fn new_files_are_private_with_any_earlier_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("a/b");
        make_folder(&made).unwrap();
        assert_eq!(mode(&made), 0o700);
        let file = made.join("id");
        open_file(&made.join("id.new"));
        write(&file, b"one").unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(
            (mode(&file), fs::read(&file).unwrap()),
            (0o600, b"two".to_vec())
        );
        touch(&file).unwrap();
        touch(&made.join("empty")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(mode(&made.join("empty")), 0o600);
    }

    #[test]
    fn readable_tree_is_made_private_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        open_file(&outside);
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).unwrap();
        fs::set_permissions(&tree, Permissions::from_mode(0o755)).unwrap();
        open_file(&tree.join("file"));
        std::os::unix::fs::symlink(&outside, tree.join("link")).unwrap();
        assert_eq!(mend(&tree).unwrap(), 2);
        assert_eq!(mend(&tree).unwrap(), 0);
        assert_eq!((mode(&tree), mode(&tree.join("file"))), (0o700, 0o600));
        assert_eq!(mode(&outside), 0o644);
        assert_eq!(mend(&tree.join("nothing")).unwrap(), 0);
    }

    #[test]
    fn folder_with_files_of_other_users_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let set = |mode| fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        set(0o755);
        open_file(&folder.path().join("ours.db"));
        open_file(&folder.path().join("theirs"));
        let ours = |name: &str| name.starts_with("ours");
        assert_eq!(mend_ours(folder.path(), ours).unwrap(), 1);
        assert_eq!(mode(folder.path()), 0o755);
        assert_eq!(mode(&folder.path().join("theirs")), 0o644);
        fs::remove_file(folder.path().join("theirs")).unwrap();
        assert_eq!(mend_ours(folder.path(), ours).unwrap(), 1);
        assert_eq!(mode(folder.path()), 0o700);
        // A folder that all users share is never changed, even when this user owns it.
        set(0o1777);
        assert_eq!(mend_ours(folder.path(), ours).unwrap(), 0);
        assert_eq!(mode(folder.path()), 0o1777);
    }
}
