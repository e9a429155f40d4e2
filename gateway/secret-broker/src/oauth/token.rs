//! One request at a token endpoint.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use roost_secret_broker::wire::{ClientAuth, Fault, FaultCode, Secret};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::Shared;
use crate::egress::Redactor;
use crate::record::Grant;
use crate::server::fault_of;

/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of its answer.
const MOST: usize = 256 * 1024;
/// A lifetime beyond this is nonsense, or an attack on arithmetic.
const LONGEST_S: i64 = 10 * 366 * 86_400;

/// What an issuer gave.
#[derive(Debug)]
pub(super) struct Issued {
    pub access_token: Secret,
    pub refresh_token: Option<Secret>,
    pub expires_ms: Option<i64>,
    pub scope: Option<String>,
}

/// Why it gave nothing.
#[derive(Debug)]
pub(super) enum Denied {
    /// `invalid_grant`: the code or the refresh token is of no use, now and later.
    Grant(Fault),
    Other(Fault),
}

#[derive(Deserialize)]
struct Answer {
    access_token: Option<Secret>,
    token_type: Option<String>,
    expires_in: Option<serde_json::Value>,
    refresh_token: Option<Secret>,
    scope: Option<String>,
    error: Option<String>,
}

impl Shared {
    /// Asks with these parameters, as the grant's client.
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
        let failed = |error| other(self.outlet.fault(error, &redactor));
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let mut bytes = Zeroizing::new(Vec::with_capacity(MOST));
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + piece.len() > MOST {
                return Err(other(Fault::new(
                    FaultCode::RemoteRefused,
                    "the token endpoint answered more than 256 KiB",
                )));
            }
            bytes.extend_from_slice(&piece);
        }
        understand(status, &bytes, self.store.clock().now_ms())
    }

    /// A form to one of the issuer's endpoints, as the grant's client; and what hides the secrets that are in it.
    pub(super) async fn as_client(
        &self,
        grant: &Grant,
        endpoint: &str,
        parameters: &[(&str, &[u8])],
    ) -> Result<(reqwest::RequestBuilder, Redactor), Fault> {
        let client_secret = match &grant.client_secret {
            None => None,
            Some(name) => {
                let opened = self
                    .store
                    .read(name)
                    .await
                    .map_err(|error| fault_of(&error))?;
                Some(opened.record.secret)
            }
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
            .map_err(|_| Fault::new(FaultCode::BadRequest, "the issuer's endpoint is no URL"))?;
        let mut request = self
            .outlet
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

/// What an answer means. Nothing of its text is passed on but a code of the standard's form.
fn understand(status: http::StatusCode, body: &[u8], now_ms: i64) -> Result<Issued, Denied> {
    let refuse = |detail: String| Denied::Other(Fault::new(FaultCode::RemoteRefused, detail));
    let answer: Answer = serde_json::from_slice(body).map_err(|_| {
        refuse(format!(
            "the token endpoint answered {status} without a token answer in JSON"
        ))
    })?;
    // Some answer 200 with an error in it.
    if let Some(code) = &answer.error {
        let fine = code.len() <= 64
            && code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let code = if fine {
            code.as_str()
        } else {
            "an error of no known form"
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
            "the issuer gave a token that is no bearer token, which is not supported".to_owned(),
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
            refuse("the issuer gave no access token of 8 to 16384 visible characters".to_owned())
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
    })
}

/// An urlencoded form, wiped.
struct Form(Zeroizing<String>);

impl Default for Form {
    fn default() -> Self {
        // Wide enough that it does not grow with a secret inside.
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

    fn told(status: u16, body: &str) -> Result<Issued, Denied> {
        understand(
            http::StatusCode::from_u16(status).unwrap(),
            body.as_bytes(),
            1_000,
        )
    }

    #[test]
    fn an_answer_gives_its_tokens_and_their_end() {
        let body = r#"{"access_token":"acc\u0065ss-token","token_type":"Bearer","expires_in":"3600","refresh_token":"refresh-token"}"#;
        let issued = told(200, body).unwrap();
        assert_eq!(issued.access_token.reveal(), b"access-token");
        assert_eq!(issued.refresh_token.unwrap().reveal(), b"refresh-token");
        assert_eq!(issued.expires_ms, Some(3_601_000));
        let huge = r#"{"access_token":"access-token","expires_in":9223372036854775807}"#;
        assert_eq!(told(200, huge).unwrap().expires_ms, None);
    }

    #[test]
    fn what_an_issuer_says_is_never_passed_on_as_it_is() {
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
            let Err(Denied::Other(fault)) = told(status, body) else {
                panic!("{body} gives no token")
            };
            assert!(!fault.detail.contains("s3cret"), "{fault}");
        }
        assert!(matches!(
            told(400, r#"{"error":"invalid_grant"}"#),
            Err(Denied::Grant(_))
        ));
        assert!(matches!(
            told(200, r#"{"error":"bad_refresh_token"}"#),
            Err(Denied::Grant(_))
        ));
        assert!(matches!(
            told(401, r#"{"error":"invalid_client"}"#),
            Err(Denied::Other(_))
        ));
    }
}
