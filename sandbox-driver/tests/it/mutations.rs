//! Drops one field of the policy at a time: the probe must detect each from inside.
//!
//! The test makes the sandbox through the engine directly, because the driver would refuse it. The table in
//! `src/inspect_tests.rs` tests that inspect-after-create detects every dropped field as well. Fields that cannot be
//! seen from inside are in [`INSPECT_ONLY`], each with its reason.
use bollard::models::{ContainerCreateBody, HostConfig, HostConfigCgroupnsModeEnum};
use bollard::query_parameters::{CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder};
use roost_sandbox_driver::exec::Command;
use roost_sandbox_driver::verify::{PROBE_LIMITS, judge};
use roost_sandbox_driver::{GuestLink, policy};
use rstest::rstest;

use crate::support::{Bench, docker};

/// Fields of the request that a probe cannot see.
const INSPECT_ONLY: &[(&str, &str)] = &[
    ("AutoRemove", "decides what happens after the end"),
    ("RestartPolicy", "decides what happens after the end"),
    ("LogConfig", "is the host's disk"),
    ("CgroupParent", "is hidden by the control group namespace"),
    (
        "Init",
        "shows in the process list only with docker-init installed",
    ),
    (
        "OomKillDisable",
        "is the default, and unknown to control groups version 2",
    ),
    ("Binds", "is nothing unless something is added"),
    ("CapAdd", "is nothing unless something is added"),
    ("Devices", "is nothing unless something is added"),
    ("ExtraHosts", "is nothing unless something is added"),
    ("GroupAdd", "is nothing unless something is added"),
    ("Links", "is nothing unless something is added"),
    ("Mounts", "is nothing unless something is added"),
    ("PortBindings", "is nothing unless something is added"),
    ("PublishAllPorts", "is nothing without exposed ports"),
    ("Sysctls", "is nothing unless something is added"),
    ("PidMode", "is empty on Docker; the added mutation sets it"),
    ("UTSMode", "is empty on Docker; the added mutation sets it"),
    ("Runtime", "is the engine's default"),
];

/// Fields whose loss the probe detects; each has a case below.
const PROBED: &[&str] = &[
    "Privileged",
    "CapDrop",
    "SecurityOpt",
    "ReadonlyRootfs",
    "NetworkMode",
    "IpcMode",
    "CgroupnsMode",
    "Memory",
    "MemorySwap",
    "NanoCpus",
    "PidsLimit",
    "Ulimits",
    "OomScoreAdj",
    "Tmpfs",
    "ShmSize",
    "MaskedPaths",
    "ReadonlyPaths",
];

type Body = ContainerCreateBody;
type Change = fn(&mut Body, &mut HostConfig);

