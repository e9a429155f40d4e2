//! The owner's policy: what the machine's owner allows. A gateway cannot loosen it. Pure.
//!
//! A node's `owner.toml` has these keys, and so has the gateway's configuration below `sandboxes`, for its own host. An
//! absent key has a default derived from the machine, so a machine without a policy still has limits.
use roost_protocol::caps::{Caps, LEAST_BESIDE_WORKSPACE, Total};
use roost_protocol::limits::{
    DEFAULT_MEMORY_BYTES, MAX_KEPT_OUTPUT_BYTES, MEMORY_BYTES, NANO_CPUS, PIDS, WORKSPACE_BYTES,
};
use roost_protocol::report::{ErrorKind, OperationError};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use serde::{Deserialize, Serialize};

use crate::total::{Allowance, Host, NANO};

/// The owner's limits. An absent limit has the default of [`OwnerPolicy::allowance`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnerPolicy {
    /// Images that may run, as written in a spec; `name:*` allows every tag of a name. Empty allows every image.
    pub images: Vec<String>,
    /// Most sandboxes at once.
    pub most_sandboxes: Option<u32>,
    /// Most memory of all sandboxes together, bytes.
    pub most_memory_bytes: Option<u64>,
    /// Most cpus of all sandboxes together; fractions are allowed.
    pub most_cpus: Option<f64>,
    /// Most processes of all sandboxes together.
    pub most_pids: Option<u64>,
    /// Most memory of one sandbox, bytes.
    pub each_memory_bytes: Option<u64>,
    /// Largest workspace of one sandbox, bytes.
    pub each_workspace_bytes: Option<u64>,
    /// Most cpus of one sandbox; fractions are allowed.
    pub each_cpus: Option<f64>,
    /// Most processes of one sandbox.
    pub each_pids: Option<u32>,
    /// Most output of commands that is kept on disk, bytes.
    pub most_output_bytes: Option<u64>,
    /// Most stored workspaces on disk, bytes.
    pub most_archive_bytes: Option<u64>,
    /// Whether this machine fetches images of the gateway's catalogue that it lacks; on by default.
    pub fetch_images: Option<bool>,
    /// Most bytes of snapshots that are uploaded to the gateway each second; without a limit by default.
    pub upload_limit: Option<u64>,
    /// Whether a host shell may be opened; off by default.
    pub shell: bool,
}

const GIB: u64 = 1 << 30;
/// Default for the number of sandboxes.
const SANDBOXES: u32 = 256;
/// Cpus that may be promised for each real cpu. Sandboxes seldom compute at the same time; when they do, the kernel
/// divides the cpus. Memory is promised only once.
const CPUS_FOR_EACH: u64 = 16;
/// Default for the processes of one sandbox.
const EACH_PIDS: u64 = 4096;
/// Minimum for kept output: what one command streams.
const LEAST_OUTPUT: u64 = 2 * roost_protocol::limits::MAX_STREAMED_BYTES;

impl OwnerPolicy {
    /// Faults of the policy itself: each key with its allowed values.
    pub fn mistakes(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut within = |key, value: Option<u64>, least: u64, most: u64| {
            if value.is_some_and(|value| !(least..=most).contains(&value)) {
                found.push((key, format!("must be {least} to {most}")));
            }
        };
        let memory = (*MEMORY_BYTES.start(), *MEMORY_BYTES.end());
        within(
            "most_sandboxes",
            self.most_sandboxes.map(u64::from),
            1,
            100_000,
        );
        within(
            "most_memory_bytes",
            self.most_memory_bytes,
            memory.0,
            u64::MAX,
        );
        within("most_pids", self.most_pids, 16, 1 << 30);
        within(
            "each_memory_bytes",
            self.each_memory_bytes,
            memory.0,
            memory.1,
        );
        within(
            "each_workspace_bytes",
            self.each_workspace_bytes,
            *WORKSPACE_BYTES.start(),
            *WORKSPACE_BYTES.end(),
        );
        within(
            "each_pids",
            self.each_pids.map(u64::from),
            16,
            u64::from(*PIDS.end()),
        );
        within(
            "most_output_bytes",
            self.most_output_bytes,
            LEAST_OUTPUT,
            u64::MAX,
        );
        within(
            "most_archive_bytes",
            self.most_archive_bytes,
            1 << 20,
            u64::MAX,
        );
        // A chunk must not be on its way for many minutes.
        within("upload_limit", self.upload_limit, 16 << 10, u64::MAX);
        for (key, value) in [("most_cpus", self.most_cpus), ("each_cpus", self.each_cpus)] {
            if value.is_some_and(|cpus| !(0.01..=100_000.0).contains(&cpus)) {
                found.push((key, "must be 0.01 to 100000".to_owned()));
            }
        }
        found
    }

