//! The mail server of the deployment, from the setting `smtp_url`.

use std::borrow::Cow;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use url::{Host, Url};

/// Where mail goes out.
#[derive(Debug, Clone)]
pub struct MailSettings {
    pub server: SmtpServer,
    /// The sender: `roost@example.com`, or `Roost <roost@example.com>`.
    pub from: String,
    /// Certificate authorities in addition to the public ones, as PEM.
    pub ca_file: Option<PathBuf>,
}

impl MailSettings {
    /// Whether a text can be the sender of a mail.
    pub fn is_sender(text: &str) -> bool {
        text.parse::<lettre::message::Mailbox>().is_ok()
    }
}

/// How the connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// From the first byte (`smtps`).
    Whole,
    /// After STARTTLS, which the server must offer.
    StartTls,
    /// Not at all: the server is on this machine.
    Loopback,
}

/// A mail server. The password has no `Debug`.
#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    pub credentials: Option<(String, SecretString)>,
}

impl SmtpServer {
    /// Reads `smtps://user:password@host:465` or `smtp://host:25`. User and password are percent-encoded.
    ///
    /// # Errors
    /// What the address must be. It contains nothing of the address, which may have a password.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be like smtps://user:password@mail.example.com:465 or smtp://mail.example.com:587";
        let url = Url::parse(text).map_err(|_| FORM)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(FORM)?;
        let plain = url.path().trim_matches('/').is_empty()
            && url.query().is_none()
            && url.fragment().is_none();
        if !plain {
            return Err("must end with the host or the port");
        }
        let (tls, port) = match url.scheme() {
            "smtps" => (Tls::Whole, 465),
            "smtp" if is_loopback(host) => (Tls::Loopback, 25),
            "smtp" => (Tls::StartTls, 25),
            _ => return Err("must begin with smtps:// or smtp://"),
        };
        let decoded = |text: &str| {
            let text = percent_decode_str(text).decode_utf8();
            text.map(Cow::into_owned).map_err(|_| FORM)
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, Some(password)) if !user.is_empty() => {
                Some((decoded(user)?, decoded(password)?.into()))
            }
            _ => return Err("must have both a user and a password, or neither"),
        };
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(port),
            tls,
            credentials,
        })
    }
}

/// A URL whose scheme browsers do not know keeps its host as text.
fn is_loopback(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Domain(name)) => name == "localhost",
        Ok(Host::Ipv4(address)) => address.is_loopback(),
        Ok(Host::Ipv6(address)) => address.is_loopback(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn address_says_host_port_protection_and_credentials() {
        let whole = SmtpServer::parse("smtps://ada%40example.com:p%3Aw@mail.example.com").unwrap();
        assert_eq!(
            (&*whole.host, whole.port, whole.tls),
            ("mail.example.com", 465, Tls::Whole)
        );
        let (user, password) = whole.credentials.unwrap();
        assert_eq!(
            (&*user, password.expose_secret()),
            ("ada@example.com", "p:w")
        );
        for (text, port, tls) in [
            ("smtp://mail.example.com", 25, Tls::StartTls),
            ("smtp://mail.example.com:587/", 587, Tls::StartTls),
            ("smtp://127.0.0.1:2525", 2525, Tls::Loopback),
            ("smtp://localhost", 25, Tls::Loopback),
            ("smtp://[::1]:2525", 2525, Tls::Loopback),
        ] {
            let server = SmtpServer::parse(text).unwrap();
            assert_eq!((server.port, server.tls), (port, tls), "{text}");
            assert!(server.credentials.is_none());
        }
    }

    #[test]
    fn invalid_address_is_refused_without_its_password() {
        for text in [
            "mail.example.com",
            "https://mail.example.com",
            "smtps://",
            "smtps://ada@mail.example.com",
            "smtps://:secret@mail.example.com",
            "smtps://ada:secret@mail.example.com/inbox",
            "smtps://ada:secret@mail.example.com?tls=off",
        ] {
            let refused = SmtpServer::parse(text).expect_err(text);
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
