//! The HTTP client, and a resolver that returns only addresses that the policy permits.

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

/// Resolves names to addresses.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// How the client dials.
#[derive(Clone)]
pub struct Dial {
    /// `None` permits any address. It is for an address that only the operator chooses.
    pub policy: Option<AddressPolicy>,
    /// PEM file with more certificate authorities than the public ones.
    pub ca_file: Option<PathBuf>,
    /// Time to make a connection.
    pub connect: Duration,
    /// A resolver other than the system's, for tests.
    pub lookup: Option<Lookup>,
}

/// A host without an address that may be dialled.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "{host} has the address {address}, which is private, this machine's or a cloud's metadata; to allow it, name the host in `outbound.allow_private`"
)]
pub struct Refused {
    pub host: String,
    pub address: IpAddr,
}

/// Makes the client.
///
/// # Errors
/// When the file of certificate authorities cannot be used.
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

/// Checks an IP address in the URL itself. An address behind a name is checked when it is dialled.
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

/// The refusal behind a client's error, if it was the cause.
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
        // Many libraries repeat their cause in their own message.
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
        let unusable = || format!("{} holds no usable certificate authority", path.display());
        for certificate in CertificateDer::pem_file_iter(path).with_context(unusable)? {
            roots
                .add(certificate.with_context(unusable)?)
                .with_context(unusable)?;
        }
    }
    Ok(roots)
}

/// Resolves names and returns only permitted addresses. The connection goes to one of these.
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