    /// What sandboxes may use on a machine.
    pub fn allowance(&self, host: Host) -> Allowance {
        let share = host.share();
        let all = Total {
            sandboxes: self.most_sandboxes.unwrap_or(SANDBOXES),
            memory_bytes: self.most_memory_bytes.unwrap_or(share.memory_bytes),
            nano_cpus: self
                .most_cpus
                .map_or(host.cpus * CPUS_FOR_EACH * NANO, nano),
            pids: self.most_pids.unwrap_or(share.pids),
        };
        let kernel = host.kernel(&all);
        let memory = self
            .each_memory_bytes
            .unwrap_or_else(|| (all.memory_bytes / 2).max(DEFAULT_MEMORY_BYTES))
            .min(kernel.memory_bytes)
            .min(*MEMORY_BYTES.end());
        let pids = u64::from(self.each_pids.unwrap_or(EACH_PIDS as u32)).min(kernel.pids);
        let each = Limits {
            memory_bytes: memory,
            workspace_bytes: self
                .each_workspace_bytes
                .unwrap_or(u64::MAX)
                .min(memory.saturating_sub(LEAST_BESIDE_WORKSPACE)),
            // Not more than the total: cgroup v1 refuses such a sandbox.
            nano_cpus: self
                .each_cpus
                .map_or(u64::MAX, nano)
                .min(kernel.nano_cpus)
                .min(*NANO_CPUS.end()),
            pids: u32::try_from(pids).unwrap_or(u32::MAX).min(*PIDS.end()),
        };
        Allowance {
            caps: Caps { each, all },
            kernel,
            share,
        }
    }

    /// Most output that is kept on disk, bytes.
    pub fn output_bytes(&self) -> u64 {
        self.most_output_bytes.unwrap_or(MAX_KEPT_OUTPUT_BYTES)
    }

    /// Most stored workspaces on a disk of this size, bytes.
    pub fn archive_bytes(&self, disk_bytes: u64) -> u64 {
        self.most_archive_bytes
            .unwrap_or_else(|| (disk_bytes / 4).max(GIB))
    }

    /// Whether an image may run.
    pub fn allows(&self, image: &str) -> bool {
        let allowed = |rule: &String| image_matches(rule, image);
        self.images.is_empty() || self.images.iter().any(allowed)
    }

    /// Checks whether an image may run.
    ///
    /// # Errors
    /// [`ErrorKind::OwnerPolicy`] with a sentence that names the setting.
    pub fn allow_image(&self, spec: &SandboxSpec) -> Result<(), OperationError> {
        if self.allows(&spec.image) {
            return Ok(());
        }
        Err(OperationError::new(
            ErrorKind::OwnerPolicy,
            format!(
                "the image {:?} is not allowed; the machine's owner sets the allowed images in owner.toml",
                spec.image
            ),
        ))
    }
}

