//! Table tests of the policy: each row is a field that an auditor would check.
use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};

use super::*;

pub(crate) fn spec() -> SandboxSpec {
    let id = "01939b5c-7c4e-7000-8000-000000000001";
    SandboxSpec {
        sandbox: id.parse::<SandboxId>().unwrap(),
        workspace: id.parse::<WorkspaceId>().unwrap(),
        agent: id.parse::<AgentId>().unwrap(),
        node: None,
        epoch: 1,
        image: "roost-agent:dev".to_owned(),
        image_digest: None,
        limits: Limits::default(),
        env: Default::default(),
        lease_s: 60,
    }
}

pub(crate) fn engine(kind: EngineKind) -> EngineFacts {
    EngineFacts {
        kind,
        address: "unix:///x".to_owned(),
        version: "20.10.24".to_owned(),
        api: "1.41".to_owned(),
        arch: "amd64".to_owned(),
        kernel: "6.1".to_owned(),
        systemd_cgroups: false,
        rootless: false,
        apparmor: true,
        runtime: None,
        owner: "test".to_owned(),
        seccomp: crate::seccomp::profile("amd64"),
        cgroup_parent: Some("/roost-sandboxes/test".to_owned()),
        host: crate::total::Host {
            memory_bytes: 24 << 30,
            cpus: 2,
            pids: 32_768,
        },
    }
}

fn made() -> serde_json::Value {
    let spec = spec();
    let body = container(
        &spec,
        spec.limits,
        &engine(EngineKind::Docker),
        HashMap::new(),
    )
    .unwrap();
    serde_json::to_value(body).unwrap()
}

#[rstest::rstest]
#[case("/User", serde_json::json!("65532:65532"))]
#[case("/Entrypoint", serde_json::json!([GUEST]))]
#[case("/Cmd", serde_json::json!([]))]
#[case("/OpenStdin", serde_json::json!(true))]
#[case("/StdinOnce", serde_json::json!(false))]
#[case("/Tty", serde_json::json!(false))]
#[case("/Healthcheck/Test", serde_json::json!(["NONE"]))]
#[case("/HostConfig/Privileged", serde_json::json!(false))]
#[case("/HostConfig/CapDrop", serde_json::json!(["ALL"]))]
#[case("/HostConfig/CapAdd", serde_json::json!([]))]
#[case("/HostConfig/ReadonlyRootfs", serde_json::json!(true))]
#[case("/HostConfig/NetworkMode", serde_json::json!("none"))]
#[case("/HostConfig/IpcMode", serde_json::json!("private"))]
#[case("/HostConfig/PidMode", serde_json::json!(""))]
#[case("/HostConfig/UTSMode", serde_json::json!(""))]
#[case("/HostConfig/CgroupnsMode", serde_json::json!("private"))]
#[case("/HostConfig/Memory", serde_json::json!(1 << 30))]
#[case("/HostConfig/MemorySwap", serde_json::json!(1 << 30))]
#[case("/HostConfig/NanoCpus", serde_json::json!(1_000_000_000))]
#[case("/HostConfig/PidsLimit", serde_json::json!(256))]
#[case("/HostConfig/OomScoreAdj", serde_json::json!(500))]
#[case("/HostConfig/OomKillDisable", serde_json::json!(false))]
#[case("/HostConfig/Devices", serde_json::json!([]))]
#[case("/HostConfig/Binds", serde_json::json!([]))]
#[case("/HostConfig/Mounts", serde_json::json!([]))]
#[case("/HostConfig/PortBindings", serde_json::json!({}))]
#[case("/HostConfig/PublishAllPorts", serde_json::json!(false))]
#[case("/HostConfig/ExtraHosts", serde_json::json!([]))]
#[case("/HostConfig/Links", serde_json::json!([]))]
#[case("/HostConfig/Sysctls", serde_json::json!({}))]
#[case("/HostConfig/GroupAdd", serde_json::json!([]))]
#[case("/HostConfig/Init", serde_json::json!(false))]
#[case("/HostConfig/AutoRemove", serde_json::json!(false))]
#[case("/HostConfig/RestartPolicy/Name", serde_json::json!("no"))]
#[case("/HostConfig/LogConfig/Type", serde_json::json!("none"))]
#[case("/HostConfig/CgroupParent", serde_json::json!("/roost-sandboxes/test"))]
#[case("/HostConfig/ShmSize", serde_json::json!(64 << 20))]
fn container_request_matches_the_policy(#[case] pointer: &str, #[case] wanted: serde_json::Value) {
    assert_eq!(made().pointer(pointer), Some(&wanted), "{pointer}");
}

