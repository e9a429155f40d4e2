//! What the engine and the kernel report about themselves. The probe then checks the effect.
use bollard::models::{SystemInfo, SystemInfoCgroupVersionEnum, SystemVersion};
use roost_protocol::verify::{Check, Level};

use super::runc;
use crate::driver::Driver;
use crate::engine::{EngineFacts, EngineKind, LEAST_API};
use crate::error::DriverError;

pub(super) fn check(name: &str, title: &str, level: Level, detail: impl Into<String>) -> Check {
    Check {
        name: name.to_owned(),
        title: title.to_owned(),
        level,
        detail: roost_protocol::text::clean(
            &detail.into(),
            roost_protocol::limits::MAX_DETAIL_TEXT,
        ),
    }
}

impl Driver {
    pub(super) async fn engine_checks(&self) -> Result<Vec<Check>, DriverError> {
        let docker = &self.inner.docker;
        let fail = |error| DriverError::engine("querying its state", error);
        let (info, version) = tokio::try_join!(docker.info(), docker.version()).map_err(fail)?;
        Ok(all(&self.inner.engine, &info, &version))
    }
}

fn all(engine: &EngineFacts, info: &SystemInfo, version: &SystemVersion) -> Vec<Check> {
    let name = match engine.kind {
        EngineKind::Docker => "Docker",
        EngineKind::Podman => "Podman",
    };
    let mut checks = vec![
        check(
            "engine.api",
            "The engine's API is new enough",
            Level::Ok,
            format!(
                "{name} {} has API {}; {LEAST_API} is needed",
                engine.version, engine.api
            ),
        ),
        runtime(version, engine),
        kernel(&engine.kernel),
        security(info),
        cgroups(info),
    ];
    for (check_name, title, can) in [
        ("limit.memory", "Memory can be limited", info.memory_limit),
        ("limit.swap", "Swap can be limited", info.swap_limit),
        ("limit.cpu", "Cpu can be limited", info.cpu_cfs_quota),
        ("limit.pids", "Processes can be limited", info.pids_limit),
    ] {
        let (level, detail) = match can {
            Some(true) => (Level::Ok, "yes"),
            // Podman does not report this for every kernel; the probe reads the limit itself.
            None | Some(false) if engine.kind == EngineKind::Podman => (
                Level::Warn,
                "the engine does not report it; the probe measures it",
            ),
            _ => (
                Level::Fail,
                "no: switch the controller on at the kernel's command line (cgroup_enable=memory swapaccount=1), or use control groups version 2",
            ),
        };
        checks.push(check(check_name, title, level, detail));
    }
    checks.push(live_restore(info, engine));
    checks.push(reattach(engine));
    checks.push(check(
        "workspace.kind",
        "Workspaces are limited in size",
        Level::Ok,
        "a tmpfs inside the memory limit, archived when it must be kept",
    ));
    checks
}

fn runtime(version: &SystemVersion, engine: &EngineFacts) -> Check {
    let title = "The runtime has no known vulnerability";
    if let Some(chosen) = engine.runtime.as_deref().filter(|name| *name != "runc") {
        return check(
            "runtime",
            title,
            Level::Ok,
            format!("{chosen} was chosen by the owner"),
        );
    }
    let found = version.components.iter().flatten().find(|part| {
        let name = part.name.to_ascii_lowercase();
        name.contains("runc") || name.contains("oci runtime")
    });
    let Some(part) = found else {
        return check(
            "runtime",
            title,
            Level::Warn,
            "the engine does not report its runtime",
        );
    };
    let details = part.details.as_ref();
    let commit = details
        .and_then(|details| details.get("GitCommit").or_else(|| details.get("Package")))
        .map(ToString::to_string)
        .unwrap_or_default();
    let (level, detail) = runc::judge(&part.version, commit.trim_matches('"'));
    check("runtime", title, level, detail)
}

fn kernel(kernel: &str) -> Check {
    let mut numbers = kernel
        .split(['.', '-'])
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let (level, detail) = if version >= (5, 10) {
        (Level::Ok, format!("Linux {kernel}"))
    } else {
        (
            Level::Warn,
            format!("Linux {kernel} is old: 5.10 or later is better maintained"),
        )
    };
    check("kernel", "The kernel is maintained", level, detail)
}

fn security(info: &SystemInfo) -> Check {
    let options = info.security_options.clone().unwrap_or_default();
    let has = |word: &str| options.iter().any(|option| option.contains(word));
    let (level, detail) = if has("seccomp") {
        (Level::Ok, options.join(", "))
    } else {
        (
            Level::Fail,
            "the engine has no seccomp: sandboxes cannot filter system calls here".to_owned(),
        )
    };
    check(
        "kernel.seccomp",
        "System calls can be filtered",
        level,
        detail,
    )
}

fn cgroups(info: &SystemInfo) -> Check {
    let second = info.cgroup_version == Some(SystemInfoCgroupVersionEnum::_2);
    let detail = if second {
        "version 2"
    } else {
        "version 1: works, version 2 is better maintained"
    };
    let level = if second { Level::Ok } else { Level::Warn };
    check(
        "kernel.cgroups",
        "Control groups are current",
        level,
        detail,
    )
}

fn live_restore(info: &SystemInfo, engine: &EngineFacts) -> Check {
    let on = engine.kind == EngineKind::Podman || info.live_restore_enabled == Some(true);
    let (level, detail) = if on {
        (Level::Ok, "yes")
    } else {
        (
            Level::Warn,
            "no: set \"live-restore\": true in /etc/docker/daemon.json, or every restart of Docker ends all sandboxes",
        )
    };
    check(
        "engine.live_restore",
        "Sandboxes survive a restart of the engine",
        level,
        detail,
    )
}

/// Seen on Podman 4.3: its conmon closes a container's stdin for good when the attached client disconnects.
fn reattach(engine: &EngineFacts) -> Check {
    let (level, detail) = match engine.kind {
        EngineKind::Docker => (Level::Ok, "yes"),
        EngineKind::Podman => (
            Level::Warn,
            "no: Podman closes a sandbox's input when the daemon disconnects, so after a restart of the daemon its sandboxes do not answer and are made again; use Docker where that matters",
        ),
    };
    check(
        "engine.reattach",
        "Sandboxes can be attached to again",
        level,
        detail,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::tests::engine;

    #[test]
    fn engine_without_limits_fails_with_what_to_enable() {
        let info = SystemInfo {
            memory_limit: Some(true),
            swap_limit: Some(false),
            security_options: Some(vec!["name=apparmor".to_owned()]),
            ..SystemInfo::default()
        };
        let checks = all(
            &engine(EngineKind::Docker),
            &info,
            &SystemVersion::default(),
        );
        let level = |name: &str| {
            checks
                .iter()
                .find(|check| check.name == name)
                .map(|check| check.level)
        };
        assert_eq!(level("limit.memory"), Some(Level::Ok));
        assert_eq!(level("limit.swap"), Some(Level::Fail));
        assert_eq!(level("limit.pids"), Some(Level::Fail));
        assert_eq!(level("kernel.seccomp"), Some(Level::Fail));
        assert_eq!(level("engine.live_restore"), Some(Level::Warn));
    }
}
