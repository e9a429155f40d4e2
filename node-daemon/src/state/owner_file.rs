//! `owner.toml`: the policy of the machine's owner. `join` writes it with comments; the daemon never changes it.
use roost_sandbox_driver::executor::OwnerPolicy;

use super::folder::{StateError, StateFolder};

pub const NAME: &str = "owner.toml";

const TEMPLATE: &str = r#"# What you, the owner of this machine, allow. The gateway cannot loosen it.
# Changes take effect at the next start of roostd (or `systemctl restart roostd`).

# Images that may run. Empty allows every image; "name:*" allows every tag of a name.
images = []

# Limits of all sandboxes together. A sandbox above a limit is refused. If roostd can set them (as root), the kernel also
# enforces memory, cpus and processes. Without these lines: three quarters of this machine's memory, nine tenths of its cpus
# (sixteen may be promised for each), half of its processes, 256 sandboxes.
#most_sandboxes = 8
#most_memory_bytes = 8_589_934_592
#most_cpus = 4.0
#most_pids = 8192

# Limits of one sandbox. Without these lines: half of the memory above, all of its cpus, 4096 processes.
#each_memory_bytes = 4_294_967_296
#each_workspace_bytes = 2_147_483_648
#each_cpus = 2.0
#each_pids = 1024

# Limits on the disk: the output of commands (1 GiB), and snapshots of workspaces (a quarter of the disk). Old ones
# are removed first; the latest snapshot of an agent stays.
#most_output_bytes = 1_073_741_824
#most_archive_bytes = 34_359_738_368

# Whether this machine fetches the images of the gateway's catalogue that it lacks, as far as `images` allows them.
# Without this line: true.
#fetch_images = false

# Most bytes of snapshots that this machine uploads to the gateway each second. Without this line: as fast as the line.
# A run waits for no upload, but another machine gets the files later.
#upload_limit = 1_048_576

# A shell on this machine for the members of your workspace. It is off by default.
shell = false
"#;

/// Writes the file with its comments, unless it exists.
///
/// # Errors
/// The file system's error.
pub fn write_template(state: &StateFolder) -> Result<(), StateError> {
    if state.read(NAME)?.is_some() {
        return Ok(());
    }
    state.write(NAME, TEMPLATE.as_bytes())
}

/// Reads the owner's policy. Without a file everything except a shell is allowed.
///
/// # Errors
/// When the file is not valid. An unreadable policy is never treated as a missing one.
pub fn load(state: &StateFolder) -> Result<OwnerPolicy, StateError> {
    let Some(text) = state.read(NAME)? else {
        return Ok(OwnerPolicy::default());
    };
    let wrong = |source: std::io::Error| StateError {
        path: state.file(NAME),
        source,
    };
    let invalid = std::io::ErrorKind::InvalidData;
    let policy: OwnerPolicy =
        toml::from_str(&text).map_err(|error| wrong(std::io::Error::new(invalid, error)))?;
    match policy.mistakes().as_slice() {
        [] => Ok(policy),
        mistakes => {
            let lines: Vec<String> = mistakes
                .iter()
                .map(|(key, problem)| format!("{key} {problem}"))
                .collect();
            Err(wrong(std::io::Error::new(invalid, lines.join("; "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_the_default_and_mistakes_are_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateFolder::find(Some(folder.path().into()), false, |_| None);
        write_template(&state).expect("written");
        assert_eq!(load(&state).expect("a policy"), OwnerPolicy::default());
        state
            .write(NAME, b"images = [\"a:*\"]\nmost_sandboxes = 2\n")
            .expect("writes");
        write_template(&state).expect("kept");
        assert_eq!(load(&state).expect("a policy").most_sandboxes, Some(2));
        let all = TEMPLATE
            .replace("\n#most", "\nmost")
            .replace("\n#each", "\neach")
            .replace("\n#fetch", "\nfetch")
            .replace("\n#upload", "\nupload");
        state.write(NAME, all.as_bytes()).expect("writes");
        let all = load(&state).expect("every commented line is right");
        assert_eq!((all.most_cpus, all.each_pids), (Some(4.0), Some(1024)));
        assert!(all.most_archive_bytes.is_some());
        assert_eq!(all.fetch_images, Some(false));
        assert_eq!(all.upload_limit, Some(1 << 20));
        state.write(NAME, b"each_pids = 1\n").expect("writes");
        let error = load(&state).expect_err("too few").to_string();
        assert!(error.contains("each_pids must be 16"), "{error}");
        state.write(NAME, b"most_sandboxen = 2\n").expect("writes");
        assert!(load(&state).is_err());
    }
}
