//! Loads one package from its registry, and checks it.

use url::Url;

use super::archive;
use super::go;
use super::model::{Kind, Pin};
use super::python::{self, Offer};
use super::settings::{Registries, SuppliesContext};
use roost_platform::outbound::{OutboundError, Wanted, authority};

/// Why a package was not loaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    /// The registry does not answer. Other packages of it will not come either.
    #[error("{0}")]
    Unreachable(OutboundError),
    /// This package is refused.
    #[error("{0}")]
    Refused(String),
    /// The gateway could not store or read it. The next step tries again.
    #[error("{0}")]
    Disk(String),
}

/// What an index answers with: files as JSON or as HTML.
const PAGES: &str = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";

/// The files that Python's index has of a project.
///
/// # Errors
/// See [`FetchError`].
pub(super) async fn index(
    state: &SuppliesContext,
    project: &str,
) -> Result<Vec<Offer>, FetchError> {
    let index = state.settings.registries.of(Kind::Python);
    let index = index.unwrap_or_default().trim_end_matches('/');
    let url = Url::parse(&format!("{index}/{project}/"));
    let url = url.map_err(|_| no_address(Kind::Python))?;
    let page = content(state, &url, PAGES).await?;
    python::offers(&page, &url, project).map_err(|why| {
        let host = url.host_str().unwrap_or_default();
        FetchError::Refused(format!(
            "{host} did not answer as a Python index: {why}. An operator can check supplies.pypi."
        ))
    })
}

/// Loads a package and returns its content, which has the pinned hash. `from` is the address that an index answered with.
///
/// # Errors
/// See [`FetchError`].
pub(super) async fn load(
    state: &SuppliesContext,
    pin: &Pin,
    from: Option<Url>,
) -> Result<Vec<u8>, FetchError> {
    let url = from.or_else(|| address(&state.settings.registries, pin));
    let url = url.ok_or_else(|| no_address(pin.kind))?;
    let content = content(state, &url, "*/*").await?;
    if !pin.hash.fits(&content) {
        return Err(FetchError::Refused(format!(
            "{} sent a file that does not have the hash of the lock file. It is not used. Look into this before you change \
             the lock file: the registry, or someone between, changed the package.",
            url.host_str().unwrap_or_default()
        )));
    }
    let pin = pin.clone();
    let checked =
        tokio::task::spawn_blocking(move || archive::check(&pin, &content).map(|()| content));
    let checked = checked
        .await
        .map_err(|error| FetchError::Refused(error.to_string()))?;
    checked.map_err(|why| FetchError::Refused(format!("It is refused: {why}.")))
}

async fn content(state: &SuppliesContext, url: &Url, accept: &str) -> Result<Vec<u8>, FetchError> {
    let settings = &state.settings;
    let hosts = settings.registries.hosts(&settings.hosts);
    let host = authority(url);
    if !hosts.contains(&host) {
        return Err(FetchError::Refused(format!(
            "The index has it on {host}, which is not allowed. An operator can name it in supplies.hosts."
        )));
    }
    let wanted = Wanted {
        url,
        accept,
        hosts: &hosts,
        silence: settings.bounds.silence,
        most: settings.bounds.package,
    };
    let download = state.outbound.download(wanted).await.map_err(sorted)?;
    download.whole().await.map_err(sorted)
}

fn no_address(kind: Kind) -> FetchError {
    FetchError::Refused(format!(
        "{} of roost.toml is not an address",
        kind.setting()
    ))
}

/// The address of a package. Files of Python have none until their index answers.
fn address(registries: &Registries, pin: &Pin) -> Option<Url> {
    let registry = registries.of(pin.kind)?;
    let filled = match pin.kind {
        Kind::Cargo => registry
            .replace("{crate}", &pin.name)
            .replace("{version}", &pin.version.replace('+', "%2B")),
        Kind::Npm => {
            let (name, version) = (&pin.name, &pin.version);
            let last = name.rsplit('/').next().unwrap_or(name);
            format!(
                "{}/{name}/-/{last}-{version}.tgz",
                registry.trim_end_matches('/')
            )
        }
        Kind::Go => format!(
            "{}/{}",
            registry.trim_end_matches('/'),
            go::place(&pin.name, &pin.version)
        ),
        Kind::Python => return None,
    };
    Url::parse(&filled).ok()
}

fn sorted(error: OutboundError) -> FetchError {
    match error {
        OutboundError::TooLarge { host, most } => FetchError::Refused(format!(
            "{host} sends more than {} MiB, the limit of a package. An operator can raise supplies.package_mib.",
            most >> 20
        )),
        OutboundError::Status { host, status } if (400..500).contains(&status) => {
            FetchError::Refused(format!("{host} does not have it (status {status})."))
        }
        OutboundError::Redirected { host, to } => FetchError::Refused(format!(
            "{host} sends the download on to {to}, which is not allowed. An operator can name it in supplies.hosts."
        )),
        OutboundError::Refused(refused) => FetchError::Refused(format!("{refused}.")),
        error @ OutboundError::BadAddress { .. } => FetchError::Refused(format!("{error}.")),
        other => FetchError::Unreachable(other),
    }
}
