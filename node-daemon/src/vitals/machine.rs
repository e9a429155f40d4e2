//! Processor, memory, swap, load and disk.
use std::path::Path;

use roost_protocol::limits::MAX_SHORT_TEXT;
use roost_protocol::text::clean;
use roost_protocol::vitals::Heartbeat;
use sysinfo::System;

/// Samples that are rates and so need a previous sample.
pub struct Machine {
    system: Option<System>,
    samples: u64,
}

impl Machine {
    pub fn find() -> Self {
        let system = System::new()
            .inspect_err(
                |error| tracing::warn!(%error, "this system reports no processor or memory figures"),
            )
            .ok();
        Self { system, samples: 0 }
    }

    /// Fills in what this system reports.
    pub fn fill(&mut self, beat: &mut Heartbeat, disk: &Path) {
        if let Some(system) = &mut self.system {
            system.refresh_cpu_usage();
            system.refresh_memory();
            self.samples += 1;
            let pct = system.global_cpu_usage();
            // The first sample is a mean since the machine started, not its present use.
            beat.cpu_pct = (self.samples > 1 && pct.is_finite()).then(|| pct.clamp(0.0, 100.0));
            beat.cores = u32::try_from(system.cpus().len())
                .ok()
                .filter(|cores| *cores > 0);
            if system.total_memory() > 0 {
                beat.memory_total_bytes = Some(system.total_memory());
                beat.memory_used_bytes = Some(system.used_memory());
                // A machine without swap has a total of zero. That is a known value, not an absent one.
                beat.swap_total_bytes = Some(system.total_swap());
                beat.swap_used_bytes = Some(system.used_swap());
            }
        }
        if let Ok(load) = System::load_average() {
            (beat.load1, beat.load5, beat.load15) =
                (Some(load.one), Some(load.five), Some(load.fifteen));
        }
        if let Ok(facts) = rustix::fs::statvfs(disk).or_else(|_| rustix::fs::statvfs("/")) {
            beat.disk_total_bytes = Some(facts.f_blocks.saturating_mul(facts.f_frsize));
            beat.disk_used_bytes = Some(
                facts
                    .f_blocks
                    .saturating_sub(facts.f_bfree)
                    .saturating_mul(facts.f_frsize),
            );
        }
    }
}

/// The machine's name, cleaned.
pub fn hostname() -> String {
    let name = rustix::system::uname();
    clean(&name.nodename().to_string_lossy(), MAX_SHORT_TEXT)
}

/// The kernel's boot id. A new id with the same installation means a cloned disk or a restart.
pub fn boot_id() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    clean(text.trim(), MAX_SHORT_TEXT)
}
