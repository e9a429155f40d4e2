//! TLS is always verified: against the public authorities, or only against the one that the owner gave at join.
use std::path::Path;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

/// Why no TLS configuration can be made.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the certificate authority in {path} cannot be read: {source}; give a PEM file")]
    Unreadable {
        path: String,
        #[source]
        source: rustls_pki_types::pem::Error,
    },
    #[error(
        "{0} holds no certificate; give a PEM file with the certificate authority of the gateway"
    )]
    Empty(String),
    #[error("a certificate in {path} is not usable as an authority")]
    Unusable {
        path: String,
        #[source]
        source: rustls::Error,
    },
}

/// The client's configuration; needs the process's crypto provider.
///
/// # Errors
/// [`TlsError`] for a file without a usable authority.
pub fn client(ca_file: Option<&Path>) -> Result<ClientConfig, TlsError> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let name = path.display().to_string();
            let unreadable = |source| TlsError::Unreadable {
                path: name.clone(),
                source,
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                roots
                    .add(certificate.map_err(unreadable)?)
                    .map_err(|source| TlsError::Unusable {
                        path: name.clone(),
                        source,
                    })?;
            }
            if roots.is_empty() {
                return Err(TlsError::Empty(name));
            }
        }
    }
    Ok(ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth())
}
