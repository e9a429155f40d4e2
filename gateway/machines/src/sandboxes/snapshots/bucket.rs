//! A bucket of an S3-compatible service as the store of chunks: its settings, its client, and what its errors mean.

use std::error::Error as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{HttpClient, HttpConnector, HttpError, HttpErrorKind};
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, Error, ObjectStore, RetryConfig};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::chunks::ChunkStoreError;

/// A machine waits for the answer to its upload meanwhile, and it sends a chunk that failed again later.
const RETRIES: usize = 2;
const RETRY_WITHIN: Duration = Duration::from_secs(15);

/// Where the gateway keeps chunks.
#[derive(Debug, Clone)]
pub enum ChunkPlace {
    /// A folder below the gateway's data.
    Folder,
    Bucket(Bucket),
}

/// A bucket and the key for it.
#[derive(Debug, Clone)]
pub struct Bucket {
    pub name: String,
    pub region: String,
    /// The service's address; absent means Amazon's own, in this region.
    pub endpoint: Option<Url>,
    /// What the names of objects begin with, without a slash at the end.
    pub prefix: Option<String>,
    pub key: BucketKey,
    /// The file of the key; absent means that the key came from the environment.
    pub credentials_file: Option<PathBuf>,
}

/// The key of the service. Its `Debug` output does not contain the secrets.
#[derive(Debug, Clone)]
pub struct BucketKey {
    pub id: String,
    pub secret: SecretString,
    pub session_token: Option<SecretString>,
}

impl BucketKey {
    /// Makes a key from the values of `aws_access_key_id`, `aws_secret_access_key` and `aws_session_token`.
    ///
    /// # Errors
    /// The name of the value that is missing.
    pub fn of(value: impl Fn(&str) -> Option<String>) -> Result<Self, &'static str> {
        let present = |name: &str| value(name).filter(|value| !value.is_empty());
        Ok(Self {
            id: present("aws_access_key_id").ok_or("aws_access_key_id")?,
            secret: present("aws_secret_access_key")
                .ok_or("aws_secret_access_key")?
                .into(),
            session_token: present("aws_session_token").map(Into::into),
        })
    }

    /// Reads the form of AWS' own credentials file: `name = value` lines. Only the section `[default]`, or the lines before
    /// any section, count.
    ///
    /// # Errors
    /// The name of the value that is missing.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut counts = true;
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                counts = line == "[default]";
            } else if counts && let Some((name, value)) = line.split_once('=') {
                lines.push((name.trim(), value.trim()));
            }
        }
        Self::of(|wanted| {
            let found = lines.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        })
    }
}

impl Bucket {
    /// The bucket as a store of objects. Nothing is sent yet.
    pub(super) fn objects(
        &self,
        http: reqwest::Client,
    ) -> Result<Arc<dyn ObjectStore>, ChunkStoreError> {
        let local = self
            .endpoint
            .as_ref()
            .is_some_and(|url| url.scheme() == "http");
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.name)
            .with_region(&self.region)
            .with_access_key_id(&self.key.id)
            .with_secret_access_key(self.key.secret.expose_secret())
            .with_http_connector(Connected(http))
            .with_client_options(ClientOptions::new().with_allow_http(local))
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: RETRIES,
                retry_timeout: RETRY_WITHIN,
            });
        if let Some(token) = &self.key.session_token {
            builder = builder.with_config(AmazonS3ConfigKey::Token, token.expose_secret());
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint.as_str().trim_end_matches('/'));
        }
        let bucket = builder.build().map_err(|error| self.failed(error))?;
        Ok(match &self.prefix {
            Some(prefix) => Arc::new(PrefixStore::new(bucket, prefix.as_str())),
            None => Arc::new(bucket),
        })
    }

    /// What an error of the service means, and what the operator does. An object that does not exist is not an error here.
    pub(super) fn failed(&self, error: Error) -> ChunkStoreError {
        match error {
            Error::NotFound { .. } => ChunkStoreError::NoBucket(self.name.clone(), error),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                ChunkStoreError::Denied(self.name.clone(), error)
            }
            error if is_away(&error) => ChunkStoreError::Away(self.place(), Some(error)),
            error => ChunkStoreError::Service(self.place(), error),
        }
    }

    /// The service's address, for messages.
    pub(super) fn place(&self) -> String {
        match &self.endpoint {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("s3.{}.amazonaws.com", self.region),
        }
    }
}

/// Whether no answer came.
fn is_away(error: &Error) -> bool {
    let mut at = error.source();
    while let Some(cause) = at {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return !matches!(http.kind(), HttpErrorKind::Decode | HttpErrorKind::Unknown);
        }
        at = cause.source();
    }
    false
}

/// Roost's own client, with its TLS and its authorities, instead of one that the library makes.
#[derive(Debug)]
struct Connected(reqwest::Client);

impl HttpConnector for Connected {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# work\n[other]\naws_access_key_id = other\n[default]\naws_access_key_id = AKIA1\n\
         aws_secret_access_key=planted/secret==\n";

    #[test]
    fn key_is_read_from_the_default_section_and_is_not_printed() {
        let key = BucketKey::parse(FILE).unwrap();
        assert_eq!(key.id, "AKIA1");
        assert_eq!(key.secret.expose_secret(), "planted/secret==");
        assert!(key.session_token.is_none());
        assert!(!format!("{key:?}").contains("planted"));
    }

    #[test]
    fn key_without_a_part_names_the_part() {
        let id = "aws_access_key_id = AKIA1\n";
        assert_eq!(BucketKey::parse("").unwrap_err(), "aws_access_key_id");
        assert_eq!(BucketKey::parse(id).unwrap_err(), "aws_secret_access_key");
        let empty = format!("{id}aws_secret_access_key =\n");
        assert_eq!(
            BucketKey::parse(&empty).unwrap_err(),
            "aws_secret_access_key"
        );
    }
}
