//! Probes: what Roost itself runs in the sandbox of a mission, without an agent. A probe has a list of commands, and reads
//! what they wrote. All of it is pure: `missions` starts the run, and the runtime runs the commands.
mod benchmark;
mod files;
#[cfg(test)]
mod golden;
mod scanners;
mod scans_with;
mod secrets;
mod security;
mod settings;

pub use benchmark::Measured;
pub use scans_with::scans_with;
pub use secrets::{Scanned as ScannedFiles, scan_archive};
pub use security::{Findings, Found, Side as SecuritySide, Written, reports as security_reports};
pub use settings::{BenchmarkSettings, SecuritySettings, check as check_settings};

/// The folder of the base commit in the sandbox, beside the checkout.
const BASE_FOLDER: &str = "/workspace/.roost-base";

/// Checks out the base commit beside the checkout of the run, and prints both commits.
const PREPARE: &str = r#"set -eu
base=${ROOST_BASE:-$(git rev-parse HEAD)}
folder=/workspace/.roost-base
git worktree remove --force "$folder" 2>/dev/null || rm -rf "$folder"
git worktree prune
git worktree add --quiet --detach --force "$folder" "$base" >&2
echo "before $base"
echo "after $(git rev-parse HEAD)"
echo "folder $(pwd)"
"#;

/// How long the base may take to be checked out, in seconds.
const PREPARE_S: u64 = 300;

/// What the preparation printed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prepared {
    before: String,
    after: String,
    /// The folder of the checkout.
    folder: String,
}

impl Prepared {
    fn read(text: &str) -> Option<Self> {
        let value = |key: &str| {
            let mut lines = text.lines().rev();
            let found = lines.find_map(|line| line.strip_prefix(key));
            found.map(|value| value.trim().to_owned())
        };
        Some(Self {
            before: value("before ")?,
            after: value("after ")?,
            folder: value("folder ")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Prepared;

    #[test]
    fn the_preparation_names_both_commits_and_the_folder() {
        let read = Prepared::read("hint: noise\nbefore aa\nafter bb\nfolder /workspace/demo\n");
        let read = read.unwrap();
        assert_eq!((read.before.as_str(), read.after.as_str()), ("aa", "bb"));
        assert_eq!(read.folder, "/workspace/demo");
        assert_eq!(Prepared::read("before aa\n"), None);
    }
}
