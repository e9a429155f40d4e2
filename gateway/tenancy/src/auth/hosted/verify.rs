//! Signatures: only RS256. `jsonwebtoken` parses the token, and ring does the arithmetic, as for TLS. The key decides
//! the algorithm, never the token's header: an issuer's key verifies RS256 or nothing.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey, Validation};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde_json::{Map, Value};
use signature::Verifier;

use super::claims::{Claims, MOST_BYTES, Refusal, check_type};

/// The header, before the token is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub key: Option<String>,
}

/// A public key of the issuer for RS256.
#[derive(Clone)]
pub struct PublicKey(DecodingKey);

impl PublicKey {
    /// Makes a key from a modulus and an exponent, big-endian. `None` when they cannot verify any signature.
    pub fn new(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let modulus = without_zeros(modulus);
        let exponent = without_zeros(exponent);
        // ring accepts 2,048 to 8,192 bits and exponents of at most 33 bits.
        let sizes = (256..=1_024).contains(&modulus.len()) && (1..=5).contains(&exponent.len());
        sizes.then(|| Self(DecodingKey::from_rsa_raw_components(modulus, exponent)))
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

/// Reads the header, and refuses a token that no key could verify.
///
/// # Errors
/// [`Refusal::Malformed`], [`Refusal::Algorithm`], [`Refusal::Critical`], [`Refusal::Type`].
pub fn header(token: &str) -> Result<Header, Refusal> {
    if token.len() > MOST_BYTES {
        return Err(Refusal::Malformed);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|error| match error.kind() {
        // The crate does not support `none`, so a header with it does not parse.
        ErrorKind::Json(_) | ErrorKind::InvalidAlgorithmName => Refusal::Algorithm,
        _ => Refusal::Malformed,
    })?;
    if header.alg != Algorithm::RS256 {
        return Err(Refusal::Algorithm);
    }
    if header.crit.is_some() {
        return Err(Refusal::Critical);
    }
    check_type(header.typ.as_deref())?;
    Ok(Header { key: header.kid })
}

/// Verifies the signature and reads the claims.
///
/// # Errors
/// [`Refusal::Signature`], [`Refusal::Malformed`].
pub fn claims(token: &str, key: &PublicKey) -> Result<Claims, Refusal> {
    install();
    let mut validation = Validation::new(Algorithm::RS256);
    // `claims.rs` checks the claims, because the crate's rules differ (leeway, missing audiences).
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    let decoded = jsonwebtoken::decode::<Map<String, Value>>(token, &key.0, &validation);
    let decoded = decoded.map_err(|error| match error.kind() {
        ErrorKind::InvalidSignature => Refusal::Signature,
        ErrorKind::InvalidAlgorithm => Refusal::Algorithm,
        _ => Refusal::Malformed,
    })?;
    Ok(Claims(decoded.claims))
}

fn install() {
    // A second installation keeps the first one, which is the same.
    let _ = PROVIDER.install_default();
}

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => Ok(Box::new(Rs256 {
            n: n.clone(),
            e: e.clone(),
        })),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Rs256 {
    n: Vec<u8>,
    e: Vec<u8>,
}

impl Verifier<Vec<u8>> for Rs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let key = RsaPublicKeyComponents {
            n: &self.n,
            e: &self.e,
        };
        key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Rs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}
