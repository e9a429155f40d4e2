//! Argon2id, off the async threads and with few hashes at a time (each takes 19 MiB).

use std::sync::Arc;

use argon2::password_hash::{
    Output, ParamsString, PasswordHash, PasswordHasher, PasswordVerifier, SaltString,
};
use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;

use super::AuthError;

/// Hashes and verifies passwords. Cheap to clone.
#[derive(Clone)]
pub struct Passwords {
    slots: Arc<Semaphore>,
    /// The hash for an unknown account or a missing password, so that every failure takes the same time.
    dummy: Arc<str>,
}

const AT_ONCE: usize = 4;

impl Passwords {
    /// Prepares the dummy hash.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new() -> Result<Self, AuthError> {
        Ok(Self {
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            dummy: hash_of_nothing()?.into(),
        })
    }

    /// The string to store.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub async fn hash(&self, password: SecretString) -> Result<String, AuthError> {
        self.on_a_thread(move || hash(password.expose_secret()))
            .await?
    }

    /// Whether the password matches. Without a stored hash it takes the same time and returns `false`.
    ///
    /// # Errors
    /// When the worker thread fails.
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, AuthError> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.dummy.to_string());
        let fits = self
            .on_a_thread(move || verify(password.expose_secret(), &stored))
            .await?;
        Ok(fits && known)
    }

    async fn on_a_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AuthError> {
        let slot = self
            .slots
            .clone()
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(slot);
            result
        })
        .await
        .map_err(|error| AuthError::Hashing(error.to_string()))
    }
}

/// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).expect("constants in the allowed range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash(password: &str) -> Result<String, AuthError> {
    let salt = salt()?;
    Ok(argon2()
        .hash_password(password.as_bytes(), &salt)
        .map_err(hashing)?
        .to_string())
}

/// A hash with random bytes as its result. No password is known for it, and a check against it costs as much as any
/// other. Its making costs nothing, unlike the hash of a random password: a start would wait for that and touch 19 MiB.
fn hash_of_nothing() -> Result<String, AuthError> {
    let mut result = [0_u8; Params::DEFAULT_OUTPUT_LEN];
    getrandom::fill(&mut result).map_err(AuthError::Randomness)?;
    let (argon2, salt) = (argon2(), salt()?);
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon2.params()).map_err(hashing)?,
        salt: Some(salt.as_salt()),
        hash: Some(Output::new(&result).map_err(hashing)?),
    };
    Ok(hash.to_string())
}

fn salt() -> Result<SaltString, AuthError> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(AuthError::Randomness)?;
    SaltString::encode_b64(&salt).map_err(hashing)
}

fn hashing(error: argon2::password_hash::Error) -> AuthError {
    AuthError::Hashing(error.to_string())
}

fn verify(password: &str, stored: &str) -> bool {
    PasswordHash::new(stored)
        .is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_of_nothing_costs_as_much_as_any_other_and_fits_no_password() {
        let dummy = hash_of_nothing().unwrap();
        let real = hash("a password").unwrap();
        let costs = |text: &str| {
            let hash = PasswordHash::new(text).unwrap();
            let length = hash.hash.unwrap().len();
            (
                hash.algorithm.to_string(),
                hash.version,
                hash.params,
                length,
            )
        };
        assert_eq!(costs(&dummy), costs(&real));
        assert!(verify("a password", &real));
        assert!(!verify("", &dummy));
    }
}
