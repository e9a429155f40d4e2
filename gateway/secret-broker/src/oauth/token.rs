//! One request at a token endpoint.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use roost_secret_broker::wire::{ClientAuth, Fault, FaultCode, RecordName, Secret};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::Shared;
use crate::egress::Redactor;
use crate::record::Grant;
use crate::server::fault_of;

/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes of its answer.
const MOST: usize = 256 * 1024;
/// A longer lifetime is an error, or an attack by overflow.
const LONGEST_S: i64 = 10 * 366 * 86_400;

/// What an issuer issued.
#[derive(Debug)]
pub(super) struct Issued {
    pub access_token: Secret,
    pub refresh_token: Option<Secret>,
    pub expires_ms: Option<i64>,
    pub scope: Option<String>,
    pub id_token: Option<String>,
}

/// Why the issuer issued nothing.
#[derive(Debug)]
pub(super) enum Denied {
    /// `invalid_grant`: the code or the refresh token is not valid, now and later.
    Grant(Fault),
    Other(Fault),
}

impl Denied {
    /// The fault that the gateway receives.
    pub(super) fn into_fault(self) -> Fault {
        match self {
            Self::Grant(fault) | Self::Other(fault) => fault,
        }
    }
}

#[derive(Deserialize)]
struct Answer {
    access_token: Option<Secret>,
    token_type: Option<String>,
    expires_in: Option<serde_json::Value>,
    refresh_token: Option<Secret>,
    scope: Option<String>,
    id_token: Option<String>,
    error: Option<String>,
}

impl Shared {
    /// Sends a token request with these parameters, as the grant's client.
    pub(super) async fn ask_issuer(
        &self,
        grant: &Grant,
        parameters: &[(&str, &[u8])],
    ) -> Result<Issued, Denied> {
        let other = |fault| Denied::Other(fault);
        let (request, redactor) = self
            .as_client(grant, &grant.token_endpoint, parameters)
            .await
            .map_err(other)?;
        let failed = |error| other(self.http_client.fault(error, &redactor));
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let mut bytes = Zeroizing::new(Vec::with_capacity(MOST));
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + piece.len() > MOST {
                return Err(other(Fault::new(
                    FaultCode::RemoteRefused,
                    "the token endpoint's answer is over 256 KiB",
                )));
            }
            bytes.extend_from_slice(&piece);
        }
        understand(status, &bytes, self.store.clock().now_ms())
    }

    /// A client's secret. It comes from the deployment's file of that name, read now so that a changed file takes
    /// effect at once; else from the record.
    async fn client_secret(&self, name: &RecordName) -> Result<Secret, Fault> {
        if let Some(file) = self.client_secrets.of(name) {
            return file.read().await;
        }
        let opened = self
            .store
            .read(name)
            .await
            .map_err(|error| fault_of(&error))?;
        Ok(opened.record.secret)
    }

    /// Builds a form request to an issuer's endpoint as the grant's client, and a redactor for the secrets in it.
    pub(super) async fn as_client(
        &self,
        grant: &Grant,
        endpoint: &str,
        parameters: &[(&str, &[u8])],
    ) -> Result<(reqwest::RequestBuilder, Redactor), Fault> {
        let client_secret = match &grant.client_secret {
            None => None,
            Some(name) => Some(self.client_secret(name).await?),
        };
        let mut form = Form::default();
        for (name, value) in parameters {
            form.add(name, value);
        }
        if let Some(resource) = &grant.resource {
            form.add("resource", resource.as_bytes());
        }
        let mut authorization = None;
        match (grant.client_auth, &client_secret) {
            (ClientAuth::Basic, Some(secret)) => {
                let mut pair = Form::default();
                pair.encode(grant.client_id.as_bytes());
                pair.0.push(':');
                pair.encode(secret.reveal());
                let text = Zeroizing::new(format!(
                    "Basic {}",
                    &*Zeroizing::new(STANDARD.encode(pair.0.as_bytes()))
                ));
                let mut header = HeaderValue::from_str(&text).expect("base64 is a header's value");
                header.set_sensitive(true);
                authorization = Some(header);
            }
            (ClientAuth::Post, Some(secret)) => {
                form.add("client_id", grant.client_id.as_bytes());
                form.add("client_secret", secret.reveal());
            }
            _ => form.add("client_id", grant.client_id.as_bytes()),
        }
        let mut hidden: Vec<&[u8]> = parameters.iter().map(|(_, value)| *value).collect();
        hidden.extend(client_secret.as_ref().map(Secret::reveal));
        let redactor = Redactor::new(&hidden);
        let url = endpoint
            .parse()
            .map_err(|_| Fault::new(FaultCode::BadRequest, "the issuer's endpoint is not a URL"))?;
        let mut request = self
            .http_client
            .request(http::Method::POST, url)?
            .timeout(PATIENCE)
            .header(ACCEPT, "application/json")
            .header("accept-encoding", "identity")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.0.as_bytes().to_vec());
        if let Some(header) = authorization {
            request = request.header(AUTHORIZATION, header);
        }
        Ok((request, redactor))
    }
}

