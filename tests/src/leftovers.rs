//! What a test leaves on this machine's container engine.

use std::path::Path;
use std::process::Command;

/// Removes the containers of an installation: those that its state folder's `install-id` names. Nothing happens without one.
pub(crate) fn remove_containers(state: &Path) {
    let Ok(id) = std::fs::read_to_string(state.join("install-id")) else {
        return;
    };
    let label = format!("label=org.roost.owner={}", id.trim());
    let Ok(listed) = Command::new("docker")
        .args(["ps", "-aq", "--filter", &label])
        .output()
    else {
        return;
    };
    let ids = String::from_utf8_lossy(&listed.stdout).into_owned();
    let ids: Vec<&str> = ids.split_whitespace().collect();
    if !ids.is_empty() {
        // A container that has just ended by itself is no matter.
        let _ = Command::new("docker").args(["rm", "-f"]).args(ids).output();
    }
}