fn nano(cpus: f64) -> u64 {
    (cpus * NANO as f64) as u64
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
    use crate::policy::tests::spec;

    fn host(gib: u64, cpus: u64) -> Host {
        Host {
            memory_bytes: gib * GIB,
            cpus,
            pids: 32_768,
        }
    }

    #[test]
    fn images_match_exactly_or_by_any_tag() {
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
            let mut spec = spec();
            spec.image = image.to_owned();
            assert_eq!(policy.allow_image(&spec).is_ok(), allowed, "{image}");
            assert!(OwnerPolicy::default().allow_image(&spec).is_ok());
        }
    }

    #[rstest::rstest]
    // A machine without a policy: the host keeps its share, and one sandbox gets at most half of the rest.
    #[case(host(24, 2), 18 * GIB, 9 * GIB, 1_800_000_000)]
    #[case(host(64, 16), 48 * GIB, 24 * GIB, 14_400_000_000)]
    // A small one still takes a sandbox of the usual size, or the largest that it can.
    #[case(host(2, 1), GIB + GIB / 2, GIB, NANO)]
    #[case(host(1, 1), GIB / 2, GIB / 2, NANO)]
    fn without_a_policy_caps_follow_from_the_machine(
        #[case] host: Host,
        #[case] all: u64,
        #[case] each: u64,
        #[case] cpus: u64,
    ) {
        let Allowance { caps, kernel, .. } = OwnerPolicy::default().allowance(host);
        assert_eq!(caps.all.memory_bytes, all);
        assert_eq!((caps.each.memory_bytes, caps.each.nano_cpus), (each, cpus));
        assert_eq!((caps.all.pids, caps.each.pids), (16_384, 4096));
        assert_eq!(caps.each.workspace_bytes, each - LEAST_BESIDE_WORKSPACE);
        assert_eq!((kernel.memory_bytes, kernel.nano_cpus), (all, cpus));
        assert_eq!(caps.usual().validate(), Ok(()));
    }

    #[test]
    fn owner_limits_apply_and_one_sandbox_never_exceeds_the_total() {
        let policy = OwnerPolicy {
            most_sandboxes: Some(3),
            most_memory_bytes: Some(20 * GIB),
            most_cpus: Some(1.5),
            most_pids: Some(500),
            each_memory_bytes: Some(30 * GIB),
            each_workspace_bytes: Some(GIB),
            each_cpus: Some(8.0),
            each_pids: Some(1000),
            ..OwnerPolicy::default()
        };
        let caps = policy.allowance(host(24, 4)).caps;
        let all = Total {
            sandboxes: 3,
            memory_bytes: 20 * GIB,
            nano_cpus: 1_500_000_000,
            pids: 500,
        };
        assert_eq!(caps.all, all);
        let each = Limits {
            memory_bytes: 20 * GIB,
            workspace_bytes: GIB,
            nano_cpus: 1_500_000_000,
            pids: 500,
        };
        assert_eq!(caps.each, each);
    }

    #[test]
    fn oversized_owner_limits_leave_the_host_its_share() {
        let policy = OwnerPolicy {
            most_memory_bytes: Some(100 * GIB),
            most_cpus: Some(400.0),
            most_pids: Some(1_000_000),
            ..OwnerPolicy::default()
        };
        let host = host(24, 2);
        let Allowance { caps, kernel, .. } = policy.allowance(host);
        assert_eq!(caps.all.memory_bytes, 100 * GIB);
        assert_eq!(kernel, host.share());
        assert!(caps.each.memory_bytes <= host.share().memory_bytes);
    }

    #[test]
    fn invalid_policy_error_names_its_keys() {
        let policy = OwnerPolicy {
            most_sandboxes: Some(0),
            most_memory_bytes: Some(1),
            most_cpus: Some(f64::NAN),
            most_pids: Some(1),
            each_memory_bytes: Some(1),
            each_workspace_bytes: Some(1),
            each_cpus: Some(-1.0),
            each_pids: Some(1),
            most_output_bytes: Some(1),
            most_archive_bytes: Some(1),
            ..OwnerPolicy::default()
        };
        let mistakes = policy.mistakes();
        assert_eq!(mistakes.len(), 10, "{mistakes:?}");
        assert!(OwnerPolicy::default().mistakes().is_empty());
    }
}