/// Interprets an answer. Only an error code of the standard's form is passed on, no other text.
fn understand(status: http::StatusCode, body: &[u8], now_ms: i64) -> Result<Issued, Denied> {
    let refuse = |detail: String| Denied::Other(Fault::new(FaultCode::RemoteRefused, detail));
    let answer: Answer = serde_json::from_slice(body).map_err(|_| {
        refuse(format!(
            "the token endpoint answered {status} without a valid token response"
        ))
    })?;
    // Some issuers answer 200 with an error in the body.
    if let Some(code) = &answer.error {
        let fine = code.len() <= 64
            && code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let code = if fine {
            code.as_str()
        } else {
            "an error in an unknown format"
        };
        let fault = |code_of| Fault::new(code_of, format!("the issuer refused: {code}"));
        return Err(match code {
            "invalid_grant" | "bad_refresh_token" | "bad_verification_code" => {
                Denied::Grant(fault(FaultCode::NeedsReauth))
            }
            _ => Denied::Other(fault(FaultCode::RemoteRefused)),
        });
    }
    if !status.is_success() {
        return Err(refuse(format!("the token endpoint answered {status}")));
    }
    if answer
        .token_type
        .as_deref()
        .is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer"))
    {
        return Err(refuse(
            "the issuer sent a token that is not a bearer token, which is not supported".to_owned(),
        ));
    }
    let fits = |secret: &Secret| {
        (Secret::LEAST..=Secret::MOST).contains(&secret.reveal().len())
            && secret.reveal().iter().all(u8::is_ascii_graphic)
    };
    let access_token = answer
        .access_token
        .filter(|token| fits(token))
        .ok_or_else(|| {
            refuse("the issuer sent no access token of 8 to 16384 visible characters".to_owned())
        })?;
    let seconds = answer.expires_in.and_then(|value| match value {
        serde_json::Value::String(text) => text.parse().ok(),
        value => value.as_i64(),
    });
    Ok(Issued {
        access_token,
        refresh_token: answer.refresh_token.filter(fits),
        expires_ms: seconds
            .filter(|seconds| (0..LONGEST_S).contains(seconds))
            .map(|seconds| now_ms + seconds * 1_000),
        scope: answer.scope.filter(|scope| scope.len() <= 2048),
        id_token: answer.id_token.filter(|token| is_signed(token)),
    })
}

/// Whether a text has the form of a signed token: three parts of base64url.
fn is_signed(token: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    token.len() <= Secret::MOST && token.split('.').count() == 3 && token.split('.').all(part)
}

/// A URL-encoded form, wiped on drop.
struct Form(Zeroizing<String>);

impl Default for Form {
    fn default() -> Self {
        // Large enough that the buffer never grows with a secret inside.
        Self(Zeroizing::new(String::with_capacity(160 * 1024)))
    }
}

impl Form {
    fn add(&mut self, name: &str, value: &[u8]) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.encode(name.as_bytes());
        self.0.push('=');
        self.encode(value);
    }

    fn encode(&mut self, bytes: &[u8]) {
        for part in url::form_urlencoded::byte_serialize(bytes) {
            self.0.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreted(status: u16, body: &str) -> Result<Issued, Denied> {
        understand(
            http::StatusCode::from_u16(status).unwrap(),
            body.as_bytes(),
            1_000,
        )
    }

    #[test]
    fn token_response_gives_tokens_and_their_expiry() {
        let body = r#"{"access_token":"acc\u0065ss-token","token_type":"Bearer","expires_in":"3600","refresh_token":"refresh-token"}"#;
        let issued = interpreted(200, body).unwrap();
        assert_eq!(issued.access_token.reveal(), b"access-token");
        assert_eq!(issued.refresh_token.unwrap().reveal(), b"refresh-token");
        assert_eq!(issued.expires_ms, Some(3_601_000));
        assert_eq!(issued.id_token, None);
        let huge = r#"{"access_token":"access-token","expires_in":9223372036854775807}"#;
        assert_eq!(interpreted(200, huge).unwrap().expires_ms, None);
    }

    #[test]
    fn only_a_signed_token_is_accepted_as_identity_token() {
        for (token, fine) in [
            ("aGVhZA.Ym9keQ.c2ln", true),
            ("aGVhZA.Ym9keQ", false),
            ("aGVhZA..c2ln", false),
            ("a b.c.d", false),
            ("<b>.c.d", false),
        ] {
            let body = format!(r#"{{"access_token":"access-token","id_token":"{token}"}}"#);
            let issued = interpreted(200, &body).unwrap();
            assert_eq!(issued.id_token.is_some(), fine, "{token}");
        }
    }

    #[test]
    fn text_from_the_issuer_is_never_passed_on_raw() {
        for (status, body) in [
            (400, r#"{"error":"<script>s3cret-canary</script>"}"#),
            (500, "s3cret-canary"),
            (200, r#"{"access_token":"short"}"#),
            (200, r#"{"access_token":"has a space in it"}"#),
            (
                200,
                r#"{"access_token":"s3cret-canary-token","token_type":"mac"}"#,
            ),
        ] {
            let Err(Denied::Other(fault)) = interpreted(status, body) else {
                panic!("{body} gives no token")
            };
            assert!(!fault.detail.contains("s3cret"), "{fault}");
        }
        assert!(matches!(
            interpreted(400, r#"{"error":"invalid_grant"}"#),
            Err(Denied::Grant(_))
        ));
        assert!(matches!(
            interpreted(200, r#"{"error":"bad_refresh_token"}"#),
            Err(Denied::Grant(_))
        ));
        assert!(matches!(
            interpreted(401, r#"{"error":"invalid_client"}"#),
            Err(Denied::Other(_))
        ));
    }
}
