//! Sealing: a record becomes bytes that open only whole, under their own name, with the right root key.
//!
//! ```text
//! magic "ROOSTSB1" · tenant · connection · generation │ root key's id · wrapped data key · nonce │ ciphertext and tag
//! └────────────── context ──────────────────────────┘                                          │
//! └────────────── associated data of the ciphertext ───────────────────────────────────────────┘
//! ```
//!
//! Each record has its own data key, new at each write. The root key wraps it with the context as associated data.
//! Everything before the ciphertext is associated data of the ciphertext. So a record does not open after it was moved
//! to another tenant or connection, combined with the data key of an older generation, or changed in any bit.

mod cipher;
mod format;

pub use cipher::{DataKey, NONCE, decrypt, encrypt, fresh};
pub use format::{context, parse};

use roost_secret_broker::wire::RecordName;
use zeroize::Zeroizing;

use crate::root::{Root, RootError};

/// Why bytes cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    #[error("it is not a sealed record: {0}")]
    Format(&'static str),
    #[error("it is sealed for {found}, but stored under the name of another record")]
    Misplaced { found: RecordName },
    #[error(
        "it cannot be opened: it was changed, or moved to another tenant or connection, after it was sealed"
    )]
    Tampered,
    #[error(transparent)]
    Root(#[from] RootError),
}

/// Seals bytes under a name and a generation.
///
/// # Errors
/// When the root key cannot be used.
pub async fn seal(
    root: &Root,
    name: &RecordName,
    generation: u64,
    plain: &[u8],
) -> Result<Vec<u8>, SealError> {
    let context = context(name, generation);
    let key = DataKey::fresh();
    let wrapped = root.wrap(&key, &context).await?;
    let nonce = fresh::<NONCE>();
    let mut sealed = format::head(&context, &wrapped.root_key, &wrapped.bytes, &nonce)?;
    let secret = encrypt(&key, &nonce, plain, &sealed);
    sealed.extend_from_slice(&secret);
    Ok(sealed)
}

/// Opens bytes that were sealed under this name.
///
/// # Errors
/// See [`SealError`].
pub async fn open(
    root: &Root,
    name: &RecordName,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let header = parse(sealed)?;
    if &header.name != name {
        return Err(SealError::Misplaced { found: header.name });
    }
    let context = &sealed[..header.context];
    let key = root
        .unwrap(&header.root_key, header.wrapped, context)
        .await?;
    let (head, secret) = sealed.split_at(header.length);
    decrypt(&key, &header.nonce, secret, head).ok_or(SealError::Tampered)
}

#[cfg(test)]
mod tests;
