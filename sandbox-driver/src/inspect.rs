//! Inspect-after-create: compares every field of the engine's result with the request. Pure.
//!
//! It checks both directions: a field that we set must have its value, and a field that we did not set must be as
//! harmless as an absent one. So it also detects a field that a newer engine adds and fills in.
use bollard::models::{ContainerCreateBody, ContainerInspectResponse};
use serde_json::{Map, Value};

use crate::engine::EngineKind;
use crate::image::FitImage;

/// Fields that an engine fills in by itself, with their allowed values.
const FILLED_IN: [(&str, &[&str]); 12] = [
    ("ConsoleSize", &["[0,0]"]),
    ("Isolation", &["\"default\"", "\"\""]),
    ("VolumeDriver", &["\"\"", "\"local\""]),
    ("Cgroup", &["\"\"", "\"default\""]),
    ("UsernsMode", &["\"\"", "\"private\""]),
    ("ContainerIDFile", &["\"\""]),
    ("CpuPeriod", &["100000"]),
    ("MemorySwappiness", &["-1", "0"]),
    ("Dns", &["[]"]),
    ("IOMaximumIOps", &["0"]),
    ("CpuShares", &["0", "1024"]),
    ("Annotations", &["{}"]),
];

/// The differences, one sentence each; empty when the sandbox matches the request.
pub(crate) fn differences(
    intended: &ContainerCreateBody,
    found: &ContainerInspectResponse,
    image: &FitImage,
    engine: EngineKind,
) -> Vec<String> {
    let mut out = Vec::new();
    let host = |value: &Option<_>| object(serde_json::to_value(value).unwrap_or_default());
    compare_host(
        &host(&intended.host_config),
        &host(&found.host_config),
        engine,
        &mut out,
    );
    compare_config(intended, found, image, &mut out);
    if found.image.as_deref().map(bare) != Some(bare(&image.id)) {
        out.push(format!(
            "Image is {:?}, not {}",
            found.image.as_deref().unwrap_or_default(),
            image.id
        ));
    }
    for mount in found.mounts.iter().flatten() {
        let typ = mount.typ.as_deref().unwrap_or_default();
        if typ != "tmpfs" {
            out.push(format!(
                "Mounts has a {typ} at {:?}",
                mount.destination.as_deref().unwrap_or_default()
            ));
        }
    }
    if engine == EngineKind::Docker {
        let wanted = intended
            .host_config
            .as_ref()
            .and_then(|host| host.security_opt.as_ref())
            .into_iter()
            .flatten()
            .find_map(|option| option.strip_prefix("apparmor="))
            .unwrap_or_default();
        let got = found.app_armor_profile.as_deref().unwrap_or_default();
        if got != wanted {
            out.push(format!("AppArmorProfile is {got:?}, not {wanted:?}"));
        }
    }
    out
}

fn compare_host(
    intended: &Map<String, Value>,
    found: &Map<String, Value>,
    engine: EngineKind,
    out: &mut Vec<String>,
) {
    for (field, wanted) in intended {
        let got = found.get(field).unwrap_or(&Value::Null);
        if !same(field, wanted, got, engine) {
            out.push(format!(
                "HostConfig.{field} is {}, not {}",
                short(got),
                short(wanted)
            ));
        }
    }
    for (field, got) in found {
        if intended.contains_key(field) || is_nothing(got) {
            continue;
        }
        let fine = FILLED_IN
            .iter()
            .any(|(name, values)| name == field && values.contains(&got.to_string().as_str()))
            || fills_in(field, got, intended, engine);
        if !fine {
            out.push(format!("HostConfig.{field} is {}, not unset", short(got)));
        }
    }
}

/// Values that depend on others.
fn fills_in(field: &str, got: &Value, intended: &Map<String, Value>, engine: EngineKind) -> bool {
    match (field, engine) {
        // The default runtime's name.
        ("Runtime", EngineKind::Docker) => got == "runc",
        ("Runtime", EngineKind::Podman) => got == "oci" || got == "runc" || got == "crun",
        // Podman returns nano cpus as a quota.
        ("CpuQuota", EngineKind::Podman) => {
            let nano = intended
                .get("NanoCpus")
                .and_then(Value::as_i64)
                .unwrap_or(0);
            got.as_i64() == Some(nano / 10_000)
        }
        ("CgroupParent" | "CgroupManager" | "CgroupMode" | "UTSMode", EngineKind::Podman) => true,
        _ => false,
    }
}

