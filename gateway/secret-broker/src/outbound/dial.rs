//! The client, and names that become addresses only where the policy permits them.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use url::Url;

use super::address::AddressPolicy;

/// From names to addresses.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// How the client dials.
#[derive(Clone)]
pub struct Dial {
    /// `None`: anywhere, for an address that only the operator chooses.
    pub policy: Option<AddressPolicy>,
    /// More authorities than the public ones: PEM.
    pub ca_file: Option<PathBuf>,
    /// Until a connection stands.
    pub connect: Duration,
    /// Another resolver than the system's, for tests.
    pub lookup: Option<Lookup>,
}

/// A host that has no address which may be dialled.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "{host} has the address {address}, which is private, this machine's or a cloud's metadata; if the deployment means it, name the host in `outbound.allow_private`"
)]
pub struct Refused {
    pub host: String,
    pub address: IpAddr,
}

/// Makes the client.
///
/// # Errors
/// When the file of authorities cannot be used.
pub fn client(dial: &Dial) -> anyhow::Result<reqwest::Client> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(authorities(dial.ca_file.as_deref())?)
        .with_no_client_auth();
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(dial.connect)
        .pool_idle_timeout(Duration::from_secs(60))
        .pool_max_idle_per_host(64);
    let builder = match &dial.policy {
        Some(policy) => builder
            .user_agent(concat!("roost/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(CheckedNames {
                policy: policy.clone(),
                lookup: dial.lookup.clone().unwrap_or_else(system_lookup),
            }),
        None => builder,
    };
    Ok(builder.build()?)
}

/// Checks an address that stands in the URL itself; one behind a name is checked when it is dialled.
///
/// # Errors
/// [`Refused`].
pub fn permits(policy: &AddressPolicy, url: &Url) -> Result<(), Refused> {
    let address = match url.host() {
        Some(url::Host::Ipv4(v4)) => IpAddr::V4(v4),
        Some(url::Host::Ipv6(v6)) => IpAddr::V6(v6),
        _ => return Ok(()),
    };
    let host = address.to_string();
    if policy.permits(&host, address) {
        Ok(())
    } else {
        Err(Refused { host, address })
    }
}

/// The refusal behind a client's error, where that was the reason.
pub fn refused_in<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Refused> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(refused) = error.downcast_ref::<Refused>() {
            return Some(refused);
        }
        at = error.source();
    }
    None
}

/// An error with its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        // Many libraries repeat their cause in their own words.
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    text
}

fn authorities(ca_file: Option<&Path>) -> anyhow::Result<RootCertStore> {
    use anyhow::Context;
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(path) = ca_file {
        let unusable = || format!("{} holds no authority that can be used", path.display());
        for certificate in CertificateDer::pem_file_iter(path).with_context(unusable)? {
            roots
                .add(certificate.with_context(unusable)?)
                .with_context(unusable)?;
        }
    }
    Ok(roots)
}

/// Resolves, and gives only addresses that may be dialled: the connection goes to one of them and to no other.
struct CheckedNames {
    policy: AddressPolicy,
    lookup: Lookup,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (host, policy) = (name.as_str().to_owned(), self.policy.clone());
        let found = (self.lookup)(host.clone());
        Box::pin(async move {
            let found = found.await?;
            let fine: Vec<SocketAddr> = found
                .iter()
                .filter(|address| policy.permits(&host, **address))
                .map(|address| SocketAddr::new(*address, 0))
                .collect();
            match (fine.is_empty(), found.first()) {
                (true, Some(address)) => Err(Refused {
                    host,
                    address: *address,
                }
                .into()),
                (true, None) => Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("{host} has no address"),
                )
                .into()),
                (false, _) => Ok(Box::new(fine.into_iter()) as Addrs),
            }
        })
    }
}

fn system_lookup() -> Lookup {
    Arc::new(|host| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}
