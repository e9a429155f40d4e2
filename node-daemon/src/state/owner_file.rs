//! `owner.toml`: what the machine's owner allows. Written with comments at join, never changed by the daemon after.
use roost_sandbox_driver::executor::OwnerPolicy;

use super::folder::{StateError, StateFolder};

pub const NAME: &str = "owner.toml";

const TEMPLATE: &str = r#"# What you, the owner of this machine, allow. The gateway cannot loosen it.
# Changes count from the next start of roostd (or `systemctl restart roostd`).

# Images that may run. Empty allows every image; "name:*" allows every tag of a name.
images = []

# Most sandboxes at once.
#most_sandboxes = 8

# Most memory of all sandboxes together, bytes.
#most_memory_bytes = 8_589_934_592

# Most cpus of all sandboxes together.
#most_cpus = 4.0

# A shell on this machine for the members of your workspace. Off unless you switch it on.
shell = false
"#;

/// Writes the file with its comments, unless there is one.
///
/// # Errors
/// What the file system says.
pub fn write_template(state: &StateFolder) -> Result<(), StateError> {
    if state.read(NAME)?.is_some() {
        return Ok(());
    }
    state.write(NAME, TEMPLATE.as_bytes())
}

/// Reads the owner's policy; without a file everything but a shell is allowed.
///
/// # Errors
/// When the file is not what it should be: a policy that cannot be read is never taken as none.
pub fn load(state: &StateFolder) -> Result<OwnerPolicy, StateError> {
    let Some(text) = state.read(NAME)? else {
        return Ok(OwnerPolicy::default());
    };
    toml::from_str(&text).map_err(|error| StateError {
        path: state.file(NAME),
        source: std::io::Error::new(std::io::ErrorKind::InvalidData, error),
    })
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
        let all = TEMPLATE.replace("\n#most", "\nmost");
        state.write(NAME, all.as_bytes()).expect("writes");
        assert_eq!(
            load(&state)
                .expect("every commented line is right")
                .most_cpus,
            Some(4.0)
        );
        state.write(NAME, b"most_sandboxen = 2\n").expect("writes");
        assert!(load(&state).is_err());
    }
}
