//! Each field that an engine drops, changes or adds is reported by name.
use std::collections::HashMap;

use bollard::models::{ContainerConfig, HostConfig, MountPoint};

use super::*;
use crate::policy::{self, tests as policy_tests};

fn image() -> FitImage {
    FitImage {
        reference: "roost-agent:dev".to_owned(),
        id: "sha256:aa".to_owned(),
        env: vec!["CARGO_HOME=/opt/cargo".to_owned()],
    }
}

fn intended() -> ContainerCreateBody {
    let spec = policy_tests::spec();
    let labels = HashMap::from([("org.roost.sandbox".to_owned(), "x".to_owned())]);
    policy::container(
        &spec,
        spec.limits,
        &policy_tests::engine(EngineKind::Docker),
        labels,
    )
    .unwrap()
}

/// The answer of an honest engine.
fn honest(body: &ContainerCreateBody) -> ContainerInspectResponse {
    let mut env = body.env.clone().unwrap();
    env.push("CARGO_HOME=/opt/cargo".to_owned());
    ContainerInspectResponse {
        image: Some("sha256:aa".to_owned()),
        app_armor_profile: Some("docker-default".to_owned()),
        host_config: body.host_config.clone().map(|host| HostConfig {
            runtime: Some("runc".to_owned()),
            console_size: Some(vec![0, 0]),
            ..host
        }),
        config: Some(ContainerConfig {
            user: body.user.clone(),
            entrypoint: body.entrypoint.clone(),
            open_stdin: body.open_stdin,
            working_dir: body.working_dir.clone(),
            env: Some(env),
            labels: body.labels.clone(),
            ..ContainerConfig::default()
        }),
        ..ContainerInspectResponse::default()
    }
}

fn found(change: impl FnOnce(&mut ContainerInspectResponse)) -> Vec<String> {
    let body = intended();
    let mut answer = honest(&body);
    change(&mut answer);
    differences(&body, &answer, &image(), EngineKind::Docker)
}

#[test]
fn inspect_of_an_honest_engine_matches_the_request() {
    assert_eq!(found(|_| {}), Vec::<String>::new());
}

#[test]
fn every_dropped_host_configuration_field_is_detected() {
    let body = intended();
    let fields = serde_json::to_value(body.host_config.clone().unwrap()).unwrap();
    let mut checked = 0;
    for (field, value) in fields.as_object().unwrap() {
        if is_nothing(value) {
            continue;
        }
        let mut host = fields.clone();
        host[field] = Value::Null;
        let mut answer = honest(&body);
        answer.host_config = Some(serde_json::from_value(host).unwrap());
        let differences = differences(&body, &answer, &image(), EngineKind::Docker);
        // An absent restart policy is the policy "no".
        if field != "RestartPolicy" {
            assert!(
                differences.iter().any(|text| text.contains(field.as_str())),
                "{field} was dropped without a difference"
            );
            checked += 1;
        }
    }
    assert!(checked >= 15, "only {checked} fields were set");
}

#[rstest::rstest]
#[case::privileged("Privileged", serde_json::json!(true))]
#[case::added_capability("CapAdd", serde_json::json!(["SYS_ADMIN"]))]
#[case::host_network("NetworkMode", serde_json::json!("host"))]
#[case::host_pids("PidMode", serde_json::json!("host"))]
#[case::host_uts("UTSMode", serde_json::json!("host"))]
#[case::a_bind("Binds", serde_json::json!(["/var/run/docker.sock:/s"]))]
#[case::a_device("Devices", serde_json::json!([{"PathOnHost": "/dev/kmsg"}]))]
#[case::a_device_rule("DeviceCgroupRules", serde_json::json!(["a *:* rwm"]))]
#[case::a_port("PortBindings", serde_json::json!({"80/tcp": [{"HostPort": "80"}]}))]
#[case::a_sysctl("Sysctls", serde_json::json!({"kernel.x": "1"}))]
#[case::a_group("GroupAdd", serde_json::json!(["docker"]))]
#[case::volumes_of_another("VolumesFrom", serde_json::json!(["x"]))]
#[case::user_namespace("UsernsMode", serde_json::json!("host"))]
#[case::unconfined("SecurityOpt", serde_json::json!(["seccomp=unconfined"]))]
#[case::swap("MemorySwap", serde_json::json!(-1))]
#[case::always_restart("RestartPolicy", serde_json::json!({"Name": "always"}))]
#[case::a_log("LogConfig", serde_json::json!({"Type": "json-file"}))]
#[case::another_runtime("Runtime", serde_json::json!("other"))]
#[case::fewer_masked_paths("MaskedPaths", serde_json::json!(["/proc/kcore"]))]
#[case::a_larger_workspace("Tmpfs", serde_json::json!({"/tmp": "exec", "/workspace": "exec"}))]
fn changed_field_is_detected(#[case] field: &str, #[case] value: Value) {
    let differences = found(|answer| {
        let mut host = serde_json::to_value(answer.host_config.clone()).unwrap();
        host[field] = value;
        answer.host_config = Some(serde_json::from_value(host).unwrap());
    });
    assert!(
        differences.iter().any(|text| text.contains(field)),
        "{differences:?}"
    );
}

#[test]
fn other_user_program_image_mount_or_variable_is_detected() {
    type Change = fn(&mut ContainerInspectResponse);
    let cases: [(&str, Change); 6] = [
        ("User", |a| {
            a.config.as_mut().unwrap().user = Some("0".to_owned());
        }),
        ("Entrypoint", |a| {
            a.config.as_mut().unwrap().entrypoint = None;
        }),
        ("Image", |a| a.image = Some("sha256:bb".to_owned())),
        ("Mounts", |a| {
            a.mounts = Some(vec![MountPoint {
                typ: Some("volume".to_owned()),
                ..MountPoint::default()
            }]);
        }),
        ("Env", |a| {
            a.config
                .as_mut()
                .unwrap()
                .env
                .as_mut()
                .unwrap()
                .push("HTTP_PROXY=x".to_owned());
        }),
        ("Labels", |a| a.config.as_mut().unwrap().labels = None),
    ];
    for (field, change) in cases {
        let differences = found(change);
        assert!(
            differences.iter().any(|text| text.contains(field)),
            "{field}: {differences:?}"
        );
    }
}
