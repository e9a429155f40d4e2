//! Finds the engine, asks what it is and what it can, and says clearly when it cannot be used.
use std::time::Duration;

use bollard::Docker;

use crate::error::DriverError;
use crate::{podman, seccomp};

/// Oldest API that is used: Docker 20.10.
pub const LEAST_API: &str = "1.41";
const DEFAULT_SOCKET: &str = "unix:///var/run/docker.sock";

/// How to reach the engine and what its owner chose.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// `unix:///path`; absent takes `DOCKER_HOST`, then Docker's usual socket.
    pub host: Option<String>,
    /// A runtime that the engine knows, such as `runsc`; absent takes the engine's default. Never falls back.
    pub runtime: Option<String>,
    /// Whose sandboxes these are: the install id of a daemon, an id of a gateway. Two programs on one engine see, list and
    /// sweep only their own.
    pub owner: String,
    /// One parent cgroup of all sandboxes; absent picks a name that the engine's cgroup driver takes.
    pub cgroup_parent: Option<String>,
}

/// Which program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    Docker,
    Podman,
}

/// What the engine said of itself, asked once at connect.
#[derive(Clone, Debug)]
pub struct EngineFacts {
    pub kind: EngineKind,
    pub address: String,
    pub version: String,
    pub api: String,
    /// As the engine names it: `amd64`, `arm64`.
    pub arch: String,
    pub kernel: String,
    pub systemd_cgroups: bool,
    pub rootless: bool,
    pub apparmor: bool,
    pub runtime: Option<String>,
    pub cgroup_parent: Option<String>,
    /// As configured.
    pub owner: String,
    /// What the engine takes as our seccomp profile: the content on Docker, a path on Podman. `None` on an architecture
    /// that has no profile: then no sandbox is made.
    pub seccomp: Option<String>,
}

/// Connects, agrees on an API version and collects the facts.
pub(crate) async fn connect(config: &EngineConfig) -> Result<(Docker, EngineFacts), DriverError> {
    let address = address(config.host.as_deref(), std::env::var("DOCKER_HOST").ok())?;
    let unreachable = |source: bollard::errors::Error| unreachable(&address, source);
    let docker = Docker::connect_with_unix(&address, 120, bollard::API_DEFAULT_VERSION)
        .map_err(unreachable)?;
    let asked = tokio::time::timeout(Duration::from_secs(10), async {
        let docker = docker.negotiate_version().await.map_err(unreachable)?;
        let version = docker.version().await.map_err(unreachable)?;
        let info = docker.info().await.map_err(unreachable)?;
        Ok::<_, DriverError>((docker, version, info))
    });
    let (docker, version, info) = asked
        .await
        .map_err(|_| unreachable(bollard::errors::Error::RequestTimeoutError))??;

    let api = version.api_version.clone().unwrap_or_default();
    if api_number(&api) < api_number(LEAST_API) {
        return Err(DriverError::EngineTooOld {
            got: api,
            least: LEAST_API,
        });
    }
    let podman = version
        .components
        .iter()
        .flatten()
        .any(|part| part.name.to_ascii_lowercase().contains("podman"));
    if let Some(wanted) = &config.runtime {
        let known = info.runtimes.clone().unwrap_or_default();
        if !known.contains_key(wanted) {
            let mut known: Vec<_> = known.into_keys().collect();
            known.sort();
            return Err(DriverError::RuntimeMissing {
                wanted: wanted.clone(),
                known: known.join(", "),
            });
        }
    }
    let security = info.security_options.clone().unwrap_or_default();
    let has = |word: &str| security.iter().any(|option| option.contains(word));
    let systemd_cgroups = info
        .cgroup_driver
        .is_some_and(|driver| driver == bollard::models::SystemInfoCgroupDriverEnum::SYSTEMD);
    let rootless = has("rootless") && !has("rootless=false");
    let kind = if podman {
        EngineKind::Podman
    } else {
        EngineKind::Docker
    };
    let arch = version.arch.unwrap_or_default();
    let seccomp = match (kind, seccomp::profile(&arch)) {
        (EngineKind::Podman, Some(profile)) => {
            Some(podman::profile_file(&profile)?.display().to_string())
        }
        (_, profile) => profile,
    };
    let facts = EngineFacts {
        seccomp,
        kind,
        version: version.version.unwrap_or_default(),
        api,
        arch,
        kernel: version.kernel_version.unwrap_or_default(),
        systemd_cgroups,
        rootless,
        apparmor: has("apparmor"),
        runtime: config.runtime.clone(),
        owner: config.owner.clone(),
        cgroup_parent: config
            .cgroup_parent
            .clone()
            .or_else(|| default_parent(kind, systemd_cgroups, rootless)),
        address,
    };
    Ok((docker, facts))
}

/// A rootless engine may only use what was delegated to it, so there its own choice stays.
fn default_parent(kind: EngineKind, systemd: bool, rootless: bool) -> Option<String> {
    match (kind, systemd, rootless) {
        (_, _, true) => None,
        (_, true, _) => Some("roost.slice".to_owned()),
        (_, false, _) => Some("/roost".to_owned()),
    }
}

fn address(configured: Option<&str>, environment: Option<String>) -> Result<String, DriverError> {
    let address = configured
        .map(str::to_owned)
        .or(environment)
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| DEFAULT_SOCKET.to_owned());
    // The engine's API is root on its host: it is never spoken over a network from here.
    if address.starts_with("unix:///") {
        Ok(address)
    } else if address.starts_with('/') {
        Ok(format!("unix://{address}"))
    } else {
        Err(DriverError::EngineAddress(address))
    }
}

fn unreachable(address: &str, source: bollard::errors::Error) -> DriverError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&source);
    let mut denied = false;
    while let Some(error) = cause {
        denied |= error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::PermissionDenied)
            || error.to_string().contains("Permission denied");
        cause = error.source();
    }
    let address = address.to_owned();
    if denied {
        DriverError::EnginePermission { address, source }
    } else {
        DriverError::EngineMissing { address, source }
    }
}

fn api_number(text: &str) -> (u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_unix_socket_is_an_engine_address() {
        assert_eq!(address(None, None).unwrap(), DEFAULT_SOCKET);
        assert_eq!(
            address(None, Some("unix:///run/user/1/docker.sock".to_owned())).unwrap(),
            "unix:///run/user/1/docker.sock"
        );
        assert_eq!(
            address(Some("/run/x.sock"), Some("tcp://1.2.3.4:1".to_owned())).unwrap(),
            "unix:///run/x.sock"
        );
        assert!(matches!(
            address(None, Some("tcp://127.0.0.1:2375".to_owned())),
            Err(DriverError::EngineAddress(_))
        ));
    }

    #[test]
    fn api_versions_compare_as_numbers() {
        assert!(api_number("1.100") > api_number("1.41"));
        assert!(api_number("1.9") < api_number(LEAST_API));
        assert!(api_number("") < api_number(LEAST_API));
    }

    #[tokio::test]
    async fn a_missing_socket_says_what_to_install() {
        let config = EngineConfig {
            host: Some("unix:///nonexistent/docker.sock".to_owned()),
            ..EngineConfig::default()
        };
        let error = connect(&config).await.expect_err("nothing listens there");
        assert!(
            error.to_string().contains("install and start Docker"),
            "{error}"
        );
        assert!(matches!(error, DriverError::EngineMissing { .. }));
    }
}
