//! What an issuer publishes: the discovery document and its keys. Both are untrusted input: bounded, and accepted only
//! where they match the configuration.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use url::Url;

use super::verify::PublicKey;

/// The most keys of a set that are read.
const MOST_KEYS: usize = 100;

/// The fields of the discovery document that the gateway uses.
#[derive(Debug, Clone, Deserialize)]
pub struct Metadata {
    pub issuer: String,
    #[serde(deserialize_with = "url")]
    pub jwks_uri: Url,
    #[serde(default, deserialize_with = "some_url")]
    pub authorization_endpoint: Option<Url>,
    #[serde(default, deserialize_with = "some_url")]
    pub token_endpoint: Option<Url>,
    #[serde(default, deserialize_with = "some_url")]
    pub userinfo_endpoint: Option<Url>,
    #[serde(default, deserialize_with = "some_url")]
    pub revocation_endpoint: Option<Url>,
    #[serde(default)]
    pub scopes_supported: Option<Vec<String>>,
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

fn url<'de, D: Deserializer<'de>>(from: D) -> Result<Url, D::Error> {
    let text = String::deserialize(from)?;
    Url::parse(&text).map_err(serde::de::Error::custom)
}

/// A value that cannot be parsed counts as absent. It matters only where the address is needed.
fn some_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Url>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.and_then(|text| Url::parse(&text).ok()))
}

/// The address of an issuer's document.
///
/// # Errors
/// When the issuer is not a valid address.
pub fn address(issuer: &str) -> Result<Url, url::ParseError> {
    let base = issuer.trim_end_matches('/');
    Url::parse(&format!("{base}/.well-known/openid-configuration"))
}

/// A set of keys. A malformed key is left out, and the others still count.
#[derive(Debug, Deserialize)]
pub struct PublishedKeys {
    keys: Vec<Value>,
}

/// The usable keys that verify RS256.
#[derive(Clone, Default)]
pub struct KeySet {
    keys: Vec<(Option<String>, PublicKey)>,
}

impl KeySet {
    /// The usable keys of a published set.
    pub fn of(published: PublishedKeys) -> Self {
        let keys = published.keys.iter().take(MOST_KEYS);
        Self {
            keys: keys.filter_map(usable).collect(),
        }
    }

    /// The key with this id. For a token without an id it is the only key.
    pub fn find(&self, id: Option<&str>) -> Option<&PublicKey> {
        match (id, self.keys.as_slice()) {
            (Some(id), keys) => {
                let mut keys = keys.iter();
                keys.find(|(known, _)| known.as_deref() == Some(id))
                    .map(|(_, key)| key)
            }
            (None, [(_, key)]) => Some(key),
            (None, _) => None,
        }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

fn usable(key: &Value) -> Option<(Option<String>, PublicKey)> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    // An absent field allows any use. A present field must name RS256 signatures.
    let absent_or = |name: &str, wanted: &str| match key.get(name) {
        None => true,
        Some(value) => value.as_str() == Some(wanted),
    };
    let may_verify = key.get("key_ops").is_none_or(|operations| {
        operations
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one.as_str() == Some("verify")))
    });
    if text("kty") != Some("RSA")
        || !absent_or("use", "sig")
        || !absent_or("alg", "RS256")
        || !may_verify
    {
        return None;
    }
    let part = |name| {
        URL_SAFE_NO_PAD
            .decode(text(name)?.trim_end_matches('='))
            .ok()
    };
    let public = PublicKey::new(&part("n")?, &part("e")?)?;
    Some((text("kid").map(str::to_owned), public))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(keys: Value) -> KeySet {
        KeySet::of(serde_json::from_value(json!({ "keys": keys })).unwrap())
    }

    fn rsa(change: Value) -> Value {
        let n = URL_SAFE_NO_PAD.encode([0xc5_u8; 256]);
        let mut key = json!({ "kty": "RSA", "kid": "1", "n": n, "e": "AQAB" });
        for (name, value) in change.as_object().unwrap() {
            key[name] = value.clone();
        }
        key
    }

    #[test]
    fn only_rs256_keys_are_kept_and_an_odd_key_is_skipped() {
        for (change, kept) in [
            (json!({}), true),
            (
                json!({ "use": "sig", "alg": "RS256", "key_ops": ["verify"] }),
                true,
            ),
            (json!({ "use": "enc" }), false),
            (json!({ "alg": "RS512" }), false),
            (json!({ "alg": 256 }), false),
            (json!({ "key_ops": ["sign"] }), false),
            (json!({ "kty": "EC" }), false),
            (json!({ "n": "!!" }), false),
            (
                json!({ "n": URL_SAFE_NO_PAD.encode([0xc5_u8; 128]) }),
                false,
            ),
            (
                json!({ "n": URL_SAFE_NO_PAD.encode(vec![0xc5_u8; 100_000]) }),
                false,
            ),
            (json!({ "e": "" }), false),
            (json!({ "e": URL_SAFE_NO_PAD.encode([1_u8; 64]) }), false),
        ] {
            let keys = set(json!([
                null,
                7,
                rsa(change.clone()),
                rsa(json!({ "kid": "2" }))
            ]));
            assert_eq!(keys.find(Some("1")).is_some(), kept, "{change}");
            assert!(keys.find(Some("2")).is_some());
        }
    }

    #[test]
    fn a_token_without_a_key_id_means_the_only_key() {
        assert!(set(json!([rsa(json!({}))])).find(None).is_some());
        let two = set(json!([rsa(json!({})), rsa(json!({ "kid": "2" }))]));
        assert!(two.find(None).is_none() && two.find(Some("3")).is_none());
        assert_eq!((two.len(), two.is_empty()), (2, false));
    }

    #[test]
    fn a_set_is_bounded() {
        let many: Vec<Value> = (0..1_000)
            .map(|n| rsa(json!({ "kid": n.to_string() })))
            .collect();
        assert_eq!(set(json!(many)).len(), MOST_KEYS);
    }
}
