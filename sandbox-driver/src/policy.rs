//! The whole hardening policy as data. This file does no I/O, and a spec cannot weaken it.
//!
//! An auditor reads this file and `seccomp.json`. `create` sends the policy, `inspect` compares the engine's result
//! with it, and the escape probe checks it from inside. A test detects a dropped field (`tests/mutations.rs`).
use std::collections::HashMap;

use bollard::models::{
    ContainerCreateBody, HealthConfig, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig,
    ResourcesUlimits, RestartPolicy, RestartPolicyNameEnum,
};
use roost_protocol::caps::LEAST_BESIDE_WORKSPACE;
use roost_protocol::sandbox::{Limits, SandboxSpec};

use crate::engine::{EngineFacts, EngineKind};
use crate::error::DriverError;

/// The guest supervisor in every agent image: the sandbox's first process.
pub const GUEST: &str = roost_protocol::guest::PROGRAM;
/// The escape probe in every agent image.
pub const PROBE: &str = "/usr/local/lib/roost/escape-probe";
/// User and group of everything in a sandbox; never 0.
pub const UID: u32 = 65532;
/// The one directory whose content is kept.
pub const WORKSPACE: &str = "/workspace";
/// Size of `/tmp`, bytes; counts in the memory limit.
pub const TMP_BYTES: u64 = 64 << 20;
/// Size of `/dev/shm`, bytes; counts in the memory limit.
pub const SHM_BYTES: u64 = 64 << 20;
/// When memory is short, the sandbox dies before the host's own programs.
pub const OOM_SCORE_ADJ: i64 = 500;
/// Most open files of a process.
const NOFILE: i64 = 16_384;
/// Most processes of the sandboxes' user on the whole host, where the engine needs a number.
const NPROC: i64 = 16_384;
/// Locked memory of a process, bytes.
const MEMLOCK: i64 = 64 << 10;

/// Paths that read as empty: the engine's defaults, and others that reveal facts about the host. A list replaces the
/// engine's own list, so it must be a superset.
pub const MASKED: [&str; 20] = [
    "/proc/acpi",
    "/proc/asound",
    "/proc/config.gz",
    "/proc/interrupts",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/latency_stats",
    "/proc/modules",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/vmallocinfo",
    "/sys/devices/virtual/dmi",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
    "/sys/fs/selinux",
    "/sys/kernel/security",
];
/// Paths that cannot be written: the engine's defaults, and the cgroup folder, which runc leaves writable with cgroup
/// v1 and a private namespace.
pub const READ_ONLY: [&str; 6] = [
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/sys/fs/cgroup",
];

/// Checks a spec. The owner's limits are checked separately ([`roost_protocol::caps`]).
///
/// # Errors
/// [`DriverError`] naming the field that is wrong.
pub fn admit(spec: &SandboxSpec) -> Result<Limits, DriverError> {
    roost_protocol::text::image_reference(&spec.image)?;
    roost_protocol::text::environment(spec.env.iter())?;
    let limits = spec.limits;
    range("memory_bytes", limits.memory_bytes, 32 << 20, 1 << 40)?;
    range(
        "workspace_bytes",
        limits.workspace_bytes,
        1 << 20,
        limits.memory_bytes.saturating_sub(LEAST_BESIDE_WORKSPACE),
    )?;
    range("nano_cpus", limits.nano_cpus, 10_000_000, 1_000_000_000_000)?;
    range("pids", u64::from(limits.pids), 16, 32_768)?;
    Ok(limits)
}

fn range(what: &'static str, got: u64, least: u64, most: u64) -> Result<(), DriverError> {
    if (least..=most).contains(&got) {
        Ok(())
    } else {
        Err(DriverError::OutOfRange {
            what,
            got,
            allowed: format!("{least} to {most}"),
        })
    }
}

/// The engine's create request for a spec whose limits were admitted.
///
/// # Errors
/// [`DriverError::EngineRefused`] on an architecture without a seccomp profile: no container runs without one.
pub fn container(
    spec: &SandboxSpec,
    limits: Limits,
    engine: &EngineFacts,
    labels: HashMap<String, String>,
) -> Result<ContainerCreateBody, DriverError> {
    let nothing = || Some(Vec::new());
    let user = format!("{UID}:{UID}");
    Ok(ContainerCreateBody {
        // A fixed name, because the host's name must not be visible.
        hostname: Some("sandbox".to_owned()),
        user: Some(user),
        attach_stdin: Some(false),
        attach_stdout: Some(false),
        attach_stderr: Some(false),
        tty: Some(false),
        // The guest's channel: it stays open when the attached client disconnects.
        open_stdin: Some(true),
        stdin_once: Some(false),
        env: Some(environment(spec)),
        entrypoint: Some(vec![GUEST.to_owned()]),
        cmd: nothing(),
        healthcheck: Some(HealthConfig {
            test: Some(vec!["NONE".to_owned()]),
            ..HealthConfig::default()
        }),
        image: Some(spec.image.clone()),
        working_dir: Some(WORKSPACE.to_owned()),
        labels: Some(labels),
        stop_signal: Some("SIGKILL".to_owned()),
        host_config: Some(host(limits, engine)?),
        ..ContainerCreateBody::default()
    })
}

