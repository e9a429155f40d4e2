//! Limits as the kernel enforces them, for both versions of control groups.
use std::fs;

use rustix::fs::statvfs;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::Given;
use super::fact::{Facts, denied};

pub fn probe(facts: &mut Facts, given: &Given) {
    facts.add(
        "limit.memory",
        "Memory is limited",
        given.memory_bytes,
        first(&["memory.max", "memory/memory.limit_in_bytes"]),
    );
    facts.add("limit.swap", "There is no swap", "none", swap());
    facts.add(
        "limit.pids",
        "Processes are limited",
        given.pids,
        first(&["pids.max", "pids/pids.max"]),
    );
    facts.add("limit.cpu", "Cpu is limited to one", "1.00", cpu());
    let size = |path: &str| statvfs(path).map_or(0, |found| found.f_blocks * found.f_frsize);
    facts.add(
        "workspace.size",
        "The workspace is sized",
        given.workspace_bytes,
        size("/workspace"),
    );
    facts.add("tmp.size", "/tmp is sized", 64u64 << 20, size("/tmp"));
    facts.add(
        "shm.size",
        "Shared memory is sized, and not the host's",
        64u64 << 20,
        size("/dev/shm"),
    );
    for (fact, title, resource, wanted) in [
        ("rlimit.core", "Core dumps are off", Resource::Core, 0),
        (
            "rlimit.nofile",
            "Open files are limited",
            Resource::Nofile,
            16_384,
        ),
        (
            "rlimit.memlock",
            "Locked memory is limited",
            Resource::Memlock,
            65_536,
        ),
    ] {
        let got = getrlimit(resource).maximum;
        facts.add(
            fact,
            title,
            wanted,
            got.map_or_else(|| "unlimited".to_owned(), |n| n.to_string()),
        );
    }
    let more = Rlimit {
        current: Some(1),
        maximum: Some(1 << 30),
    };
    facts.add(
        "rlimit.raise",
        "A limit cannot be raised",
        "refused",
        denied(setrlimit(Resource::Core, more).map_err(Into::into)),
    );
    facts.add(
        "oom.guest",
        "The sandbox dies before the host when memory is short",
        "500",
        fs::read_to_string("/proc/1/oom_score_adj")
            .unwrap_or_default()
            .trim(),
    );
    facts.add(
        "oom.command",
        "Commands die before the guest when memory is short",
        "1000",
        fs::read_to_string("/proc/self/oom_score_adj")
            .unwrap_or_default()
            .trim(),
    );
    facts.add(
        "oom.lower",
        "A command cannot protect itself",
        "refused",
        denied(fs::write("/proc/self/oom_score_adj", "-500")),
    );
    facts.add(
        "priority.raise",
        "A command cannot take precedence",
        "refused",
        denied(rustix::process::setpriority_process(None, -5).map_err(Into::into)),
    );
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(format!("/sys/fs/cgroup/{path}"))
        .ok()
        .map(|text| text.trim().to_owned())
}

fn first(paths: &[&str]) -> String {
    paths
        .iter()
        .find_map(|path| read(path))
        .unwrap_or_else(|| "unknown".to_owned())
}

fn swap() -> String {
    if let Some(most) = read("memory.swap.max") {
        return if most == "0" { "none".to_owned() } else { most };
    }
    match (
        read("memory/memory.limit_in_bytes"),
        read("memory/memory.memsw.limit_in_bytes"),
    ) {
        (Some(memory), Some(both)) if memory == both => "none".to_owned(),
        (_, both) => both.unwrap_or_else(|| "unknown".to_owned()),
    }
}

fn cpu() -> String {
    let pair = read("cpu.max").or_else(|| {
        Some(format!(
            "{} {}",
            read("cpu/cpu.cfs_quota_us").or_else(|| read("cpu,cpuacct/cpu.cfs_quota_us"))?,
            read("cpu/cpu.cfs_period_us").or_else(|| read("cpu,cpuacct/cpu.cfs_period_us"))?
        ))
    });
    let pair = pair.unwrap_or_default();
    let mut numbers = pair.split(' ').map(|n| n.parse::<f64>().unwrap_or(-1.0));
    match (numbers.next(), numbers.next()) {
        (Some(quota), Some(period)) if quota > 0.0 && period > 0.0 => {
            format!("{:.2}", quota / period)
        }
        _ => "unlimited".to_owned(),
    }
}
