//! Opens one connection: address, TLS, upgrade request. The token is sent in the Authorization header and nowhere else.
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, RETRY_AFTER};
use roost_protocol::limits::MAX_FRAME_BYTES;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
};
use url::Url;

use crate::state::Token;

/// The socket of a session.
pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Upper bound for address look-up, TCP, TLS and upgrade together.
const CONNECT_TIME: Duration = Duration::from_secs(30);

/// Why the connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("{host} did not answer within {seconds} s")]
    Silent { host: String, seconds: u64 },
    #[error(
        "the gateway does not know this machine's token (HTTP {0}); the node was deleted or its token was revoked. Run `roostd leave`, then join again"
    )]
    Token(u16),
    #[error("the gateway is busy (HTTP {status})")]
    Busy { status: u16, after: Duration },
    #[error("the gateway answered HTTP {0} instead of opening the channel")]
    Status(u16),
    #[error("cannot connect: {0}")]
    Socket(#[source] Box<WsError>),
    #[error("{0}")]
    Address(#[from] AddressError),
}

/// Why an address is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("{0:?} is not an address; give one like https://roost.example")]
    Malformed(String),
    #[error(
        "{0:?} would send the token unencrypted to another machine; use https, or accept that with --insecure-plain"
    )]
    Plain(String),
    #[error("{0:?} must not contain a user or a password")]
    Credentials(String),
}

/// Checks an address: https and wss may go anywhere; http and ws only to this machine, unless the owner accepts it.
///
/// # Errors
/// [`AddressError`] names what to give instead.
pub fn check_address(text: &str, insecure_plain: bool) -> Result<Url, AddressError> {
    let url = Url::parse(text).map_err(|_| AddressError::Malformed(text.to_owned()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Credentials(
            url.host_str().unwrap_or_default().to_owned(),
        ));
    }
    let loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => return Err(AddressError::Malformed(text.to_owned())),
    };
    match url.scheme() {
        "https" | "wss" => Ok(url),
        "http" | "ws" if loopback || insecure_plain => Ok(url),
        "http" | "ws" => Err(AddressError::Plain(text.to_owned())),
        _ => Err(AddressError::Malformed(text.to_owned())),
    }
}

/// Opens the channel.
///
/// # Errors
/// [`ConnectError`], in words that the machine's owner can act on.
pub async fn connect(
    address: &str,
    insecure_plain: bool,
    token: &Token,
    tls: Arc<ClientConfig>,
) -> Result<Socket, ConnectError> {
    let url = check_address(address, insecure_plain)?;
    let mut request = url
        .as_str()
        .into_client_request()
        .map_err(|error| ConnectError::Socket(Box::new(error)))?;
    let header = token.header().map_err(|_| ConnectError::Token(0))?;
    request.headers_mut().insert(AUTHORIZATION, header);
    let config = WebSocketConfig::default()
        .read_buffer_size(16 * 1024)
        .write_buffer_size(16 * 1024)
        .max_write_buffer_size(2 * MAX_FRAME_BYTES)
        .max_message_size(Some(MAX_FRAME_BYTES))
        .max_frame_size(Some(MAX_FRAME_BYTES));
    let opening =
        connect_async_tls_with_config(request, Some(config), true, Some(Connector::Rustls(tls)));
    match tokio::time::timeout(CONNECT_TIME, opening).await {
        Err(_) => Err(ConnectError::Silent {
            host: url.host_str().unwrap_or_default().to_owned(),
            seconds: CONNECT_TIME.as_secs(),
        }),
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(WsError::Http(response))) => Err(refused(&response)),
        Ok(Err(error)) => Err(ConnectError::Socket(Box::new(error))),
    }
}

fn refused(response: &http::Response<Option<Vec<u8>>>) -> ConnectError {
    let status = response.status().as_u16();
    match status {
        401 | 403 => ConnectError::Token(status),
        429 | 502 | 503 | 504 => {
            let after = response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| value.to_str().ok()?.parse().ok());
            ConnectError::Busy {
                status,
                after: Duration::from_secs(after.unwrap_or(0)),
            }
        }
        _ => ConnectError::Status(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_sent_unencrypted_only_when_the_owner_accepts_it() {
        for good in [
            "https://a.example",
            "wss://a.example/x",
            "http://127.0.0.1:1/",
            "ws://[::1]:8080/",
            "http://localhost:7666",
        ] {
            assert!(check_address(good, false).is_ok(), "{good}");
        }
        for plain in [
            "http://a.example",
            "ws://10.0.0.1/",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
        ] {
            assert_eq!(
                check_address(plain, false),
                Err(AddressError::Plain(plain.to_owned())),
                "{plain}"
            );
            assert!(check_address(plain, true).is_ok());
        }
        for bad in ["", "a.example", "ftp://a.example", "file:///etc/passwd"] {
            assert!(
                matches!(check_address(bad, true), Err(AddressError::Malformed(_))),
                "{bad}"
            );
        }
        assert!(matches!(
            check_address("https://u:p@a.example", true),
            Err(AddressError::Credentials(_))
        ));
    }
}
