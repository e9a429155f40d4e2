//! The claims of a token, and whether it is valid now: the rules of the specification, pure. `verify.rs` checks
//! signatures.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// The most seconds by which the issuer's clock and the gateway's clock may differ.
pub const LEEWAY_S: f64 = 5.0;
/// The most bytes of a token. Real tokens have one or two thousand.
pub const MOST_BYTES: usize = 16 * 1024;
/// Characters of a subject: OpenID Connect allows 255.
const MOST_SUBJECT: usize = 255;
/// An expiry after this time counts as never. It keeps the arithmetic in range.
const NEVER_S: f64 = 253_402_300_799.0;

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is not a signed JSON Web Token")]
    Malformed,
    #[error("only RS256 is accepted")]
    Algorithm,
    #[error("it is a token of another type")]
    Type,
    #[error("it requires an unknown extension")]
    Critical,
    #[error("the issuer has no such key")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("another issuer issued it")]
    Issuer,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    TooEarly,
    #[error("it is meant for another audience")]
    Audience,
    #[error("the issuer gave it to another client")]
    Party,
    #[error("its nonce belongs to another sign-in")]
    Nonce,
    #[error("it has no subject")]
    Subject,
}

/// What a token must contain to be accepted.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Compared byte by byte.
    pub issuer: &'a str,
    /// One of the token's audiences, when configured.
    pub audience: Option<&'a str>,
    /// The client for which the token was issued, when it must be this one.
    pub party: Option<&'a str>,
    /// The nonce of the sign-in that asked for the token.
    pub nonce: Option<&'a str>,
}

/// The claims of a token whose signature is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims(pub Map<String, Value>);

/// A token that is valid now.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    pub subject: String,
    /// The token's own expiry, without leeway.
    pub expires_at: DateTime<Utc>,
    /// Absent when the token has no such claim.
    pub issued_at: Option<DateTime<Utc>>,
    pub claims: Claims,
}

