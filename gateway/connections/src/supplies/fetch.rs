//! Loads one package from its registry, and checks it.

use url::Url;

use super::archive;
use super::model::{Kind, Pin};
use super::settings::{Registries, SuppliesContext};
use roost_platform::outbound::{OutboundError, Wanted};

/// Why a package was not loaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    /// The registry does not answer. Other packages of it will not come either.
    #[error("{0}")]
    Unreachable(OutboundError),
    /// This package is refused.
    #[error("{0}")]
    Refused(String),
}

/// Loads a package and returns its content, which has the pinned hash.
///
/// # Errors
/// See [`FetchError`].
pub(super) async fn load(state: &SuppliesContext, pin: &Pin) -> Result<Vec<u8>, FetchError> {
    let settings = &state.settings;
    let url = address(&settings.registries, pin).ok_or_else(|| {
        FetchError::Refused(format!(
            "{} of roost.toml is not an address",
            pin.kind.setting()
        ))
    })?;
    let hosts = settings.registries.hosts(&settings.hosts);
    let wanted = Wanted {
        url: &url,
        accept: "*/*",
        hosts: &hosts,
        silence: settings.bounds.silence,
        most: settings.bounds.package,
    };
    let download = state.outbound.download(wanted).await.map_err(sorted)?;
    let content = download.whole().await.map_err(sorted)?;
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

/// The address of a package.
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
