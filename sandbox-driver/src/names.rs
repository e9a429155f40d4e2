//! Names and labels. Only labels identify our containers; nothing without them is ever changed.
use std::collections::HashMap;

use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts, SandboxSpec};
use sha2::{Digest, Sha256};

/// Present on all our containers; its value is the sandbox id.
pub const SANDBOX: &str = "org.roost.sandbox";
/// The program that made it. Other programs on the same engine leave it alone.
pub const OWNER: &str = "org.roost.owner";
const WORKSPACE: &str = "org.roost.workspace";
const AGENT: &str = "org.roost.agent";
const NODE: &str = "org.roost.node";
const EPOCH: &str = "org.roost.epoch";
const CREATED: &str = "org.roost.created";
const LIMITS: &str = "org.roost.limits";
/// Digest of the spec and of the archive to restore. The same id with another spec is an error.
pub const SPEC: &str = "org.roost.spec";
/// `1` on probe sandboxes of `verify`: they are never listed and are swept first. `0` on every other sandbox, because a
/// container inherits its image's labels, and an image must not be able to hide a sandbox.
pub const PROBE: &str = "org.roost.probe-sandbox";

pub use roost_protocol::sandbox::container_name as container;

/// Labels of a sandbox; `created_s` in seconds since the epoch.
pub fn labels(
    owner: &str,
    spec: &SandboxSpec,
    limits: Limits,
    restore: Option<&str>,
    created_s: i64,
) -> HashMap<String, String> {
    HashMap::from([
        (OWNER.to_owned(), owner.to_owned()),
        (SANDBOX.to_owned(), spec.sandbox.to_string()),
        (WORKSPACE.to_owned(), spec.workspace.to_string()),
        (AGENT.to_owned(), spec.agent.to_string()),
        (
            NODE.to_owned(),
            spec.node
                .map_or_else(|| "local".to_owned(), |node| node.to_string()),
        ),
        (EPOCH.to_owned(), spec.epoch.to_string()),
        (CREATED.to_owned(), created_s.to_string()),
        (
            LIMITS.to_owned(),
            format!(
                "{}/{}/{}/{}",
                limits.memory_bytes, limits.workspace_bytes, limits.nano_cpus, limits.pids
            ),
        ),
        (SPEC.to_owned(), spec_digest(spec, restore)),
        (PROBE.to_owned(), "0".to_owned()),
    ])
}

/// Digest of the request.
pub fn spec_digest(spec: &SandboxSpec, restore: Option<&str>) -> String {
    let text = serde_json::to_vec(&(spec, restore)).unwrap_or_default();
    hex::encode(Sha256::digest(text))
}

/// Reads the facts from a container's labels; `None` when they are not ours or are damaged.
pub fn facts(
    labels: &HashMap<String, String>,
    container: &str,
    image: &str,
    state: ContainerState,
) -> Option<SandboxFacts> {
    let get = |name: &str| labels.get(name).map(String::as_str);
    Some(SandboxFacts {
        sandbox: get(SANDBOX)?.parse().ok()?,
        workspace: get(WORKSPACE)?.parse().ok()?,
        agent: get(AGENT)?.parse().ok()?,
        epoch: get(EPOCH)?.parse().ok()?,
        container: container.to_owned(),
        image: image.to_owned(),
        state,
        created_at_s: get(CREATED)?.parse().ok()?,
        limits: parse_limits(get(LIMITS)?)?,
    })
}

fn parse_limits(text: &str) -> Option<Limits> {
    let mut parts = text.split('/');
    Some(Limits {
        memory_bytes: parts.next()?.parse().ok()?,
        workspace_bytes: parts.next()?.parse().ok()?,
        nano_cpus: parts.next()?.parse().ok()?,
        pids: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::tests::spec;

    #[test]
    fn facts_are_read_from_labels() {
        let spec = spec();
        let labels = labels("me", &spec, spec.limits, None, 1_700_000_000);
        let facts = facts(&labels, "abc", &spec.image, ContainerState::Running).unwrap();
        assert_eq!(facts.sandbox, spec.sandbox);
        assert_eq!(facts.limits, spec.limits);
        assert_eq!(facts.created_at_s, 1_700_000_000);
    }

    #[test]
    fn a_container_without_our_labels_has_no_facts() {
        let spec = spec();
        let mut labels = labels("me", &spec, spec.limits, None, 0);
        labels.remove(WORKSPACE);
        assert!(facts(&labels, "abc", "x", ContainerState::Running).is_none());
        assert!(facts(&HashMap::new(), "abc", "x", ContainerState::Running).is_none());
    }

    #[test]
    fn different_archive_or_limit_is_a_different_spec() {
        let a = spec();
        let mut b = a.clone();
        b.limits.pids += 1;
        assert_eq!(spec_digest(&a, None), spec_digest(&a.clone(), None));
        assert_ne!(spec_digest(&a, None), spec_digest(&b, None));
        assert_ne!(spec_digest(&a, None), spec_digest(&a, Some("00")));
    }
}