fn same(field: &str, wanted: &Value, got: &Value, engine: EngineKind) -> bool {
    if wanted == got || (is_nothing(wanted) && is_nothing(got)) {
        return true;
    }
    match (field, engine) {
        ("Tmpfs", _) => same_tmpfs(wanted, got),
        ("Ulimits", _) => same_set(&ulimits(wanted), &ulimits(got)),
        ("MaskedPaths" | "ReadonlyPaths" | "CapDrop", EngineKind::Docker) => {
            same_set(&strings(wanted), &strings(got))
        }
        ("RestartPolicy", _) => {
            let name = |value: &Value| value["Name"].as_str().unwrap_or_default().to_owned();
            name(wanted) == name(got) || (name(wanted) == "no" && name(got).is_empty())
        }
        ("LogConfig", _) => wanted["Type"] == got["Type"] && is_nothing(&got["Config"]),
        (field, EngineKind::Podman) => crate::podman::same(field, wanted, got),
        _ => false,
    }
}

/// The same paths with the same options in any order.
fn same_tmpfs(wanted: &Value, got: &Value) -> bool {
    let options = |value: &Value| -> Vec<(String, Vec<String>)> {
        let mut paths: Vec<_> = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(path, options)| {
                let mut options: Vec<_> = options
                    .as_str()
                    .unwrap_or_default()
                    .split(',')
                    .filter(|option| !matches!(*option, "rprivate" | "tmpcopyup"))
                    .map(str::to_owned)
                    .collect();
                options.sort();
                options.dedup();
                (path.clone(), options)
            })
            .collect();
        paths.sort();
        paths
    };
    options(wanted) == options(got)
}

fn ulimits(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|limit| {
            let name = limit["Name"]
                .as_str()
                .unwrap_or_default()
                .to_ascii_lowercase();
            let name = name.trim_start_matches("rlimit_").to_owned();
            format!("{name}={}:{}", limit["Soft"], limit["Hard"])
        })
        .collect()
}

fn compare_config(
    intended: &ContainerCreateBody,
    found: &ContainerInspectResponse,
    image: &FitImage,
    out: &mut Vec<String>,
) {
    let config = found.config.clone().unwrap_or_default();
    let mut check =
        |field: &str, wanted: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug, same: bool| {
            if !same {
                out.push(format!("Config.{field} is {got:?}, not {wanted:?}"));
            }
        };
    check(
        "User",
        &intended.user,
        &config.user,
        intended.user == config.user,
    );
    check(
        "Entrypoint",
        &intended.entrypoint,
        &config.entrypoint,
        intended.entrypoint == config.entrypoint,
    );
    let none = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
    check("Cmd", &"nothing", &config.cmd, none(&config.cmd));
    check(
        "Volumes",
        &"nothing",
        &config.volumes,
        none(&config.volumes),
    );
    check(
        "ExposedPorts",
        &"nothing",
        &config.exposed_ports,
        none(&config.exposed_ports),
    );
    check("Tty", &false, &config.tty, config.tty != Some(true));
    check(
        "OpenStdin",
        &true,
        &config.open_stdin,
        config.open_stdin == Some(true),
    );
    check(
        "StdinOnce",
        &false,
        &config.stdin_once,
        config.stdin_once != Some(true),
    );
    check(
        "WorkingDir",
        &intended.working_dir,
        &config.working_dir,
        intended.working_dir == config.working_dir,
    );
    let wanted = environment(intended, image);
    let got = config.env.clone().unwrap_or_default();
    // Podman adds a few of its own, which reveal nothing about the host.
    let got: Vec<_> = got
        .into_iter()
        .filter(|entry| {
            !matches!(
                entry.as_str(),
                "container=podman" | "TERM=xterm" | "HOSTNAME=sandbox"
            )
        })
        .collect();
    check("Env", &wanted, &got, same_set(&wanted, &got));
    for (name, value) in intended.labels.iter().flatten() {
        let got = config.labels.as_ref().and_then(|labels| labels.get(name));
        check(&format!("Labels.{name}"), value, &got, got == Some(value));
    }
}

/// Our variables, and the image's where we set no other value.
fn environment(intended: &ContainerCreateBody, image: &FitImage) -> Vec<String> {
    let mut env = intended.env.clone().unwrap_or_default();
    let named: Vec<_> = env.iter().map(|entry| name_of(entry).to_owned()).collect();
    env.extend(
        image
            .env
            .iter()
            .filter(|entry| !named.iter().any(|name| name == name_of(entry)))
            .cloned(),
    );
    env.retain(|entry| !matches!(entry.as_str(), "container=podman" | "TERM=xterm"));
    env
}

fn name_of(entry: &str) -> &str {
    entry.split('=').next().unwrap_or_default()
}

/// Null, zero, false and empty all count as not set.
pub(crate) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(on) => !on,
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
    }
}

pub(crate) fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| item.as_str().unwrap_or_default().to_owned())
        .collect()
}

pub(crate) fn same_set(a: &[String], b: &[String]) -> bool {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list.dedup();
        list
    };
    sorted(a) == sorted(b)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// An image id without the algorithm's name.
fn bare(id: &str) -> &str {
    id.strip_prefix("sha256:").unwrap_or(id)
}

fn short(value: &Value) -> String {
    roost_protocol::text::clean(&value.to_string(), 200)
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
