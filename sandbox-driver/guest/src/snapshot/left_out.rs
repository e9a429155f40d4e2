//! What a snapshot leaves out: what can be made again, and what the workspace's `.roostignore` names.
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The file at the top of the workspace that names more; the form is that of `.gitignore`.
const IGNORE_FILE: &str = ".roostignore";
/// A larger file is refused: it is read before each snapshot.
const MOST_IGNORE_FILE: u64 = 64 * 1024;
/// Folders at the top level that only running commands need.
const ONLY_WHILE_RUNNING: [&str; 1] = [".tmp"];

/// The rules of one workspace.
pub struct LeftOut(Gitignore);

impl LeftOut {
    /// Reads the workspace's own rules. A rule that cannot be read is told in `problems`, and the others apply.
    pub fn of(root: &Path, problems: &mut Vec<String>) -> Self {
        let mut builder = GitignoreBuilder::new("");
        let text = match fs::symlink_metadata(root.join(IGNORE_FILE)) {
            Ok(meta) if !meta.is_file() => Err(io::Error::other("it is not a file")),
            Ok(meta) if meta.len() > MOST_IGNORE_FILE => Err(io::Error::other(format!(
                "it is larger than {MOST_IGNORE_FILE} bytes"
            ))),
            Ok(_) => fs::read_to_string(root.join(IGNORE_FILE)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        };
        match text {
            Ok(text) => {
                for line in text.lines() {
                    if let Err(error) = builder.add_line(None, line) {
                        problems.push(format!("{IGNORE_FILE}: {error}"));
                    }
                }
            }
            Err(error) => problems.push(format!("{IGNORE_FILE} is not used: {error}")),
        }
        Self(builder.build().unwrap_or_else(|error| {
            problems.push(format!("{IGNORE_FILE} is not used: {error}"));
            Gitignore::empty()
        }))
    }

    /// Why an entry is left out; `None` when it is kept. `path` is relative to the workspace `root`.
    pub fn reason(&self, root: &Path, path: &Path, is_folder: bool) -> Option<&'static str> {
        if self.0.matched(path, is_folder).is_ignore() {
            return Some("named in .roostignore");
        }
        if !is_folder {
            return None;
        }
        let name = path.file_name()?;
        let above = path.parent().unwrap_or(Path::new(""));
        let made_again = match name.to_str()? {
            "node_modules" => true,
            // Only beside the file that makes it: a person's own folder may have the same name.
            "target" => root.join(above).join("Cargo.toml").is_file(),
            ".venv" | "venv" => root.join(path).join("pyvenv.cfg").is_file(),
            // What pnpm unpacked.
            ".pnpm-store" => above == Path::new(""),
            // Packages that the gateway brings again.
            ".supplies" | ".supplies.half" => above == Path::new(""),
            "registry" => above.file_name() == Some(OsStr::new(".cargo")),
            _ => false,
        };
        made_again.then_some("it can be made again")
    }
}

/// Whether an entry is never told of: it belongs to commands that run.
pub fn only_while_running(path: &Path) -> bool {
    ONLY_WHILE_RUNNING
        .iter()
        .any(|name| path == Path::new(name))
}
