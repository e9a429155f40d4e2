//! The kernel's files of one control group, in both versions.
use std::fs;
use std::io;
use std::path::Path;

use super::tree::{Control, Place, Version};

/// Length of the period in which cpu time is counted, microseconds.
const PERIOD: u64 = 100_000;
/// The largest page of any machine, bytes.
const LARGEST_PAGE: u64 = 64 << 10;
/// Version 1 writes "no limit" as a number near the largest one.
const UNLIMITED: u64 = 1 << 62;

/// The limit of a group; `None` without a limit.
pub(crate) fn get(place: &Place, group: &Path, control: Control) -> io::Result<Option<u64>> {
    let read = |name: &str| fs::read_to_string(place.root.join(group).join(name));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    Ok(match (place.version, control) {
        (Version::One, Control::Memory) => {
            number(&read("memory.limit_in_bytes")?).filter(|limit| *limit < UNLIMITED)
        }
        (Version::Two, Control::Memory) => number(&read("memory.max")?),
        (_, Control::Pids) => number(&read("pids.max")?),
        (Version::One, Control::Cpu) => {
            let quota = number(&read("cpu.cfs_quota_us")?);
            let period = number(&read("cpu.cfs_period_us")?).unwrap_or(PERIOD);
            quota.map(|quota| nano(quota, period))
        }
        (Version::Two, Control::Cpu) => {
            let text = read("cpu.max")?;
            let (quota, period) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            let period = number(period).unwrap_or(PERIOD);
            number(quota).map(|quota| nano(quota, period))
        }
    })
}

fn nano(quota: u64, period: u64) -> u64 {
    let nano = u128::from(quota) * 1_000_000_000 / u128::from(period.max(1));
    u64::try_from(nano).unwrap_or(u64::MAX)
}

/// The limit as the kernel rounds it: memory in pages, cpu time in microseconds.
pub(crate) fn rounded(limit: u64, control: Control) -> u64 {
    match control {
        Control::Memory => limit - limit % LARGEST_PAGE,
        Control::Pids => limit,
        Control::Cpu => nano(limit / 10_000, PERIOD),
    }
}

/// Sets the limit of a group; makes the group if it is missing.
pub(crate) fn set(place: &Place, group: &Path, control: Control, limit: u64) -> io::Result<()> {
    make(place, group)?;
    let folder = place.root.join(group);
    let write = |name: &str, text: String| fs::write(folder.join(name), text);
    match (place.version, control) {
        (Version::One, Control::Memory) => {
            let both = "memory.memsw.limit_in_bytes";
            // The limit for memory and swap can never be below the memory limit, so the order depends on the direction.
            if write("memory.limit_in_bytes", limit.to_string()).is_err() {
                write(both, limit.to_string())?;
                write("memory.limit_in_bytes", limit.to_string())?;
            }
            if folder.join(both).exists() {
                write(both, limit.to_string())?;
            }
            Ok(())
        }
        (Version::Two, Control::Memory) => {
            if folder.join("memory.swap.max").exists() {
                write("memory.swap.max", "0".to_owned())?;
            }
            write("memory.max", limit.to_string())
        }
        (_, Control::Pids) => write("pids.max", limit.to_string()),
        (Version::One, Control::Cpu) => {
            write("cpu.cfs_period_us", PERIOD.to_string())?;
            write("cpu.cfs_quota_us", (limit / 10_000).to_string())
        }
        (Version::Two, Control::Cpu) => write("cpu.max", format!("{} {PERIOD}", limit / 10_000)),
    }
}

/// Makes a group and its parents. With version 2 each parent must enable the controllers for its children.
fn make(place: &Place, group: &Path) -> io::Result<()> {
    let mut at = place.root.clone();
    for part in group.components() {
        if place.version == Version::Two {
            for control in Control::ALL {
                // A missing controller shows when its file is written.
                let _ = fs::write(
                    at.join("cgroup.subtree_control"),
                    format!("+{}", control.name()),
                );
            }
        }
        at.push(part);
        match fs::create_dir(&at) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
