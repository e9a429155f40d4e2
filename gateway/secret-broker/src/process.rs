//! Hardens this process: other users cannot read its memory, it writes no core file, and its files are private.

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, dumpable_behavior, geteuid, set_dumpable_behavior,
    setrlimit, umask,
};

/// Hardens the process; the error says what failed.
pub fn harden() -> anyhow::Result<()> {
    use anyhow::Context;
    umask(rustix::fs::Mode::from_raw_mode(0o077));
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none).context("core files cannot be switched off")?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .context("this process cannot be made undumpable")?;
    anyhow::ensure!(
        dumpable_behavior().ok() == Some(DumpableBehavior::NotDumpable),
        "this process is still dumpable"
    );
    Ok(())
}

/// Warnings about a weaker set-up than possible.
pub fn warnings(users: &[u32]) -> Vec<String> {
    let own = geteuid().as_raw();
    let mut warnings = Vec::new();
    if users.contains(&own) {
        warnings.push(format!(
            "the broker and the gateway run as the same user {own}: an attacker who takes over the gateway can read the root key's file and the store. A separate user is safer (deploy/systemd/roost-broker.service)"
        ));
    }
    warnings
}
