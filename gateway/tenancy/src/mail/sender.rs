//! Sends one message by SMTP.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls as LettreTls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use secrecy::ExposeSecret;

use super::entity::Model;
use super::{MailSettings, Tls};

/// The time limit of each step of a conversation.
const WITHIN: Duration = Duration::from_secs(20);

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The message or the sender is not valid.
    #[error("the message has an invalid address: {0}")]
    Invalid(String),
    /// The server's certificate authorities cannot be used.
    #[error("the authorities of `outbound.ca_file` cannot be used: {0}")]
    Authorities(String),
    /// The server refuses the message for good.
    #[error("the mail server refuses it: {0}")]
    Refused(String),
    /// Another attempt may succeed.
    #[error("the mail server did not take it: {0}")]
    Later(String),
}

impl SendError {
    /// Whether another attempt may succeed.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Later(_) | Self::Authorities(_))
    }
}

/// Sends a message over a connection of its own.
///
/// # Errors
/// See [`SendError`].
pub(super) async fn send(settings: &MailSettings, row: &Model) -> Result<(), SendError> {
    let mailbox = |text: &str| {
        let parsed = text.parse::<Mailbox>();
        parsed.map_err(|error| SendError::Invalid(error.to_string()))
    };
    let message = Message::builder()
        .from(mailbox(&settings.from)?)
        .to(mailbox(&row.recipient)?)
        .subject(row.subject.clone())
        .message_id(Some(format!("<{}@roost>", row.id)))
        .header(ContentType::TEXT_PLAIN)
        .body(row.text.clone())
        .map_err(|error| SendError::Invalid(error.to_string()))?;
    let sent = transport(settings)?.send(message).await;
    sent.map(drop).map_err(|error| {
        let words = roost_protocol::text::clean(&said(&error), 300);
        match error.is_permanent() {
            true => SendError::Refused(words),
            false => SendError::Later(words),
        }
    })
}

/// The error and its causes.
fn said(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

fn transport(settings: &MailSettings) -> Result<AsyncSmtpTransport<Tokio1Executor>, SendError> {
    let server = &settings.server;
    let tls = match server.tls {
        Tls::Loopback => LettreTls::None,
        Tls::StartTls => LettreTls::Required(authorities(settings)?),
        Tls::Whole => LettreTls::Wrapper(authorities(settings)?),
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&*server.host)
        .port(server.port)
        .timeout(Some(WITHIN))
        .tls(tls);
    if let Some((user, password)) = &server.credentials {
        let password = password.expose_secret().to_owned();
        builder = builder.credentials(Credentials::new(user.clone(), password));
    }
    Ok(builder.build())
}

fn authorities(settings: &MailSettings) -> Result<TlsParameters, SendError> {
    let bad = |error: &dyn std::fmt::Display| SendError::Authorities(error.to_string());
    let mut builder = TlsParameters::builder(settings.server.host.clone());
    if let Some(file) = &settings.ca_file {
        let pem = std::fs::read(file).map_err(|error| bad(&error))?;
        let certificate = Certificate::from_pem(&pem).map_err(|error| bad(&error))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| bad(&error))
}