/// Whether a bearer has the form of an issuer's token: three parts. A local token has no dot.
pub fn is_jwt_shaped(bearer: &str) -> bool {
    bearer.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// Checks the `typ` of the header. Access tokens and plain tokens pass; a token for another purpose is refused.
pub fn check_type(typ: Option<&str>) -> Result<(), Refusal> {
    let Some(typ) = typ else { return Ok(()) };
    let typ = typ.to_ascii_lowercase();
    let typ = typ.strip_prefix("application/").unwrap_or(&typ);
    match typ {
        "jwt" | "at+jwt" => Ok(()),
        _ => Err(Refusal::Type),
    }
}

/// Checks the claims.
///
/// # Errors
/// The first rule that is broken.
pub fn check(
    claims: Claims,
    expected: Expected<'_>,
    now: DateTime<Utc>,
) -> Result<Verified, Refusal> {
    if claims.text("iss") != Some(expected.issuer) {
        return Err(Refusal::Issuer);
    }
    let now_s = now.timestamp_millis() as f64 / 1_000.0;
    let expires = claims.seconds("exp")?.ok_or(Refusal::Expired)?;
    if now_s >= expires + LEEWAY_S {
        return Err(Refusal::Expired);
    }
    let issued = claims.seconds("iat")?;
    for begins in [claims.seconds("nbf")?, issued].into_iter().flatten() {
        if now_s + LEEWAY_S < begins {
            return Err(Refusal::TooEarly);
        }
    }
    if expected
        .audience
        .is_some_and(|audience| !claims.audiences().any(|one| one == audience))
    {
        return Err(Refusal::Audience);
    }
    if let Some(party) = expected.party {
        // With several audiences the token must name the client that received it (OpenID Connect Core, 3.1.3.7).
        let fits = match claims.0.get("azp") {
            Some(azp) => azp.as_str() == Some(party),
            None => claims.audiences().count() <= 1,
        };
        if !fits {
            return Err(Refusal::Party);
        }
    }
    if expected.nonce.is_some() && claims.text("nonce") != expected.nonce {
        return Err(Refusal::Nonce);
    }
    let subject = claims
        .text("sub")
        .filter(|sub| {
            (1..=MOST_SUBJECT).contains(&sub.chars().count()) && !sub.chars().any(char::is_control)
        })
        .ok_or(Refusal::Subject)?
        .to_owned();
    Ok(Verified {
        subject,
        expires_at: moment(expires),
        issued_at: issued.map(moment),
        claims,
    })
}

fn moment(seconds: f64) -> DateTime<Utc> {
    let millis = (seconds.clamp(0.0, NEVER_S) * 1_000.0) as i64;
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

impl Claims {
    /// A claim that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A claim by its name. A name with dots also leads into objects (`realm_access.roles`).
    pub fn at(&self, name: &str) -> Option<&Value> {
        self.0.get(name).or_else(|| {
            let mut parts = name.split('.');
            let first = self.0.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get(part))
        })
    }

    /// A time. A value that is not a number makes the token invalid: it must not count as absent.
    fn seconds(&self, name: &str) -> Result<Option<f64>, Refusal> {
        match self.0.get(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or(Refusal::Malformed),
        }
    }

    fn audiences(&self) -> impl Iterator<Item = &str> {
        let aud = self.0.get("aud");
        let many = aud.and_then(Value::as_array).into_iter().flatten();
        aud.into_iter().chain(many).filter_map(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ISSUER: &str = "https://id.example";

    fn expected() -> Expected<'static> {
        Expected {
            issuer: ISSUER,
            audience: None,
            party: None,
            nonce: None,
        }
    }

    fn judged(change: Value, expected: Expected<'_>) -> Result<Verified, Refusal> {
        let mut claims = json!({ "iss": ISSUER, "sub": "ada", "exp": 1_000_060, "iat": 1_000_000 });
        for (name, value) in change.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        let now = DateTime::from_timestamp(1_000_000, 0).unwrap();
        let Value::Object(claims) = claims else {
            panic!("an object")
        };
        check(Claims(claims), expected, now)
    }

    #[test]
    fn both_sides_of_the_leeway() {
        for (change, refused) in [
            (json!({ "exp": 999_996 }), None),
            (json!({ "exp": 999_995.5 }), None),
            (json!({ "exp": 999_995 }), Some(Refusal::Expired)),
            (json!({ "exp": null }), Some(Refusal::Expired)),
            (json!({ "nbf": 1_000_005 }), None),
            (json!({ "nbf": 1_000_005.5 }), Some(Refusal::TooEarly)),
            (json!({ "iat": 1_000_005 }), None),
            (json!({ "iat": 1_000_006 }), Some(Refusal::TooEarly)),
            (json!({ "iat": null }), None),
            (json!({ "exp": "1000060" }), Some(Refusal::Malformed)),
            (json!({ "nbf": true }), Some(Refusal::Malformed)),
            (json!({ "exp": 1e300 }), None),
        ] {
            assert_eq!(
                judged(change.clone(), expected()).err(),
                refused,
                "{change}"
            );
        }
    }

    #[test]
    fn another_issuer_is_another_even_by_a_slash() {
        for iss in [
            json!("https://id.example/"),
            json!("https://ID.example"),
            json!([ISSUER]),
        ] {
            let change = json!({ "iss": iss });
            assert_eq!(judged(change, expected()), Err(Refusal::Issuer));
        }
    }

    #[test]
    fn the_audience_counts_only_when_it_is_configured() {
        let ours = Expected {
            audience: Some("roost"),
            ..expected()
        };
        for (aud, refused) in [
            (json!("roost"), None),
            (json!(["other", "roost"]), None),
            (json!("other"), Some(Refusal::Audience)),
            (json!([]), Some(Refusal::Audience)),
            (Value::Null, Some(Refusal::Audience)),
            (json!({ "roost": true }), Some(Refusal::Audience)),
        ] {
            let change = json!({ "aud": aud });
            assert_eq!(judged(change.clone(), ours).err(), refused, "{change}");
            assert!(judged(change, expected()).is_ok());
        }
    }

    #[test]
    fn a_token_that_was_given_to_another_client_is_refused_where_that_counts() {
        let ours = Expected {
            party: Some("page"),
            ..expected()
        };
        for (change, refused) in [
            (json!({ "azp": "page", "aud": ["page", "x"] }), None),
            (json!({ "aud": "page" }), None),
            (
                json!({ "azp": "other", "aud": "page" }),
                Some(Refusal::Party),
            ),
            (json!({ "aud": ["page", "x"] }), Some(Refusal::Party)),
            (json!({ "azp": 7 }), Some(Refusal::Party)),
        ] {
            assert_eq!(judged(change.clone(), ours).err(), refused, "{change}");
        }
    }

    #[test]
    fn a_nonce_must_be_the_one_that_was_sent() {
        let ours = Expected {
            nonce: Some("n"),
            ..expected()
        };
        assert!(judged(json!({ "nonce": "n" }), ours).is_ok());
        for change in [json!({}), json!({ "nonce": "m" })] {
            assert_eq!(judged(change, ours), Err(Refusal::Nonce));
        }
    }

    #[test]
    fn a_subject_is_a_text_that_can_be_stored() {
        for sub in [
            json!(""),
            json!(7),
            Value::Null,
            json!("a\u{0}b"),
            json!("x".repeat(256)),
        ] {
            assert_eq!(
                judged(json!({ "sub": sub }), expected()),
                Err(Refusal::Subject)
            );
        }
    }

    #[test]
    fn a_token_of_another_type_is_not_a_bearer() {
        for good in [
            None,
            Some("JWT"),
            Some("at+jwt"),
            Some("application/at+JWT"),
        ] {
            assert_eq!(check_type(good), Ok(()));
        }
        for bad in ["logout+jwt", "dpop+jwt", "secevent+jwt", ""] {
            assert_eq!(check_type(Some(bad)), Err(Refusal::Type));
        }
    }

    #[test]
    fn names_with_dots_are_names_first_and_paths_then() {
        let claims = json!({ "https://x.example/role": "admin", "realm": { "roles": ["owner"] } });
        let Value::Object(claims) = claims else {
            panic!("an object")
        };
        let claims = Claims(claims);
        assert_eq!(claims.at("https://x.example/role"), Some(&json!("admin")));
        assert_eq!(claims.at("realm.roles"), Some(&json!(["owner"])));
        assert_eq!(claims.at("realm.roles.x"), None);
    }

    #[test]
    fn only_three_parts_are_a_token_of_an_issuer() {
        for (text, is) in [
            ("a.b.c", true),
            ("a.b.", true),
            ("rst_x", false),
            ("a.b.c.d.e", false),
        ] {
            assert_eq!(is_jwt_shaped(text), is, "{text}");
        }
    }
}
