//! This process itself: nobody reads its memory, it leaves no core file, its files are its own.

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, dumpable_behavior, geteuid, set_dumpable_behavior,
    setrlimit, umask,
};

/// What could not be had, for people.
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
        "this process stayed dumpable"
    );
    Ok(())
}

/// What is weaker than it could be.
pub fn warnings(users: &[u32]) -> Vec<String> {
    let own = geteuid().as_raw();
    let mut warnings = Vec::new();
    if users.contains(&own) {
        warnings.push(format!(
            "the broker runs as user {own}, as the gateway does: who takes over the gateway can read the root key's file and the store. A user of its own is safer (deploy/systemd/roost-broker.service)"
        ));
    }
    warnings
}
