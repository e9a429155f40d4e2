//! Finds files that other users of the machine could read.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files and folders in `folder`, and itself, with any right for the group or others. Sockets and links do not count.
///
/// # Panics
/// When the folder cannot be read.
pub fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let mut open = Vec::new();
    each(folder, &mut |path, mode| {
        if mode & 0o077 != 0 {
            open.push(path.to_owned());
        }
    });
    open
}

/// Lets everybody read all files and folders in `folder`, and itself, as the umask 022 does.
///
/// # Panics
/// When a mode cannot be changed.
pub fn open_all(folder: &Path) {
    each(folder, &mut |path, mode| {
        let more = if path.is_dir() { 0o055 } else { 0o044 };
        std::fs::set_permissions(path, Permissions::from_mode(mode | more)).expect("a mode");
    });
}

/// Makes new files of this process readable for others, as on most machines.
pub fn usual_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
}

fn each(path: &Path, with: &mut dyn FnMut(&Path, u32)) {
    let facts = std::fs::symlink_metadata(path).expect("it is there");
    if !(facts.is_file() || facts.is_dir()) {
        return;
    }
    with(path, facts.mode() & 0o777);
    if facts.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            each(&entry.expect("an entry").path(), with);
        }
    }
}