#[rstest]
#[case::privileged(|_: &mut Body, host: &mut HostConfig| host.privileged = Some(true), "caps.bounding")]
#[case::capabilities_kept(|_: &mut Body, host: &mut HostConfig| host.cap_drop = None, "caps.bounding")]
#[case::a_capability_added(|_: &mut Body, host: &mut HostConfig| host.cap_add = Some(vec!["NET_RAW".to_owned()]), "caps.bounding")]
#[case::new_privileges(|_: &mut Body, host: &mut HostConfig| drop_security(host, "no-new-privileges"), "no_new_privs")]
#[case::default_seccomp(|_: &mut Body, host: &mut HostConfig| drop_security(host, "seccomp="), "syscall.io_uring_setup")]
#[case::no_seccomp(|_: &mut Body, host: &mut HostConfig| { drop_security(host, "seccomp="); add_security(host, "seccomp=unconfined"); }, "seccomp.mode")]
#[case::writable_root(|_: &mut Body, host: &mut HostConfig| host.readonly_rootfs = None, "root.read_only")]
#[case::root_user(|body: &mut Body, _: &mut HostConfig| body.user = Some("0:0".to_owned()), "user.uid")]
#[case::another_user(|body: &mut Body, _: &mut HostConfig| body.user = Some("1000:1000".to_owned()), "user.uid")]
#[case::network(|_: &mut Body, host: &mut HostConfig| host.network_mode = Some("host".to_owned()), "net.interfaces")]
#[case::shared_memory_of_the_host(|_: &mut Body, host: &mut HostConfig| host.ipc_mode = Some("host".to_owned()), "shm.size")]
#[case::processes_of_the_host(|_: &mut Body, host: &mut HostConfig| host.pid_mode = Some("host".to_owned()), "pid.foreign")]
#[case::name_of_the_host(|body: &mut Body, host: &mut HostConfig| { body.hostname = None; host.uts_mode = Some("host".to_owned()); }, "uts.hostname")]
#[case::control_groups_of_the_host(|_: &mut Body, host: &mut HostConfig| host.cgroupns_mode = Some(HostConfigCgroupnsModeEnum::HOST), "cgroup.namespace")]
#[case::endless_memory(|_: &mut Body, host: &mut HostConfig| { host.memory = None; host.memory_swap = None; }, "limit.memory")]
#[case::swap(|_: &mut Body, host: &mut HostConfig| host.memory_swap = None, "limit.swap")]
#[case::endless_cpu(|_: &mut Body, host: &mut HostConfig| host.nano_cpus = None, "limit.cpu")]
#[case::endless_processes(|_: &mut Body, host: &mut HostConfig| host.pids_limit = None, "limit.pids")]
#[case::core_dumps(|_: &mut Body, host: &mut HostConfig| drop_ulimit(host, "core"), "rlimit.core")]
#[case::endless_files(|_: &mut Body, host: &mut HostConfig| drop_ulimit(host, "nofile"), "rlimit.nofile")]
#[case::locked_memory(|_: &mut Body, host: &mut HostConfig| drop_ulimit(host, "memlock"), "rlimit.memlock")]
#[case::dies_last(|_: &mut Body, host: &mut HostConfig| host.oom_score_adj = None, "oom.guest")]
#[case::no_tmp(|_: &mut Body, host: &mut HostConfig| drop_tmpfs(host, "/tmp"), "tmp.size")]
#[case::endless_workspace(|_: &mut Body, host: &mut HostConfig| set_tmpfs(host, "/workspace", "rw,exec,nosuid,nodev,mode=0700,uid=65532,gid=65532"), "workspace.size")]
#[case::setuid_in_the_workspace(|_: &mut Body, host: &mut HostConfig| set_tmpfs(host, "/workspace", "rw,exec,suid,nodev,size=33554432,mode=0700,uid=65532,gid=65532"), "workspace.flags")]
#[case::programs_in_tmp(|_: &mut Body, host: &mut HostConfig| set_tmpfs(host, "/tmp", "rw,exec,nosuid,nodev,size=67108864,mode=1777"), "tmp.flags")]
#[case::larger_shared_memory(|_: &mut Body, host: &mut HostConfig| host.shm_size = Some(1 << 30), "shm.size")]
#[case::the_engines_masks(|_: &mut Body, host: &mut HostConfig| host.masked_paths = None, "masked.kallsyms")]
#[case::no_masks(|_: &mut Body, host: &mut HostConfig| host.masked_paths = Some(Vec::new()), "masked.timer_list")]
#[case::writable_kernel_settings(|_: &mut Body, host: &mut HostConfig| host.readonly_paths = Some(Vec::new()), "proc_sys.read_only")]
#[case::a_bind(|_: &mut Body, host: &mut HostConfig| host.binds = Some(vec!["/tmp:/mnt".to_owned()]), "mounts.writable")]
#[case::the_engines_socket(|_: &mut Body, host: &mut HostConfig| host.binds = Some(vec!["/var/run/docker.sock:/var/run/docker.sock".to_owned()]), "engine.socket")]
#[case::a_device(|_: &mut Body, host: &mut HostConfig| host.devices = Some(vec![device("/dev/fuse")]), "devices")]
#[case::a_group(|_: &mut Body, host: &mut HostConfig| host.group_add = Some(vec!["0".to_owned()]), "user.groups")]
#[case::a_secret(|body: &mut Body, _: &mut HostConfig| body.env.get_or_insert_default().push("API_TOKEN=x".to_owned()), "environment.secrets")]
#[tokio::test]
async fn probe_detects_each_dropped_field(#[case] change: Change, #[case] fact: &str) {
    let bench = Bench::new().await;
    let mut spec = bench.spec();
    spec.limits = PROBE_LIMITS;
    let mut body = policy::container(
        &spec,
        spec.limits,
        bench.driver.engine(),
        Default::default(),
    )
    .unwrap();
    let mut host = body.host_config.take().unwrap();
    change(&mut body, &mut host);
    body.host_config = Some(host);
    let name = format!("roost-{}", spec.sandbox);
    let docker = docker().negotiate_version().await.unwrap();
    let options = CreateContainerOptionsBuilder::new().name(&name).build();
    docker.create_container(Some(options), body).await.unwrap();
    let wrong = read(&bench, &docker, &name, spec.sandbox).await;
    let options = RemoveContainerOptionsBuilder::new().force(true).build();
    docker.remove_container(&name, Some(options)).await.unwrap();
    let wrong = wrong.unwrap();
    assert!(
        wrong.iter().any(|name| name == fact),
        "{fact} was not noticed, only {wrong:?}"
    );
}

