//! The limits of what a machine lends: to one sandbox, and to all sandboxes together. Pure. The gateway checks them
//! before it sends a request, and the executor checks again, so no request exceeds the owner's limits.
//!
//! The sums count promised limits, not present use, because each sandbox may use its full limit at any time.
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::{MEMORY_BYTES, NANO_CPUS, PIDS, WORKSPACE_BYTES};
use crate::sandbox::Limits;
use crate::validate::{Fault, Invalid};

/// Least memory beside the workspace that a sandbox needs, bytes.
pub const LEAST_BESIDE_WORKSPACE: u64 = 16 << 20;

/// The limits of one sandbox, and of all sandboxes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    pub each: Limits,
    pub all: Total,
}

/// Sums over several sandboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    pub sandboxes: u32,
    pub memory_bytes: u64,
    /// Billionths of a cpu.
    pub nano_cpus: u64,
    pub pids: u64,
}

/// The limits that a machine reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    pub each: Limits,
    pub all: Total,
    /// Why the kernel does not enforce the total; absent when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_enforced: Option<String>,
}

impl Bounds {
    /// The caps themselves.
    pub fn caps(&self) -> Caps {
        Caps {
            each: self.each,
            all: self.all,
        }
    }
}

impl Total {
    /// The sum with one more sandbox.
    #[must_use]
    pub fn and(self, limits: &Limits) -> Self {
        Self {
            sandboxes: self.sandboxes.saturating_add(1),
            memory_bytes: self.memory_bytes.saturating_add(limits.memory_bytes),
            nano_cpus: self.nano_cpus.saturating_add(limits.nano_cpus),
            pids: self.pids.saturating_add(u64::from(limits.pids)),
        }
    }

    /// The sum of the limits of these sandboxes.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Limits>) -> Self {
        all.into_iter().fold(Self::default(), Self::and)
    }
}

impl Caps {
    /// Checks the limits of one sandbox.
    ///
    /// # Errors
    /// [`Invalid`] with a pointer to each limit that exceeds its cap.
    pub fn check(&self, limits: &Limits) -> Result<(), Invalid> {
        let each = &self.each;
        let bytes = |n: u64| format!("{n} bytes ({})", Bytes(n));
        let cpus = |n: u64| format!("{n} billionths ({} cpus)", Cpus(n));
        let faults: Vec<Fault> = [
            (
                "memory_bytes",
                limits.memory_bytes,
                each.memory_bytes,
                bytes(each.memory_bytes),
            ),
            (
                "workspace_bytes",
                limits.workspace_bytes,
                each.workspace_bytes,
                bytes(each.workspace_bytes),
            ),
            (
                "nano_cpus",
                limits.nano_cpus,
                each.nano_cpus,
                cpus(each.nano_cpus),
            ),
            (
                "pids",
                u64::from(limits.pids),
                u64::from(each.pids),
                each.pids.to_string(),
            ),
        ]
        .into_iter()
        .filter(|(_, asked, most, _)| asked > most)
        .map(|(limit, asked, _, most)| Fault {
            pointer: format!("/limits/{limit}"),
            detail: format!(
                "{asked} is more than one sandbox may have on this machine: at most {most}"
            ),
        })
        .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Invalid { faults })
        }
    }

    /// Checks whether there is room for one more sandbox beside `taken`.
    ///
    /// # Errors
    /// [`NoRoom`] with the first amount that would exceed its cap.
    pub fn room(&self, taken: &Total, limits: &Limits) -> Result<(), NoRoom> {
        let (all, after) = (&self.all, taken.and(limits));
        let amounts = [
            (
                Amount::Sandboxes,
                taken.sandboxes.into(),
                after.sandboxes.into(),
                all.sandboxes.into(),
            ),
            (
                Amount::Memory,
                taken.memory_bytes,
                after.memory_bytes,
                all.memory_bytes,
            ),
            (
                Amount::Cpus,
                taken.nano_cpus,
                after.nano_cpus,
                all.nano_cpus,
            ),
            (Amount::Pids, taken.pids, after.pids, all.pids),
        ];
        let over = amounts.into_iter().find(|(_, _, after, most)| after > most);
        match over {
            None => Ok(()),
            Some((amount, taken_of_it, after, most)) => Err(NoRoom {
                amount,
                sandboxes: taken.sandboxes,
                taken: taken_of_it,
                wanted: after.saturating_sub(taken_of_it),
                most,
            }),
        }
    }

    /// The default limits of a sandbox, reduced to the caps.
    pub fn usual(&self) -> Limits {
        let (usual, each) = (Limits::default(), &self.each);
        let memory_bytes = usual.memory_bytes.min(each.memory_bytes);
        Limits {
            memory_bytes,
            workspace_bytes: usual
                .workspace_bytes
                .min(each.workspace_bytes)
                .min(memory_bytes / 2),
            nano_cpus: usual.nano_cpus.min(each.nano_cpus),
            pids: usual.pids.min(each.pids),
        }
    }

    /// Caps from an untrusted machine, reduced to possible values.
    #[must_use]
    pub fn cleaned(self) -> Self {
        let clamp =
            |n: u64, range: &std::ops::RangeInclusive<u64>| n.clamp(*range.start(), *range.end());
        let each = self.each;
        Self {
            each: Limits {
                memory_bytes: clamp(each.memory_bytes, &MEMORY_BYTES),
                workspace_bytes: clamp(each.workspace_bytes, &WORKSPACE_BYTES),
                nano_cpus: clamp(each.nano_cpus, &NANO_CPUS),
                pids: each.pids.clamp(*PIDS.start(), *PIDS.end()),
            },
            all: self.all,
        }
    }
}

/// A resource of which there is not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Sandboxes,
    Memory,
    Cpus,
    Pids,
}