#[test]
fn security_options_are_exact_and_never_unconfined() {
    let options = security(&engine(EngineKind::Docker)).unwrap();
    assert_eq!(options[0], "no-new-privileges");
    assert!(options[1].starts_with("seccomp={"));
    assert_eq!(options[2], "apparmor=docker-default");
    assert_eq!(options.len(), 3);
    assert!(!options.iter().any(|option| option.contains("unconfined")));
}

#[test]
fn an_architecture_without_a_profile_gets_no_sandbox() {
    let mut engine = engine(EngineKind::Docker);
    engine.seccomp = crate::seccomp::profile("riscv64");
    assert!(container(&spec(), Limits::default(), &engine, HashMap::new()).is_err());
}

#[test]
fn masked_paths_are_a_superset_of_the_engines() {
    // From `oci/defaults.go` of Docker 20.10 and 28.
    for path in [
        "/proc/asound",
        "/proc/acpi",
        "/proc/interrupts",
        "/proc/kcore",
        "/proc/keys",
        "/proc/latency_stats",
        "/proc/timer_list",
        "/proc/timer_stats",
        "/proc/sched_debug",
        "/proc/scsi",
        "/sys/firmware",
        "/sys/devices/virtual/powercap",
    ] {
        assert!(MASKED.contains(&path), "{path}");
    }
}

#[test]
fn the_workspace_is_sized_and_cannot_hold_devices_or_setuid_programs() {
    let tmpfs = tmpfs(Limits::default(), EngineKind::Docker);
    let workspace = &tmpfs[WORKSPACE];
    for option in [
        "nosuid",
        "nodev",
        "size=536870912",
        "mode=0700",
        "uid=65532",
    ] {
        assert!(workspace.contains(option), "{option}");
    }
    let tmp = &tmpfs["/tmp"];
    for option in ["noexec", "nosuid", "nodev", "size=67108864"] {
        assert!(tmp.contains(option), "{option}");
    }
}

#[rstest::rstest]
#[case::no_memory(|s: &mut SandboxSpec| s.limits.memory_bytes = 0, "memory_bytes")]
#[case::workspace_as_large_as_memory(|s: &mut SandboxSpec| s.limits.workspace_bytes = s.limits.memory_bytes, "workspace_bytes")]
#[case::no_cpu(|s: &mut SandboxSpec| s.limits.nano_cpus = 0, "nano_cpus")]
#[case::no_processes(|s: &mut SandboxSpec| s.limits.pids = 0, "pids")]
#[case::endless_processes(|s: &mut SandboxSpec| s.limits.pids = u32::MAX, "pids")]
#[case::options_in_the_image(|s: &mut SandboxSpec| s.image = "--privileged".to_owned(), "image reference")]
#[case::a_loader_variable(|s: &mut SandboxSpec| { s.env.insert("LD_PRELOAD".to_owned(), "/x".to_owned()); }, "LD_PRELOAD")]
fn out_of_range_spec_is_refused_with_the_fields_name(
    #[case] change: fn(&mut SandboxSpec),
    #[case] named: &str,
) {
    let mut spec = spec();
    change(&mut spec);
    let error = admit(&spec).expect_err(named);
    assert!(error.to_string().contains(named), "{error}");
}

#[test]
fn a_spec_cannot_ask_for_privilege_at_all() {
    // The type has no such field, and unknown fields are an error.
    let mut value = serde_json::to_value(spec()).unwrap();
    value["privileged"] = serde_json::json!(true);
    assert!(serde_json::from_value::<SandboxSpec>(value).is_err());
}
