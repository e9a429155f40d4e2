//! The total of all sandboxes, enforced by the kernel: memory, cpu and processes of the control group that is the
//! parent of every sandbox of one installation.
//!
//! Promised limits are counted before a sandbox is made ([`roost_protocol::caps`]). This is the second protection:
//! whatever runs in sandboxes, the host keeps its share. The total is set where this program may write control groups,
//! and read back; otherwise it is reported as missing. [`tree`] knows where the kernel's files are, [`files`] reads and
//! writes them, [`enforce`] decides.
mod enforce;
pub(crate) mod files;
mod slice;
mod tree;

use roost_protocol::caps::{Caps, Total};

use crate::driver::Driver;
use crate::engine::EngineFacts;
pub use enforce::Enforcement;
pub(crate) use enforce::Parent;

/// The resources of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    pub memory_bytes: u64,
    pub cpus: u64,
    /// Most processes of its kernel.
    pub pids: u64,
}

/// The limits that the kernel enforces for all sandboxes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelTotal {
    pub memory_bytes: u64,
    pub nano_cpus: u64,
    pub pids: u64,
}

/// What one installation may give to sandboxes on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The limits that may be promised.
    pub caps: Caps,
    /// The limits that the kernel enforces.
    pub kernel: KernelTotal,
    /// The total for all installations on this machine together, unless one of them was given more.
    pub share: KernelTotal,
}

/// One cpu in billionths.
pub(crate) const NANO: u64 = 1_000_000_000;
const GIB: u64 = 1 << 30;

impl Host {
    /// Default total of all sandboxes: three quarters of the memory, leaving the host at least half a gibibyte if
    /// possible; nine tenths of the cpus; half of the processes.
    pub fn share(&self) -> KernelTotal {
        let reserve = (self.memory_bytes / 4).max(GIB / 2);
        KernelTotal {
            memory_bytes: self
                .memory_bytes
                .saturating_sub(reserve)
                .max(self.memory_bytes / 2),
            nano_cpus: (self.cpus * NANO / 10 * 9).max(NANO),
            pids: self.pids / 2,
        }
    }

    /// The kernel's limits for promises of this size. If an owner promises more than the machine has, the sandboxes
    /// share it, and the host still keeps its part.
    pub fn kernel(&self, all: &Total) -> KernelTotal {
        let share = self.share();
        let held =
            |promised: u64, has: u64, share: u64| if promised <= has { promised } else { share };
        KernelTotal {
            memory_bytes: held(all.memory_bytes, self.memory_bytes, share.memory_bytes),
            nano_cpus: held(all.nano_cpus, self.cpus * NANO, share.nano_cpus),
            pids: held(all.pids, self.pids, share.pids),
        }
    }
}

impl Driver {
    /// The resources of the engine's machine.
    pub fn host(&self) -> Host {
        self.inner.engine.host
    }

    /// Sets the total on the parent of all sandboxes and reads it back. Cheap when it is already set.
    pub async fn enforce_total(&self, allowance: &Allowance) -> Enforcement {
        let held = self.at_parent(*allowance, enforce::enforce).await;
        let mut known = crate::driver::lock(&self.inner.total);
        if *known != held
            && let Enforcement::No { why } = &held
        {
            tracing::warn!(
                why,
                "the kernel does not enforce the total of all sandboxes"
            );
        }
        held.clone_into(&mut known);
        held
    }

    /// Checks whether the total is enforced now. Changes nothing.
    pub async fn check_total(&self, allowance: &Allowance) -> Enforcement {
        self.at_parent(*allowance, enforce::check).await
    }

    /// The result of the last time the total was set or a sandbox was made.
    pub fn total(&self) -> Enforcement {
        crate::driver::lock(&self.inner.total).clone()
    }

    /// Removes the parent of all sandboxes when it is empty. The next sandbox makes it again.
    pub async fn forget_parent(&self) {
        if let Some(parent) = self.parent() {
            drop(tokio::task::spawn_blocking(move || enforce::forget(&parent)).await);
        }
    }

    /// Checks after a start that the sandbox is below the parent with the total, in the control groups that this
    /// program sees. If it is not, the engine runs elsewhere and the total has no effect.
    pub(crate) async fn seen_below_parent(&self, container: &str) {
        let (Some(parent), Enforcement::Yes) = (self.parent(), self.total()) else {
            return;
        };
        let container = container.to_owned();
        let seen =
            tokio::task::spawn_blocking(move || enforce::contains(&parent, &container)).await;
        if !seen.unwrap_or(false) {
            let why = "a sandbox that was just made is not in the control groups that this program sees: the engine runs in another container or on another machine".to_owned();
            tracing::warn!(
                why,
                "the kernel does not enforce the total of all sandboxes"
            );
            *crate::driver::lock(&self.inner.total) = Enforcement::No { why };
        }
    }

    async fn at_parent(
        &self,
        allowance: Allowance,
        act: fn(&Parent, &Allowance) -> Enforcement,
    ) -> Enforcement {
        let Some(parent) = self.parent() else {
            let why = "a rootless engine keeps its own control groups; set a limit on the user's slice instead".to_owned();
            return Enforcement::No { why };
        };
        // The kernel may need time to reclaim memory.
        let done = tokio::task::spawn_blocking(move || act(&parent, &allowance)).await;
        done.unwrap_or_else(|error| Enforcement::No {
            why: error.to_string(),
        })
    }

    fn parent(&self) -> Option<Parent> {
        Parent::of(&self.inner.engine)
    }
}

/// Most processes of this kernel.
pub(crate) fn kernel_pids() -> u64 {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let most = [read("pid_max"), read("threads-max")];
    most.into_iter().flatten().min().unwrap_or(32_768)
}

/// The parent of an installation's sandboxes, in the engine's naming scheme for control groups. Each installation has
/// its own, so that a gateway and a daemon on one machine, or two tests, do not set each other's total.
pub(crate) fn default_parent(facts: &EngineFacts) -> Option<String> {
    let word: String = facts
        .owner
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(64)
        .collect();
    match (facts.rootless, facts.systemd_cgroups) {
        // A rootless engine may only use groups delegated to it, so its own choice stays.
        (true, _) => None,
        (false, true) => Some(format!("roost-{word}.slice")),
        (false, false) => Some(format!("/{}/{word}", enforce::TOP)),
    }
}
