//! A root key that never leaves Vault or OpenBao: their transit interface wraps and unwraps data keys.
//!
//! The broker sends the data key and a digest of its record's context, so the binding works with any kind of transit
//! key. Unwrapped keys are cached for a short while, so that a forward does not wait for Vault each time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::file::read_private;
use super::{RootError, Wrapped};
use crate::seal::DataKey;

/// How long an unwrapped key is cached.
const KEPT_FOR: Duration = Duration::from_secs(300);
/// Most cached keys.
const KEPT: usize = 1024;
/// How long Vault may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of its answer.
const MOST: usize = 64 * 1024;

/// Where the transit key is.
#[derive(Debug, Clone)]
pub struct TransitSettings {
    /// For example `https://vault.intern.example:8200`.
    pub address: url::Url,
    /// Mount path of the transit engine.
    pub mount: String,
    /// Name of the transit key.
    pub key: String,
    /// File with the token. It is read at each use, because an agent renews it.
    pub token_file: PathBuf,
}

/// A root key in Vault.
pub struct Transit {
    settings: TransitSettings,
    http: reqwest::Client,
    /// The version with which Vault wraps now.
    version: Mutex<u64>,
    kept: Mutex<HashMap<Vec<u8>, (Instant, DataKey)>>,
}

impl Transit {
    /// Reads the key's version. This proves that address, token and key are right.
    ///
    /// # Errors
    /// [`RootError::Transit`], or a fault of the token's file.
    pub async fn open(settings: TransitSettings, http: reqwest::Client) -> Result<Self, RootError> {
        let transit = Self {
            settings,
            http,
            version: Mutex::new(0),
            kept: Mutex::default(),
        };
        transit.learn_version().await?;
        Ok(transit)
    }

    pub(super) fn active(&self) -> String {
        let version = *self.version.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{}/{}:v{version}", self.settings.mount, self.settings.key)
    }

    pub(super) fn knows(&self, root_key: &str) -> bool {
        // Vault keeps its older versions itself.
        root_key
            .rsplit_once(":v")
            .is_some_and(|(key, _)| key == format!("{}/{}", self.settings.mount, self.settings.key))
    }

    pub(super) async fn wrap(&self, key: &DataKey, context: &[u8]) -> Result<Wrapped, RootError> {
        let mut plain = Zeroizing::new(key.reveal().to_vec());
        plain.extend_from_slice(&Sha256::digest(context));
        let text = Zeroizing::new(STANDARD.encode(&*plain));
        let answer = self.ask("encrypt", &json!({ "plaintext": &*text })).await?;
        let wrapped = answer["data"]["ciphertext"]
            .as_str()
            .ok_or_else(|| self.wrong("it sent no ciphertext"))?;
        let version = wrapped
            .strip_prefix("vault:v")
            .and_then(|rest| rest.split(':').next())
            .and_then(|version| version.parse().ok())
            .ok_or_else(|| self.wrong("its ciphertext names no version"))?;
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = version;
        Ok(Wrapped {
            root_key: self.active(),
            bytes: wrapped.as_bytes().to_vec(),
        })
    }

    pub(super) async fn unwrap(
        &self,
        root_key: &str,
        wrapped: &[u8],
        context: &[u8],
    ) -> Result<DataKey, RootError> {
        if !self.knows(root_key) {
            return Err(RootError::Unknown {
                wanted: root_key.to_owned(),
                present: self.active(),
            });
        }
        let place = [wrapped, &Sha256::digest(context)].concat();
        if let Some(key) = self.kept(&place) {
            return Ok(key);
        }
        let text = std::str::from_utf8(wrapped).map_err(|_| RootError::Tampered)?;
        let answer = self.ask("decrypt", &json!({ "ciphertext": text })).await?;
        let plain = answer["data"]["plaintext"]
            .as_str()
            .ok_or_else(|| self.wrong("it sent no plaintext"))?;
        let plain = Zeroizing::new(STANDARD.decode(plain).map_err(|_| RootError::Tampered)?);
        let (key, bound) = plain.split_at_checked(32).ok_or(RootError::Tampered)?;
        if bound != Sha256::digest(context).as_slice() {
            return Err(RootError::Tampered);
        }
        self.keep(place, key);
        DataKey::from_bytes(key).ok_or(RootError::Tampered)
    }

    pub(super) async fn renew(&self) -> Result<(), RootError> {
        let path = format!("keys/{}/rotate", self.settings.key);
        self.send(reqwest::Method::POST, &path, Some(&json!({})))
            .await?;
        self.learn_version().await
    }

    async fn learn_version(&self) -> Result<(), RootError> {
        let path = format!("keys/{}", self.settings.key);
        let answer = self.send(reqwest::Method::GET, &path, None).await?;
        let version = answer["data"]["latest_version"]
            .as_u64()
            .ok_or_else(|| self.wrong("its answer has no latest_version of the key"))?;
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = version;
        Ok(())
    }

    async fn ask(&self, verb: &str, body: &Value) -> Result<Value, RootError> {
        let path = format!("{verb}/{}", self.settings.key);
        self.send(reqwest::Method::POST, &path, Some(body)).await
    }

    async fn send(
        &self,
        method: reqwest::Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, RootError> {
        let token = read_private(&self.settings.token_file)?;
        let base = self.settings.address.as_str().trim_end_matches('/');
        let url = format!("{base}/v1/{}/{path}", self.settings.mount);
        let mut header = reqwest::header::HeaderValue::from_str(token.trim())
            .map_err(|_| self.wrong("the token file holds no valid token"))?;
        header.set_sensitive(true);
        let mut request = self
            .http
            .request(method, url)
            .timeout(PATIENCE)
            .header("X-Vault-Token", header)
            .header("X-Vault-Request", "true");
        if let Some(body) = body {
            request = request.json(body);
        }
        let failed =
            |error: reqwest::Error| self.wrong(&crate::egress::chain(&error.without_url()));
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        if !status.is_success() {
            let hint = match status.as_u16() {
                403 => "the token may not use this key, or has expired",
                404 => "there is no such mount or key",
                503 => "it is sealed",
                _ => "check its log",
            };
            return Err(self.wrong(&format!("{status}: {hint}")));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(MOST));
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + piece.len() > MOST {
                return Err(self.wrong("its answer is too long"));
            }
            bytes.extend_from_slice(&piece);
        }
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes)
            .map_err(|error| self.wrong(&format!("its answer is not JSON: {error}")))
    }

    fn kept(&self, place: &[u8]) -> Option<DataKey> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, key) = kept.get(place)?;
        (since.elapsed() < KEPT_FOR)
            .then(|| DataKey::from_bytes(key.reveal()))
            .flatten()
    }

    fn keep(&self, place: Vec<u8>, key: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (since, _)| since.elapsed() < KEPT_FOR);
        if kept.len() < KEPT
            && let Some(key) = DataKey::from_bytes(key)
        {
            kept.insert(place, (Instant::now(), key));
        }
    }

    fn wrong(&self, problem: &str) -> RootError {
        RootError::Transit {
            address: self.settings.address.origin().ascii_serialization(),
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
