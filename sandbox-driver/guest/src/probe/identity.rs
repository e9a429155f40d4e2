//! The process's identity: user, capabilities, filters, and what it can see of other processes.
use std::fs;

use super::fact::{Facts, denied};

pub fn probe(facts: &mut Facts) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| -> String {
        status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_else(|| "unknown".to_owned())
    };
    facts.add(
        "user.uid",
        "Runs as its own user (real, effective, saved, file system)",
        "65532 65532 65532 65532",
        field("Uid"),
    );
    facts.add(
        "user.gid",
        "Runs as its own group",
        "65532 65532 65532 65532",
        field("Gid"),
    );
    let groups = field("Groups");
    let other = groups.split(' ').any(|id| !id.is_empty() && id != "65532");
    facts.add(
        "user.groups",
        "Belongs to no other group",
        "none",
        if other { groups.as_str() } else { "none" },
    );
    for (fact, name, title) in [
        ("caps.inheritable", "CapInh", "No inheritable capability"),
        ("caps.permitted", "CapPrm", "No permitted capability"),
        ("caps.effective", "CapEff", "No effective capability"),
        (
            "caps.bounding",
            "CapBnd",
            "No capability can ever be gained",
        ),
        ("caps.ambient", "CapAmb", "No ambient capability"),
    ] {
        let bits = u64::from_str_radix(&field(name), 16).unwrap_or(u64::MAX);
        facts.add(fact, title, "0", format!("{bits:x}"));
    }
    facts.add(
        "no_new_privs",
        "Setuid programs gain nothing",
        "1",
        field("NoNewPrivs"),
    );
    facts.add(
        "seccomp.mode",
        "A system call filter is on",
        "2",
        field("Seccomp"),
    );
    others(facts);
}

fn others(facts: &mut Facts) {
    let comm = |pid: &str| {
        fs::read_to_string(format!("/proc/{pid}/comm"))
            .map_or_else(|_| "absent".to_owned(), |name| name.trim().to_owned())
    };
    facts.add(
        "pid.first",
        "The first process is the guest",
        "guest",
        comm("1"),
    );
    facts.add(
        "pid.kernel",
        "No kernel thread of the host is in sight",
        "none",
        if comm("2") == "kthreadd" {
            "kthreadd"
        } else {
            "none"
        },
    );
    let foreign = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
        .filter(|entry| {
            let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            !status.is_empty() && !status.contains("Uid:\t65532\t65532")
        })
        .count();
    facts.add(
        "pid.foreign",
        "No process of another user is in sight",
        "0",
        foreign,
    );
    let open = |path: &str, write: bool| {
        denied(
            fs::OpenOptions::new()
                .read(true)
                .write(write)
                .open(path)
                .map(drop),
        )
    };
    facts.add(
        "guest.memory",
        "The guest's memory cannot be opened",
        "refused",
        open("/proc/1/mem", true),
    );
    facts.add(
        "guest.environment",
        "The guest's environment cannot be read",
        "refused",
        open("/proc/1/environ", false),
    );
    facts.add(
        "guest.descriptors",
        "The guest's channel cannot be opened",
        "refused",
        denied(fs::read_dir("/proc/1/fd").map(drop)),
    );
    facts.add(
        "guest.root",
        "The root folder cannot be reached through the guest",
        "refused",
        denied(fs::read_dir("/proc/1/root/").map(drop)),
    );
    facts.add(
        "uts.hostname",
        "The host's name is hidden",
        "sandbox",
        fs::read_to_string("/proc/sys/kernel/hostname")
            .unwrap_or_default()
            .trim(),
    );
    let cgroup = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let shown = cgroup
        .lines()
        .any(|line| line.rsplit(':').next().is_none_or(|path| path != "/"));
    facts.add(
        "cgroup.namespace",
        "The host's control groups are hidden",
        "hidden",
        if shown || cgroup.is_empty() {
            "shown"
        } else {
            "hidden"
        },
    );
    let loud = std::env::vars()
        .map(|(name, _)| name)
        .filter(|name| {
            let upper = name.to_ascii_uppercase();
            [
                "PROXY",
                "TOKEN",
                "SECRET",
                "PASSWORD",
                "DOCKER",
                "KUBERNETES",
                "AWS_",
                "ROOST_",
            ]
            .iter()
            .any(|word| upper.contains(word))
        })
        .collect::<Vec<_>>()
        .join(" ");
    facts.add(
        "environment.secrets",
        "The environment tells no secret and no address",
        "none",
        if loud.is_empty() {
            "none"
        } else {
            loud.as_str()
        },
    );
    let written = fs::write("/workspace/.probe-file", b"x");
    let _ = fs::remove_file("/workspace/.probe-file");
    facts.add(
        "workspace.write",
        "The workspace can be written",
        "allowed",
        denied(written),
    );
}