fn host(limits: Limits, engine: &EngineFacts) -> Result<HostConfig, DriverError> {
    let nothing = || Some(Vec::new());
    let number = |n: u64| Some(i64::try_from(n).unwrap_or(i64::MAX));
    // Docker has only "not the host's" for these two, and writes it as an empty value.
    let private = match engine.kind {
        EngineKind::Docker => String::new(),
        EngineKind::Podman => "private".to_owned(),
    };
    Ok(HostConfig {
        privileged: Some(false),
        cap_drop: Some(vec!["ALL".to_owned()]),
        cap_add: nothing(),
        security_opt: Some(security(engine)?),
        readonly_rootfs: Some(true),
        network_mode: Some("none".to_owned()),
        ipc_mode: Some("private".to_owned()),
        pid_mode: Some(private.clone()),
        uts_mode: Some(private),
        cgroupns_mode: Some(HostConfigCgroupnsModeEnum::PRIVATE),
        memory: number(limits.memory_bytes),
        // Memory and swap together: the same number means no swap.
        memory_swap: number(limits.memory_bytes),
        nano_cpus: number(limits.nano_cpus),
        pids_limit: Some(i64::from(limits.pids)),
        ulimits: Some(ulimits(engine.kind)),
        oom_score_adj: Some(OOM_SCORE_ADJ),
        oom_kill_disable: Some(false),
        tmpfs: Some(tmpfs(limits, engine.kind)),
        shm_size: number(SHM_BYTES),
        devices: nothing_devices(),
        binds: nothing(),
        mounts: Some(Vec::new()),
        port_bindings: Some(HashMap::new()),
        publish_all_ports: Some(false),
        extra_hosts: nothing(),
        links: nothing(),
        sysctls: Some(HashMap::new()),
        group_add: nothing(),
        masked_paths: Some(MASKED.map(str::to_owned).to_vec()),
        readonly_paths: Some(READ_ONLY.map(str::to_owned).to_vec()),
        init: Some(false),
        auto_remove: Some(false),
        restart_policy: Some(RestartPolicy {
            name: Some(RestartPolicyNameEnum::NO),
            maximum_retry_count: None,
        }),
        // Output goes only to the attached stream: a log on the host's disk would have no limit of ours.
        log_config: Some(HostConfigLogConfig {
            typ: Some("none".to_owned()),
            config: None,
        }),
        cgroup_parent: engine.cgroup_parent.clone(),
        runtime: engine.runtime.clone(),
        ..HostConfig::default()
    })
}

fn nothing_devices() -> Option<Vec<bollard::models::DeviceMapping>> {
    Some(Vec::new())
}

fn security(engine: &EngineFacts) -> Result<Vec<String>, DriverError> {
    let profile = engine
        .seccomp
        .as_ref()
        .ok_or_else(|| DriverError::EngineRefused {
            during: "choosing a seccomp profile",
            status: 0,
            message: format!("there is no profile for the architecture {:?}", engine.arch),
        })?;
    let mut options = vec!["no-new-privileges".to_owned(), format!("seccomp={profile}")];
    if engine.apparmor {
        options.push(match engine.kind {
            EngineKind::Docker => "apparmor=docker-default".to_owned(),
            EngineKind::Podman => "apparmor=containers-default".to_owned(),
        });
    }
    if engine.kind == EngineKind::Podman {
        // Podman's compatible API takes masked paths here and adds them to its own list.
        options.push(format!("mask={}", MASKED.join(":")));
    }
    Ok(options)
}

/// No `nproc` where it can be omitted: it counts one user over all sandboxes of the host, and the pids limit does this
/// work. Podman sets its own value, which exceeds the limit of many hosts, so we set it there.
fn ulimits(engine: EngineKind) -> Vec<ResourcesUlimits> {
    let mut limits = vec![("core", 0), ("memlock", MEMLOCK), ("nofile", NOFILE)];
    if engine == EngineKind::Podman {
        limits.push(("nproc", NPROC));
    }
    limits
        .into_iter()
        .map(|(name, most)| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(most),
            hard: Some(most),
        })
        .collect()
}

fn tmpfs(limits: Limits, engine: EngineKind) -> HashMap<String, String> {
    let owner = match engine {
        EngineKind::Docker => format!("mode=0700,uid={UID},gid={UID}"),
        // Podman before version 5 refuses an owner here. A sandbox has only one user, so everybody may write.
        EngineKind::Podman => "mode=1777".to_owned(),
    };
    let mut mounts = HashMap::from([
        (
            "/tmp".to_owned(),
            format!("rw,noexec,nosuid,nodev,size={TMP_BYTES},mode=1777"),
        ),
        (
            WORKSPACE.to_owned(),
            format!(
                "rw,exec,nosuid,nodev,size={},{owner}",
                limits.workspace_bytes
            ),
        ),
    ]);
    if engine == EngineKind::Podman {
        // Without these, Podman mounts large folders there that everybody can write to, even with a read-only root file
        // system.
        for path in ["/run", "/var/tmp"] {
            let options = "rw,noexec,nosuid,nodev,size=65536,mode=0755";
            mounts.insert(path.to_owned(), options.to_owned());
        }
    }
    mounts
}

/// The environment of every command. A spec may add to it and replace defaults for programs, but not the variables that
/// the sandbox needs.
fn environment(spec: &SandboxSpec) -> Vec<String> {
    let mut env = std::collections::BTreeMap::from([
        (
            "PATH",
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ),
        ("HOME", WORKSPACE),
        ("TMPDIR", "/workspace/.tmp"),
        ("LANG", "C.UTF-8"),
        ("USER", "agent"),
        ("LOGNAME", "agent"),
    ]);
    for (name, value) in &spec.env {
        env.insert(name, value);
    }
    env.into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

#[cfg(test)]
#[path = "policy_tests.rs"]
pub(crate) mod tests;
