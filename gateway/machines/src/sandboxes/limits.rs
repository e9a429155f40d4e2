//! Limits of a sandbox as requested, completed with the usual limits of its machine. Pure.

use roost_protocol::caps::{Caps, LEAST_BESIDE_WORKSPACE};
use roost_protocol::sandbox::Limits;
use roost_protocol::validate::{Fault, Invalid};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_web::json::Mistakes;

/// The requested limits. An absent limit gets the machine's usual value: 1 GiB of memory, of which 512 MiB are the
/// workspace, 1 cpu and 256 processes, or less if the machine's owner allows less. A value above the machine's cap is
/// refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewLimits {
    /// Memory without swap, bytes. The workspace is a part of it. 64 MiB to 64 GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Size of the workspace, bytes; at least 16 MiB less than the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_bytes: Option<u64>,
    /// Billionths of a cpu; 0.05 to 64 cpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nano_cpus: Option<u64>,
    /// Processes and threads; 16 to 32,768.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pids: Option<u32>,
}

const MIB: u64 = 1024 * 1024;

impl NewLimits {
    /// Each limit of these, else that of `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            memory_bytes: self.memory_bytes.or(other.memory_bytes),
            workspace_bytes: self.workspace_bytes.or(other.workspace_bytes),
            nano_cpus: self.nano_cpus.or(other.nano_cpus),
            pids: self.pids.or(other.pids),
        }
    }

    /// Parses the stored form. Only the gateway writes it, after a check.
    pub fn from_stored(json: Option<&str>) -> Self {
        json.and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default()
    }

    /// The stored form; `None` when no limit is set.
    pub fn stored(self) -> Option<String> {
        (self != Self::default()).then(|| serde_json::json!(self).to_string())
    }

    /// Reports each value that is out of range on any machine.
    pub fn check(self, mistakes: &mut Mistakes) {
        let outside = |value: Option<u64>, least: u64, most: u64| {
            value.is_some_and(|value| !(least..=most).contains(&value))
        };
        if outside(self.memory_bytes, 64 * MIB, 64 * 1024 * MIB) {
            mistakes.add("/limits/memory_bytes", "must be 64 MiB to 64 GiB, in bytes");
        }
        if outside(self.workspace_bytes, MIB, u64::MAX) {
            mistakes.add(
                "/limits/workspace_bytes",
                "must be at least 1 MiB, in bytes",
            );
        }
        if outside(self.nano_cpus, 50_000_000, 64_000_000_000) {
            mistakes.add(
                "/limits/nano_cpus",
                "must be 50,000,000 (0.05 cpu) to 64,000,000,000",
            );
        }
        if outside(self.pids.map(u64::from), 16, 32_768) {
            mistakes.add("/limits/pids", "must be 16 to 32,768");
        }
    }

    /// All limits for a machine with these caps. Unknown caps allow everything here; the machine decides.
    ///
    /// # Errors
    /// [`Invalid`] with a pointer to each limit that does not fit.
    pub(super) fn on(self, caps: Option<&Caps>) -> Result<Limits, Invalid> {
        let usual = caps.map_or_else(Limits::default, Caps::usual);
        let memory_bytes = self.memory_bytes.unwrap_or(usual.memory_bytes);
        let limits = Limits {
            memory_bytes,
            workspace_bytes: self
                .workspace_bytes
                .unwrap_or_else(|| usual.workspace_bytes.min(memory_bytes / 2)),
            nano_cpus: self.nano_cpus.unwrap_or(usual.nano_cpus),
            pids: self.pids.unwrap_or(usual.pids),
        };
        if limits.workspace_bytes > memory_bytes.saturating_sub(LEAST_BESIDE_WORKSPACE) {
            let fault = Fault {
                pointer: "/limits/workspace_bytes".to_owned(),
                detail: format!(
                    "must be at least 16 MiB less than the memory of {memory_bytes} bytes"
                ),
            };
            return Err(Invalid {
                faults: vec![fault],
            });
        }
        caps.map_or(Ok(()), |caps| caps.check(&limits))?;
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use roost_protocol::caps::Total;

    use super::*;

    fn caps(memory_bytes: u64, pids: u32) -> Caps {
        Caps {
            each: Limits {
                memory_bytes,
                workspace_bytes: memory_bytes - LEAST_BESIDE_WORKSPACE,
                nano_cpus: 500_000_000,
                pids,
            },
            all: Total::default(),
        }
    }

    fn pointers(asked: NewLimits, caps: Option<&Caps>) -> Vec<String> {
        let faults = asked
            .on(caps)
            .map_or_else(|invalid| invalid.faults, |_| Vec::new());
        faults.into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn what_nobody_asked_for_fits_the_machine() {
        let nothing = NewLimits::default();
        assert_eq!(nothing.on(None), Ok(Limits::default()));
        let small = caps(256 * MIB, 64);
        let limits = nothing.on(Some(&small)).unwrap();
        assert_eq!(
            (limits.memory_bytes, limits.workspace_bytes),
            (256 * MIB, 128 * MIB)
        );
        assert_eq!((limits.nano_cpus, limits.pids), (500_000_000, 64));
        // Less memory also gives a smaller workspace.
        let less = NewLimits {
            memory_bytes: Some(100 * MIB),
            ..nothing
        };
        assert_eq!(less.on(None).unwrap().workspace_bytes, 50 * MIB);
    }

    #[test]
    fn an_agents_limit_goes_before_its_teams_and_the_stored_form_is_read_back() {
        let limits = |memory_bytes, pids| NewLimits {
            memory_bytes,
            pids,
            ..NewLimits::default()
        };
        let both = limits(Some(MIB), None).or(limits(Some(2 * MIB), Some(64)));
        assert_eq!(both, limits(Some(MIB), Some(64)));
        assert_eq!(NewLimits::from_stored(both.stored().as_deref()), both);
        assert_eq!(NewLimits::default().stored(), None);
        assert_eq!(NewLimits::from_stored(None), NewLimits::default());
    }

    #[test]
    fn what_is_over_a_cap_is_refused_by_name_and_not_made_smaller() {
        let small = caps(256 * MIB, 64);
        let asked = NewLimits {
            memory_bytes: Some(64 << 30),
            workspace_bytes: Some(32 << 30),
            nano_cpus: Some(64_000_000_000),
            pids: Some(32_768),
        };
        let all = ["memory_bytes", "workspace_bytes", "nano_cpus", "pids"];
        let expected: Vec<String> = all.map(|limit| format!("/limits/{limit}")).into();
        assert_eq!(pointers(asked, Some(&small)), expected);
        assert_eq!(pointers(asked, None), [] as [&str; 0]);
        let tight = NewLimits {
            memory_bytes: Some(100 * MIB),
            workspace_bytes: Some(90 * MIB),
            ..NewLimits::default()
        };
        assert_eq!(pointers(tight, None), ["/limits/workspace_bytes"]);
    }
}