/// There is no room for one more sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NoRoom {
    pub amount: Amount,
    /// Number of sandboxes.
    pub sandboxes: u32,
    /// Amount that they have together.
    pub taken: u64,
    /// Amount for the new sandbox.
    pub wanted: u64,
    /// Cap for all sandboxes together.
    pub most: u64,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = self
            .taken
            .saturating_add(self.wanted)
            .saturating_sub(self.most);
        let said = |n: u64| match self.amount {
            Amount::Memory => format!("{} of memory", Bytes(n)),
            Amount::Cpus => format!("{} cpus", Cpus(n)),
            Amount::Pids => format!("{n} processes"),
            Amount::Sandboxes => format!("{n} sandboxes"),
        };
        let key = match self.amount {
            Amount::Sandboxes => {
                return write!(
                    f,
                    "no room for another sandbox on this machine: it has {} and allows {} (`most_sandboxes`). End one that is not needed",
                    self.taken, self.most
                );
            }
            Amount::Memory => "most_memory_bytes",
            Amount::Cpus => "most_cpus",
            Amount::Pids => "most_pids",
        };
        write!(
            f,
            "no room for another sandbox on this machine: {} sandboxes have {}, this one wants {}, and all together may have {} (`{key}`), so it is {} too much. End one that is not needed, or ask for less",
            self.sandboxes,
            said(self.taken),
            said(self.wanted),
            said(self.most),
            said(over)
        )
    }
}

/// Bytes, formatted for people.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GIB: u64 = 1 << 30;
        const MIB: u64 = 1 << 20;
        match self.0 {
            n if n >= GIB => write!(f, "{:.1} GiB", n as f64 / GIB as f64),
            n => write!(f, "{:.1} MiB", n as f64 / MIB as f64),
        }
    }
}

/// Billionths of a cpu, formatted for people.
struct Cpus(u64);

impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus = self.0 as f64 / 1e9;
        let digits = usize::from(cpus.fract() > 0.0);
        write!(f, "{cpus:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn caps() -> Caps {
        Caps {
            each: Limits {
                memory_bytes: 4 * GIB,
                workspace_bytes: 2 * GIB,
                nano_cpus: 2_000_000_000,
                pids: 1000,
            },
            all: Total {
                sandboxes: 3,
                memory_bytes: 6 * GIB,
                nano_cpus: 5_000_000_000,
                pids: 2000,
            },
        }
    }

    #[test]
    fn each_limit_over_its_cap_has_a_pointer() {
        let caps = caps();
        assert_eq!(caps.check(&caps.each), Ok(()));
        let all = Limits {
            memory_bytes: 64 * GIB,
            workspace_bytes: 32 * GIB,
            nano_cpus: 64_000_000_000,
            pids: 32_768,
        };
        let faults = caps.check(&all).expect_err("over").faults;
        let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        let expected = ["memory_bytes", "workspace_bytes", "nano_cpus", "pids"];
        assert_eq!(pointers, expected.map(|limit| format!("/limits/{limit}")));
        assert!(
            faults[0].detail.contains("4294967296 bytes (4.0 GiB)"),
            "{}",
            faults[0].detail
        );
        let one = Limits {
            pids: 1001,
            ..caps.each
        };
        assert_eq!(
            caps.check(&one).expect_err("over").faults[0].pointer,
            "/limits/pids"
        );
    }

    #[test]
    fn no_room_error_names_used_and_requested_amounts() {
        let caps = caps();
        let usual = Limits::default();
        assert_eq!(caps.room(&Total::of([&usual, &usual]), &usual), Ok(()));
        let large = Limits {
            memory_bytes: 4 * GIB,
            ..usual
        };
        let said = caps
            .room(&Total::of([&large]), &large)
            .expect_err("over")
            .to_string();
        for part in [
            "1 sandboxes have 4.0 GiB",
            "wants 4.0 GiB",
            "may have 6.0 GiB",
            "2.0 GiB of memory too much",
            "`most_memory_bytes`",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        for (limits, amount, key) in [
            (
                Limits {
                    nano_cpus: 2_000_000_000,
                    memory_bytes: GIB,
                    ..usual
                },
                Amount::Cpus,
                "`most_cpus`",
            ),
            (
                Limits {
                    pids: 1000,
                    nano_cpus: 1,
                    ..usual
                },
                Amount::Pids,
                "`most_pids`",
            ),
        ] {
            let taken = Total::of([&limits, &limits]);
            let full = caps.room(&taken, &limits).expect_err("over");
            assert_eq!(full.amount, amount);
            assert!(full.to_string().contains(key), "{full}");
        }
        let three = Total {
            sandboxes: 3,
            ..Total::default()
        };
        let full = caps.room(&three, &usual).expect_err("over");
        assert!(full.to_string().contains("it has 3 and allows 3"), "{full}");
        // Hostile values must not overflow the sums.
        let endless = Total {
            memory_bytes: u64::MAX,
            ..Total::default()
        };
        assert!(caps.room(&endless, &usual).is_err());
    }

    #[test]
    fn default_limits_on_a_small_machine_are_small_and_valid() {
        let usual = caps().usual();
        assert_eq!(usual, Limits::default());
        let mut small = caps();
        small.each = Limits {
            memory_bytes: 256 << 20,
            workspace_bytes: 200 << 20,
            nano_cpus: 500_000_000,
            pids: 64,
        };
        let usual = small.usual();
        assert_eq!(
            (usual.memory_bytes, usual.workspace_bytes, usual.pids),
            (256 << 20, 128 << 20, 64)
        );
        assert_eq!(small.check(&usual), Ok(()));
        assert_eq!(usual.validate(), Ok(()));
    }
}
