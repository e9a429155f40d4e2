//! Files and folders that only this user reads.

/// The folder holds hashes of secrets: nobody else on the machine reads it.
pub(super) fn make_data_dir(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

/// Writes a secret to a file that only this user reads.
///
/// # Errors
/// When the file system says no.
pub fn write_private(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let fresh = path.with_extension("new");
    // The mode counts only for a file that is made: never write a secret into one that was there.
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&fresh)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
}