/// Facts that differ from the golden list.
async fn read(
    bench: &Bench,
    docker: &bollard::Docker,
    name: &str,
    sandbox: roost_protocol::ids::SandboxId,
) -> Result<Vec<String>, String> {
    docker
        .start_container(name, None)
        .await
        .map_err(|error| error.to_string())?;
    let link: GuestLink = bench
        .driver
        .attach(sandbox)
        .await
        .map_err(|error| error.to_string())?;
    let limits = PROBE_LIMITS;
    let words = [
        limits.memory_bytes,
        limits.workspace_bytes,
        u64::from(limits.pids),
    ]
    .map(|n| n.to_string());
    let ran = link
        .run(Command::of(
            policy::PROBE,
            &[&words[0], &words[1], &words[2]],
        ))
        .await
        .map_err(|error| error.to_string())?;
    let facts = serde_json::from_slice(&ran.output).map_err(|error| format!("{error}: {ran:?}"))?;
    Ok(judge(facts)
        .into_iter()
        .filter(|fact| !fact.ok)
        .map(|fact| fact.fact)
        .collect())
}

#[tokio::test]
async fn every_field_of_the_policy_is_probed_or_has_a_reason() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    let body = policy::container(
        &spec,
        spec.limits,
        bench.driver.engine(),
        Default::default(),
    )
    .unwrap();
    let host = serde_json::to_value(body.host_config.unwrap()).unwrap();
    for field in host.as_object().unwrap().keys() {
        let reason = INSPECT_ONLY.iter().any(|(name, _)| name == field);
        assert!(
            PROBED.contains(&field.as_str()) ^ reason,
            "{field} needs a mutation in this file, or a reason why no probe can see it"
        );
    }
}

fn drop_security(host: &mut HostConfig, prefix: &str) {
    host.security_opt
        .get_or_insert_default()
        .retain(|option| !option.starts_with(prefix));
}

fn add_security(host: &mut HostConfig, option: &str) {
    host.security_opt
        .get_or_insert_default()
        .push(option.to_owned());
}

/// Without our limit the engine's own limit applies, which differs.
fn drop_ulimit(host: &mut HostConfig, name: &str) {
    host.ulimits
        .get_or_insert_default()
        .retain(|limit| limit.name.as_deref() != Some(name));
}

fn drop_tmpfs(host: &mut HostConfig, path: &str) {
    host.tmpfs.get_or_insert_default().remove(path);
}

fn set_tmpfs(host: &mut HostConfig, path: &str, options: &str) {
    host.tmpfs
        .get_or_insert_default()
        .insert(path.to_owned(), options.to_owned());
}

fn device(path: &str) -> bollard::models::DeviceMapping {
    bollard::models::DeviceMapping {
        path_on_host: Some(path.to_owned()),
        path_in_container: Some(path.to_owned()),
        cgroup_permissions: Some("rwm".to_owned()),
    }
}
