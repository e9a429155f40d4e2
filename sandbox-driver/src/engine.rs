//! Finds the engine, reads its facts, and reports clearly when it cannot be used.
use std::time::Duration;

use bollard::Docker;

use crate::error::DriverError;
use crate::total::{self, Host};
use crate::{podman, seccomp};

/// Oldest supported API: Docker 20.10.
pub const LEAST_API: &str = "1.41";
const DEFAULT_SOCKET: &str = "unix:///var/run/docker.sock";

/// The engine's address and the owner's choices.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// `unix:///path`; absent uses `DOCKER_HOST`, then Docker's default socket.
    pub host: Option<String>,
    /// A runtime of the engine, such as `runsc`; absent uses the engine's default. It never falls back.
    pub runtime: Option<String>,
    /// The owner of these sandboxes: the install id of a daemon, or an id of a gateway. Two programs on one engine see,
    /// list and sweep only their own.
    pub owner: String,
    /// The parent cgroup of all sandboxes; absent chooses the owner's own one, in a form that the engine's cgroup
    /// driver accepts.
    pub cgroup_parent: Option<String>,
}

/// The program behind the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    Docker,
    Podman,
}

/// The engine's facts, read once when connecting.
#[derive(Clone, Debug)]
pub struct EngineFacts {
    pub kind: EngineKind,
    pub address: String,
    pub version: String,
    pub api: String,
    /// In the engine's spelling: `amd64`, `arm64`.
    pub arch: String,
    pub kernel: String,
    pub systemd_cgroups: bool,
    pub rootless: bool,
    pub apparmor: bool,
    pub runtime: Option<String>,
    pub cgroup_parent: Option<String>,
    pub host: Host,
    /// The configured owner.
    pub owner: String,
    /// The seccomp profile for the engine: the content on Docker, a path on Podman. `None` on an architecture without a
    /// profile; no sandbox is made then.
    pub seccomp: Option<String>,
}

/// Connects, negotiates an API version and reads the facts.
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
    let mut facts = EngineFacts {
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
        cgroup_parent: config.cgroup_parent.clone(),
        host: Host {
            memory_bytes: positive(info.mem_total),
            cpus: positive(info.ncpu).max(1),
            pids: total::kernel_pids(),
        },
        address,
    };
    if facts.cgroup_parent.is_none() {
        facts.cgroup_parent = total::default_parent(&facts);
    }
    Ok((docker, facts))
}

fn positive(number: Option<i64>) -> u64 {
    number
        .and_then(|number| u64::try_from(number).ok())
        .unwrap_or(0)
}

fn address(configured: Option<&str>, environment: Option<String>) -> Result<String, DriverError> {
    let address = configured
        .map(str::to_owned)
        .or(environment)
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| DEFAULT_SOCKET.to_owned());
    // The engine's API gives root on its host, so this program never uses it over a network.
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
