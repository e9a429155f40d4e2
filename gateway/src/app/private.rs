//! The data directory: only this user can read the gateway's files in it.

use std::io;
use std::path::Path;

use roost_sandbox_driver::private;

/// The folder in which uploads arrive, as files without a name.
pub(super) const UPLOADS: &str = "uploads";
/// The folder with the packages of each workspace.
pub(super) const SUPPLIES: &str = "supplies";

/// Creates the data directory, and corrects files that an older gateway or another umask left readable for others.
pub(super) fn make_data_dir(path: &Path) -> io::Result<()> {
    private::make_folder(path)?;
    private::make_folder(&path.join(UPLOADS))?;
    let mended = private::mend_ours(path, is_ours)?;
    private::say_mended(mended, path);
    Ok(())
}

/// The names of files that the gateway and its own broker create. A directory with other files keeps its mode, because
/// other programs may share it.
fn is_ours(name: &str) -> bool {
    [
        "roost.db",
        "roost.toml",
        "first-login",
        "operator-token",
        "local-engine",
        "broker",
        "chunks",
        UPLOADS,
        "images",
        SUPPLIES,
    ]
    .iter()
    .any(|ours| name.starts_with(ours))
}

/// Writes a secret to a file that only this user reads.
///
/// # Errors
/// When the file system refuses.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    private::write(path, format!("{text}\n").as_bytes())
}
