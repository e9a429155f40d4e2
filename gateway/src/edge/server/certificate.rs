//! The certificate of the public listener. The gateway checks its files every few seconds and reads them again after a
//! change, so a renewal needs no restart. If the new files cannot be used, the former certificate stays.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum_server::tls_rustls::RustlsConfig;
use chrono::{DateTime, Utc};

use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};

/// Serving by TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// PEM, the whole chain.
    pub cert: PathBuf,
    /// PEM.
    pub key: PathBuf,
}

/// The time between two checks of the files.
const PERIOD: Duration = Duration::from_secs(5);

/// The modification time and length of the two files.
type Stamp = [(SystemTime, u64); 2];

/// A certificate in use, and the files that it came from.
#[derive(Clone)]
pub struct Certificate {
    in_use: RustlsConfig,
    files: Tls,
    read: Arc<Mutex<Option<Stamp>>>,
}

impl Certificate {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// When a file cannot be read, or the two do not belong together.
    pub async fn load(files: &Tls) -> io::Result<Self> {
        let read = stamp(files)?;
        let in_use = RustlsConfig::from_pem_file(&files.cert, &files.key).await?;
        Ok(Self {
            in_use,
            files: files.clone(),
            read: Arc::new(Mutex::new(Some(read))),
        })
    }

    /// The configuration that a listener needs.
    pub fn acceptor(&self) -> RustlsConfig {
        self.in_use.clone()
    }

    /// Reads the files again if they changed since they were read last.
    async fn reload_if_changed(&self) {
        let shown = self.files.cert.display();
        // A file that is missing or being replaced is read when it is there again.
        let now = stamp(&self.files).ok();
        let before = {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *read, now)
        };
        if now.is_none() || now == before {
            return;
        }
        let Tls { cert, key } = &self.files;
        match self.in_use.reload_from_pem_file(cert, key).await {
            Ok(()) => tracing::info!(cert = %shown, "the certificate was renewed"),
            Err(error) => {
                tracing::warn!(cert = %shown, %error, "the new certificate cannot be used; the former one stays");
            }
        }
    }

    /// The worker that checks the files.
    pub fn child(&self) -> ChildSpec<NoMessages> {
        let certificate = self.clone();
        let nudge = Nudge::default();
        ChildSpec::periodic(
            "certificate",
            ActorKind::Worker,
            PERIOD,
            &nudge,
            move |_| {
                let certificate = certificate.clone();
                async move {
                    certificate.reload_if_changed().await;
                    Ok(())
                }
            },
        )
        .serves(self.files.cert.display().to_string())
    }
}

fn stamp(files: &Tls) -> io::Result<Stamp> {
    let of = |path| {
        let meta = std::fs::metadata(path)?;
        io::Result::Ok((meta.modified()?, meta.len()))
    };
    Ok([of(&files.cert)?, of(&files.key)?])
}

/// When the first certificate of a PEM file expires; `None` when there is none.
pub fn ends_at(pem: &[u8]) -> Option<DateTime<Utc>> {
    let (_, pem) = x509_parser::pem::parse_x509_pem(pem).ok()?;
    let certificate = pem.parse_x509().ok()?;
    DateTime::from_timestamp(certificate.validity().not_after.timestamp(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(files: &Tls, year: i32) {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["roost.example".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 2);
        let certificate = params.self_signed(&key).unwrap();
        std::fs::write(&files.cert, certificate.pem()).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
    }

    #[tokio::test]
    async fn former_certificate_stays_until_both_new_files_are_valid() {
        // Another test of this process may have installed it first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let files = Tls {
            cert: folder.path().join("cert.pem"),
            key: folder.path().join("key.pem"),
        };
        write(&files, 2100);
        let certificate = Certificate::load(&files).await.unwrap();
        let shown = || certificate.acceptor().get_inner();
        let first = shown();
        certificate.reload_if_changed().await;
        assert!(Arc::ptr_eq(&first, &shown()), "nothing changed");
        let kept = std::fs::read(&files.key).unwrap();
        write(&files, 2101);
        let fresh = std::fs::read(&files.key).unwrap();
        for broken in [&kept[..], b"no key at all", b""] {
            std::fs::write(&files.key, broken).unwrap();
            certificate.reload_if_changed().await;
            assert!(
                Arc::ptr_eq(&first, &shown()),
                "the pair does not belong together"
            );
        }
        std::fs::remove_file(&files.key).unwrap();
        certificate.reload_if_changed().await;
        std::fs::write(&files.key, &fresh).unwrap();
        certificate.reload_if_changed().await;
        assert!(!Arc::ptr_eq(&first, &shown()), "the new pair is in use");
    }

    #[test]
    fn the_end_of_a_certificate_is_read_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let files = Tls {
            cert: folder.path().join("cert.pem"),
            key: folder.path().join("key.pem"),
        };
        write(&files, 2031);
        let pem = std::fs::read(&files.cert).unwrap();
        assert_eq!(
            ends_at(&pem).unwrap().to_string(),
            "2031-01-02 00:00:00 UTC"
        );
        assert_eq!(ends_at(b"no certificate"), None);
    }
}
