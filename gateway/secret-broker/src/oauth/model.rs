//! Decisions of OAuth: what a sign-in may request, what a callback must contain, when a token is renewed. No I/O.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use roost_secret_broker::wire::{
    Begin, ClientAuth, DEPLOYMENT, Fault, FaultCode, RecordName, RecordState, Redeem,
};
use sha2::{Digest, Sha256};
use url::Url;

use crate::egress::{AddressPolicy, check_allow, check_inject};
use crate::record::{Grant, SignIn};

/// A token is renewed this long before it expires, so that it does not expire while a request is on its way.
const EARLY_MS: i64 = 60_000;
/// Longest sign-in, seconds.
const LONGEST_S: u32 = 600;

/// `S256` of a verifier (RFC 7636).
pub fn challenge(verifier: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Checks whether a sign-in can begin.
///
/// # Errors
/// [`FaultCode::BadRequest`] or [`FaultCode::NotAllowed`].
pub fn check_begin(begin: &Begin, policy: &AddressPolicy) -> Result<(), Fault> {
    let bad = |detail: &str| Err(Fault::new(FaultCode::BadRequest, detail));
    if !is_state(&begin.state) {
        return bad("a state has 8 to 128 letters, digits, `-` and `_`");
    }
    if begin.lifetime_s == 0 || begin.lifetime_s > LONGEST_S {
        return bad("a sign-in lasts 1 to 600 seconds");
    }
    let texts = [&begin.client_id, &begin.redirect_uri, &begin.issuer];
    if texts
        .iter()
        .any(|text| text.is_empty() || text.len() > 2048)
    {
        return bad("client id, redirect address and issuer are 1 to 2048 bytes");
    }
    check_endpoint(&begin.token_endpoint, policy)?;
    if let Some(endpoint) = &begin.revocation_endpoint {
        check_endpoint(endpoint, policy)?;
    }
    check_client(&begin.name, begin.client_auth, begin.client_secret.as_ref())?;
    check_allow(&begin.allow)?;
    check_inject(&begin.inject)
}

/// Checks whether a person's sign-in can be completed.
///
/// # Errors
/// [`FaultCode::BadRequest`] or [`FaultCode::NotAllowed`].
pub fn check_redeem(redeem: &Redeem, policy: &AddressPolicy) -> Result<(), Fault> {
    let bad = |detail: &str| Err(Fault::new(FaultCode::BadRequest, detail));
    let client = &redeem.client;
    if redeem.name.is_sign_in() {
        return bad("names below `sign-in/` are the broker's own");
    }
    let secret_texts = [&redeem.code, &redeem.verifier].map(|text| text.reveal().len());
    let texts = [&client.client_id, &redeem.redirect_uri].map(String::len);
    let fits = |most| move |length: &usize| (1..=most).contains(length);
    if !texts.iter().all(fits(2048)) || !secret_texts.iter().all(fits(4096)) {
        return bad(
            "client id and redirect address are 1 to 2048 bytes, code and verifier 1 to 4096",
        );
    }
    check_endpoint(&client.token_endpoint, policy)?;
    if let Some(endpoint) = &client.revocation_endpoint {
        check_endpoint(endpoint, policy)?;
    }
    check_client(
        &redeem.name,
        client.client_auth,
        client.client_secret.as_ref(),
    )?;
    check_allow(&redeem.allow)
}

fn check_client(
    name: &RecordName,
    auth: ClientAuth,
    secret: Option<&RecordName>,
) -> Result<(), Fault> {
    match (secret, auth) {
        (None, ClientAuth::None) => Ok(()),
        (Some(secret), ClientAuth::Basic | ClientAuth::Post)
            if secret.tenant() == name.tenant() || secret.tenant() == DEPLOYMENT =>
        {
            Ok(())
        }
        (Some(_), ClientAuth::Basic | ClientAuth::Post) => Err(Fault::new(
            FaultCode::NotAllowed,
            "the client's secret belongs to another tenant",
        )),
        _ => Err(Fault::new(
            FaultCode::BadRequest,
            "the client's secret and its authentication method do not fit: a public client has no secret, any other client needs one",
        )),
    }
}

fn check_endpoint(endpoint: &str, policy: &AddressPolicy) -> Result<Url, Fault> {
    let refuse = |detail: &str| Fault::new(FaultCode::BadRequest, detail);
    let url = Url::parse(endpoint).map_err(|_| refuse("an endpoint of the issuer is not a URL"))?;
    let host = url
        .host_str()
        .ok_or_else(|| refuse("an endpoint of the issuer has no host"))?;
    let safe = url.scheme() == "https" || url.scheme() == "http" && policy.may_be_plain(host);
    if !safe {
        return Err(refuse(
            "the issuer's endpoints must be https, or on a host that `outbound.allow_private` names",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(refuse(
            "an endpoint of the issuer carries a user or a fragment",
        ));
    }
    Ok(url)
}

/// Whether a text can be a state, and so part of a record's name.
pub fn is_state(state: &str) -> bool {
    (8..=128).contains(&state.len())
        && state
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        && state.as_bytes()[0].is_ascii_alphanumeric()
}

/// Checks whether a callback fits its sign-in.
///
/// # Errors
/// [`FaultCode::UnknownSignIn`]: the same code for each reason that an attacker could probe.
pub fn check_callback(sign_in: &SignIn, issuer: Option<&str>, now_ms: i64) -> Result<(), Fault> {
    let refuse = |why: &str| {
        Err(Fault::new(
            FaultCode::UnknownSignIn,
            format!("the sign-in cannot be completed: {why}"),
        ))
    };
    if now_ms >= sign_in.until_ms {
        return refuse("it took too long; begin again");
    }
    match issuer {
        None if sign_in.issuer_required => {
            refuse("the issuer announced that it sends `iss`, and the callback has none")
        }
        // Simple string comparison, as RFC 9207 requires.
        Some(named) if named != sign_in.issuer => refuse("the callback names another issuer"),
        _ => Ok(()),
    }
}

/// What to do before a token is used.
#[derive(Debug, PartialEq, Eq)]
pub enum Usability {
    Use,
    /// Renew it; `still_good` means that the present token can be used meanwhile.
    Renew {
        still_good: bool,
    },
    /// Only a person can renew it.
    Reauthorise,
}

/// Decides what to do with a token.
pub fn usability(state: RecordState, grant: Option<&Grant>, now_ms: i64) -> Usability {
    if state == RecordState::NeedsReauth {
        return Usability::Reauthorise;
    }
    let Some((grant, expires)) = grant.and_then(|grant| Some((grant, grant.expires_ms?))) else {
        return Usability::Use;
    };
    match grant.refresh_token {
        Some(_) if now_ms >= expires - EARLY_MS => Usability::Renew {
            still_good: now_ms < expires,
        },
        None if now_ms >= expires => Usability::Reauthorise,
        _ => Usability::Use,
    }
}

#[cfg(test)]
mod tests {
    use roost_secret_broker::wire::{Inject, RecordName, Secret};
    use rstest::rstest;

    use super::*;

    fn begin() -> Begin {
        Begin {
            name: RecordName::new("w1", "a/github_oauth_token").unwrap(),
            state: "0123456789abcdef".into(),
            token_endpoint: "https://issuer.example/token".into(),
            issuer: "https://issuer.example".into(),
            issuer_required: false,
            client_id: "roost".into(),
            client_auth: ClientAuth::None,
            client_secret: None,
            redirect_uri: "https://roost.example/api/apps/oauth/callback".into(),
            resource: None,
            inject: Inject::Bearer,
            allow: Vec::new(),
            lifetime_s: 600,
            revocation_endpoint: None,
        }
    }

    #[test]
    fn challenge_matches_the_standard() {
        let verifier = b"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(
            challenge(verifier),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[rstest]
    #[case::fine(|_: &mut Begin| (), true)]
    #[case::state(|b: &mut Begin| b.state = "../../x/y/z".into(), false)]
    #[case::long(|b: &mut Begin| b.lifetime_s = 601, false)]
    #[case::plain(|b: &mut Begin| b.token_endpoint = "http://issuer.example/token".into(), false)]
    #[case::user(|b: &mut Begin| b.token_endpoint = "https://a:b@issuer.example/token".into(), false)]
    #[case::secretless(|b: &mut Begin| b.client_auth = ClientAuth::Basic, false)]
    #[case::deployment(|b: &mut Begin| {
        b.client_auth = ClientAuth::Post;
        b.client_secret = Some(RecordName::new(DEPLOYMENT, "client").unwrap());
    }, true)]
    #[case::stranger(|b: &mut Begin| {
        b.client_auth = ClientAuth::Post;
        b.client_secret = Some(RecordName::new("w2", "client").unwrap());
    }, false)]
    fn sign_in_requests_are_checked(#[case] change: fn(&mut Begin), #[case] fine: bool) {
        let mut asked = begin();
        change(&mut asked);
        let checked = check_begin(&asked, &AddressPolicy::default());
        assert_eq!(checked.is_ok(), fine, "{checked:?}");
    }

    #[rstest]
    #[case(None, false, 10, true)]
    #[case(None, true, 10, false)]
    #[case(Some("https://issuer.example"), true, 10, true)]
    #[case(Some("https://issuer.example/"), false, 10, false)]
    #[case(Some("https://evil.example"), false, 10, false)]
    #[case(None, false, 100, false)]
    fn callback_must_match_its_sign_in(
        #[case] issuer: Option<&str>,
        #[case] required: bool,
        #[case] now: i64,
        #[case] fine: bool,
    ) {
        let sign_in = SignIn {
            name: begin().name,
            issuer: "https://issuer.example".into(),
            issuer_required: required,
            redirect_uri: String::new(),
            until_ms: 100,
        };
        assert_eq!(check_callback(&sign_in, issuer, now).is_ok(), fine);
    }

    #[rstest]
    #[case(None, true, 0, Usability::Use)]
    #[case(Some(100_000), true, 39_999, Usability::Use)]
    #[case(Some(100_000), true, 40_000, Usability::Renew { still_good: true })]
    #[case(Some(100_000), true, 100_000, Usability::Renew { still_good: false })]
    #[case(Some(100_000), false, 99_999, Usability::Use)]
    #[case(Some(100_000), false, 100_000, Usability::Reauthorise)]
    fn token_is_renewed_before_it_expires(
        #[case] expires: Option<i64>,
        #[case] renewable: bool,
        #[case] now: i64,
        #[case] wanted: Usability,
    ) {
        let grant = Grant {
            token_endpoint: String::new(),
            client_id: String::new(),
            client_auth: ClientAuth::None,
            client_secret: None,
            resource: None,
            refresh_token: renewable.then(|| Secret::from("refresh-token")),
            expires_ms: expires,
            scope: None,
            revocation_endpoint: None,
        };
        assert_eq!(usability(RecordState::Ready, Some(&grant), now), wanted);
        assert_eq!(
            usability(RecordState::NeedsReauth, Some(&grant), 0),
            Usability::Reauthorise
        );
    }
}
