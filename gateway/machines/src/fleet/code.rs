//! Join codes: people can read them out and type them; the store has only their hash.

use sha2::{Digest, Sha256};

/// Crockford's alphabet: no two letters look alike.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A code that is shown once. It does not implement `Debug`.
pub struct JoinCode(String);

impl JoinCode {
    /// Sixteen letters, eighty random bits, in groups of four.
    pub fn fresh() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)?;
        let mut text = String::with_capacity(19);
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 && index % 4 == 0 {
                text.push('-');
            }
            text.push(LETTERS[usize::from(byte % 32)] as char);
        }
        Ok(Self(text))
    }

    /// For the one answer that shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored.
    pub fn sha256(&self) -> String {
        hash_of(&self.0)
    }
}

/// The hash of a code as a person typed it: case, spaces and missing dashes do not matter.
pub fn hash_of(typed: &str) -> String {
    let plain: String = typed
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_uppercase())
        .collect();
    hex::encode(Sha256::digest(plain.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_recognised_however_it_is_typed() {
        let code = JoinCode::fresh().expect("randomness");
        let typed = code.reveal().to_lowercase().replace('-', " ");
        assert_eq!(hash_of(&typed), code.sha256());
        assert_ne!(hash_of("AAAA-AAAA-AAAA-AAAA"), code.sha256());
    }
}
