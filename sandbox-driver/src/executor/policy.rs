//! The owner's policy: what the machine's owner allows; a gateway cannot loosen it. Pure.
use roost_protocol::report::{ErrorKind, OperationError};
use roost_protocol::sandbox::SandboxSpec;
use serde::{Deserialize, Serialize};

/// Caps of the machine's owner. Absent means no cap of the owner's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnerPolicy {
    /// Images that may run, as written in a spec; `name:*` allows every tag of a name. Empty allows every image.
    pub images: Vec<String>,
    /// Most sandboxes at once.
    pub most_sandboxes: Option<u32>,
    /// Most memory of all sandboxes together, bytes.
    pub most_memory_bytes: Option<u64>,
    /// Most cpus of all sandboxes together, in whole or part cpus.
    pub most_cpus: Option<f64>,
    /// Whether a host shell may be opened; off unless the owner says so.
    pub shell: bool,
}

/// What runs already, for the caps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InUse {
    pub sandboxes: u32,
    pub memory_bytes: u64,
    pub nano_cpus: u64,
}

impl OwnerPolicy {
    /// Decides whether one more sandbox may be made.
    ///
    /// # Errors
    /// [`ErrorKind::OwnerPolicy`] with a sentence that names the cap and where it is set.
    pub fn admit(&self, spec: &SandboxSpec, used: InUse) -> Result<(), OperationError> {
        let refuse = |detail: String| {
            Err(OperationError {
                kind: ErrorKind::OwnerPolicy,
                detail: format!("{detail}; the machine's owner sets this in owner.toml"),
            })
        };
        if !self.images.is_empty()
            && !self
                .images
                .iter()
                .any(|rule| image_matches(rule, &spec.image))
        {
            return refuse(format!(
                "the image {:?} is not among the allowed images",
                spec.image
            ));
        }
        if let Some(most) = self.most_sandboxes
            && used.sandboxes >= most
        {
            return refuse(format!(
                "{} sandboxes run here; at most {most} are allowed",
                used.sandboxes
            ));
        }
        if let Some(most) = self.most_memory_bytes {
            let wanted = used.memory_bytes.saturating_add(spec.limits.memory_bytes);
            if wanted > most {
                return refuse(format!(
                    "{wanted} bytes of memory would be promised; at most {most} are allowed"
                ));
            }
        }
        if let Some(most) = self.most_cpus {
            let wanted = used.nano_cpus.saturating_add(spec.limits.nano_cpus) as f64 / 1e9;
            if wanted > most {
                return refuse(format!(
                    "{wanted} cpus would be promised; at most {most} are allowed"
                ));
            }
        }
        Ok(())
    }
}

fn image_matches(rule: &str, image: &str) -> bool {
    if let Some(name) = rule.strip_suffix(":*") {
        let rest = image.strip_prefix(name);
        return rest
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':') || rest.starts_with('@'));
    }
    rule == image
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};
    use roost_protocol::sandbox::Limits;

    fn spec(image: &str) -> SandboxSpec {
        let id = "01980000-0000-7000-8000-000000000001";
        SandboxSpec {
            sandbox: id.parse::<SandboxId>().expect("an id"),
            workspace: id.parse::<WorkspaceId>().expect("an id"),
            agent: id.parse::<AgentId>().expect("an id"),
            node: None,
            epoch: 1,
            image: image.to_owned(),
            image_digest: None,
            limits: Limits {
                memory_bytes: 1000,
                workspace_bytes: 500,
                nano_cpus: 1_000_000_000,
                pids: 10,
            },
            env: Default::default(),
            lease_s: 60,
        }
    }

    #[test]
    fn an_empty_policy_allows_everything_but_a_shell() {
        let policy = OwnerPolicy::default();
        assert!(
            policy
                .admit(
                    &spec("a"),
                    InUse {
                        sandboxes: 999,
                        ..InUse::default()
                    }
                )
                .is_ok()
        );
        assert!(!policy.shell);
    }

    #[test]
    fn images_are_matched_whole_or_by_every_tag() {
        let policy = OwnerPolicy {
            images: vec!["roost-agent:*".into(), "exact:1".into()],
            ..Default::default()
        };
        for (image, allowed) in [
            ("roost-agent", true),
            ("roost-agent:dev", true),
            ("roost-agent@sha256:00", true),
            ("roost-agent-evil:dev", false),
            ("exact:1", true),
            ("exact:2", false),
            ("evil/roost-agent:dev", false),
        ] {
            assert_eq!(
                policy.admit(&spec(image), InUse::default()).is_ok(),
                allowed,
                "{image}"
            );
        }
    }

    #[test]
    fn caps_count_what_is_promised_already() {
        let policy = OwnerPolicy {
            most_sandboxes: Some(2),
            most_memory_bytes: Some(2500),
            most_cpus: Some(2.5),
            ..Default::default()
        };
        let used = |sandboxes, memory_bytes, cpus: u64| InUse {
            sandboxes,
            memory_bytes,
            nano_cpus: cpus * 500_000_000,
        };
        assert!(policy.admit(&spec("a"), used(1, 1500, 3)).is_ok());
        for over in [used(2, 0, 0), used(0, 1501, 0), used(0, 0, 4)] {
            let error = policy.admit(&spec("a"), over).expect_err("over a cap");
            assert_eq!(error.kind, ErrorKind::OwnerPolicy);
            assert!(error.detail.contains("owner.toml"));
        }
    }
}
