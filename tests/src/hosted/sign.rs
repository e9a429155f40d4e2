//! Keys for tests only, and correctly and incorrectly signed tokens.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA512, RsaEncoding,
};
use serde_json::{Value, json};

/// A key pair; its id is its number.
pub struct Key {
    id: String,
    pair: KeyPair,
}

impl Key {
    /// Key 1, 2 or 3.
    ///
    /// # Panics
    /// For another number.
    pub fn number(number: u8) -> Self {
        let pem = match number {
            1 => include_str!("key-1.pem"),
            2 => include_str!("key-2.pem"),
            _ => include_str!("key-3.pem"),
        };
        let lines = pem.lines().filter(|line| !line.starts_with("-----"));
        let der = STANDARD.decode(lines.collect::<String>()).expect("base64");
        Self {
            id: number.to_string(),
            pair: KeyPair::from_pkcs8(&der).expect("a key"),
        }
    }

    /// The same key with another id.
    #[must_use]
    pub fn called(self, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..self
        }
    }

    /// Its entry in a key set.
    pub fn published(&self) -> Value {
        let public: PublicKeyComponents<Vec<u8>> = self.pair.public().into();
        let (n, e) = (part(&public.n), part(&public.e));
        json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.id, "n": n, "e": e })
    }

    /// The modulus, which everybody can read from the published key.
    pub fn modulus(&self) -> Vec<u8> {
        let public: PublicKeyComponents<Vec<u8>> = self.pair.public().into();
        public.n
    }

    /// A correct token.
    pub fn signs(&self, claims: &Value) -> String {
        self.signs_as(
            &json!({ "alg": "RS256", "typ": "JWT", "kid": self.id }),
            claims,
        )
    }

    /// A token with any header, signed with RS256.
    pub fn signs_as(&self, header: &Value, claims: &Value) -> String {
        self.signed(&RSA_PKCS1_SHA256, header, claims)
    }

    /// A token signed with RS512, which is secure but not accepted.
    pub fn signs_with_sha512(&self, claims: &Value) -> String {
        let header = json!({ "alg": "RS512", "typ": "JWT", "kid": self.id });
        self.signed(&RSA_PKCS1_SHA512, &header, claims)
    }

    fn signed(&self, how: &'static dyn RsaEncoding, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(
                how,
                &SystemRandom::new(),
                message.as_bytes(),
                &mut signature,
            )
            .expect("signs");
        format!("{message}.{}", part(&signature))
    }
}

fn part(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn message(header: &Value, claims: &Value) -> String {
    let (header, claims) = (header.to_string(), claims.to_string());
    format!("{}.{}", part(header.as_bytes()), part(claims.as_bytes()))
}

/// Tokens with the same claims, each invalid in one way, with a name for that way.
///
/// # Panics
/// When ring fails.
pub fn forged(claims: &Value) -> Vec<(&'static str, String)> {
    let key = Key::number(1);
    let header = |alg: &str| json!({ "alg": alg, "typ": "JWT", "kid": "1" });
    let hmac = |secret: &[u8]| {
        let message = message(&header("HS256"), claims);
        let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        let tag = ring::hmac::sign(&secret, message.as_bytes());
        format!("{message}.{}", part(tag.as_ref()))
    };
    let published = key.published().to_string();
    let elliptic = {
        let random = SystemRandom::new();
        let how = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let der = EcdsaKeyPair::generate_pkcs8(how, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(how, der.as_ref(), &random).expect("a key");
        let message = message(&header("ES256"), claims);
        let signature = pair.sign(&random, message.as_bytes()).expect("signs");
        format!("{message}.{}", part(signature.as_ref()))
    };
    let good = key.signs(claims);
    let (unsigned, signature) = good.rsplit_once('.').expect("three parts");
    let mut bent = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    bent[7] ^= 1;
    let stranger = Key::number(3).called("1");
    let jwk = stranger.published();
    let with = |name: &str, value: Value| {
        let mut header = header("RS256");
        header[name] = value;
        header
    };
    vec![
        ("none", format!("{}.", message(&header("none"), claims))),
        (
            "None with a signature",
            format!("{}.{signature}", message(&header("None"), claims)),
        ),
        ("HS256 by the modulus", hmac(&key.modulus())),
        ("HS256 by the published key", hmac(published.as_bytes())),
        ("RS512", key.signs_with_sha512(claims)),
        (
            "RS512 that says RS256",
            key.signed(&RSA_PKCS1_SHA512, &header("RS256"), claims),
        ),
        (
            "RS256 that says RS512",
            key.signs_as(&header("RS512"), claims),
        ),
        ("ES256", elliptic),
        ("another key under the same id", stranger.signs(claims)),
        (
            "a key that it brings along",
            stranger.signs_as(&with("jwk", jwk), claims),
        ),
        (
            "an extension",
            key.signs_as(&with("crit", json!(["b64"])), claims),
        ),
        (
            "a logout token",
            key.signs_as(&with("typ", json!("logout+jwt")), claims),
        ),
        ("a bent signature", format!("{unsigned}.{}", part(&bent))),
        ("no signature", format!("{unsigned}.")),
        ("no header", "..".to_owned()),
        (
            "no JSON",
            format!("{}.{}.{signature}", part(b"x"), part(b"y")),
        ),
    ]
}
