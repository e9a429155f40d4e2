//! The secrets and addresses of a sign-in in a browser, pure. One random value is in the browser's cookie. The code
//! verifier and the nonce are made from it, so the stored data is useless without that browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use url::Url;

use crate::auth::sha256_hex;

/// The value of the browser's cookie.
#[derive(Clone, Copy)]
pub struct Binding<'a>(pub &'a str);

impl Binding<'_> {
    fn made(self, purpose: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(purpose);
        hash.update([0]);
        hash.update(self.0);
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }

    /// The code verifier of PKCE.
    pub fn verifier(self) -> String {
        self.made("verifier")
    }

    /// Its challenge, by S256.
    pub fn challenge(self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier()))
    }

    /// The nonce, which the identity token must repeat.
    pub fn nonce(self) -> String {
        self.made("nonce")
    }
}

/// The name of a sign-in's cookie. Each sign-in has its own, so that two tabs do not use each other's cookie.
pub fn cookie_name(state: &str) -> String {
    format!("roost_sign_in_{}", &sha256_hex(state)[..12])
}

/// The parameters of the address to which the browser is sent.
pub struct AuthorizationRequest<'a> {
    pub client_id: &'a str,
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub binding: Binding<'a>,
    /// Scopes, separated by spaces.
    pub scope: &'a str,
}

/// The scope of a sign-in. Without a configured one: the person's identity, and offline access where the issuer offers
/// it.
pub fn scope(configured: Option<&str>, supported: Option<&[String]>) -> String {
    const OFFLINE: &str = "offline_access";
    if let Some(configured) = configured {
        return configured.to_owned();
    }
    let offered = supported.is_some_and(|all| all.iter().any(|one| one == OFFLINE));
    match offered {
        true => format!("openid email profile {OFFLINE}"),
        false => "openid email profile".to_owned(),
    }
}

/// The address at the issuer.
pub fn authorize(endpoint: &Url, request: &AuthorizationRequest<'_>) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", request.client_id)
        .append_pair("redirect_uri", request.redirect_uri)
        .append_pair("scope", request.scope)
        .append_pair("state", request.state)
        .append_pair("nonce", &request.binding.nonce())
        .append_pair("code_challenge", &request.binding.challenge())
        .append_pair("code_challenge_method", "S256");
    url
}

/// Only a path of Roost's own page may follow a sign-in. Any other value leads to the front page.
pub fn safe_next(next: Option<&str>) -> &str {
    let own = |next: &&str| {
        let mut chars = next.chars();
        chars.next() == Some('/')
            && !matches!(chars.next(), Some('/' | '\\'))
            && next.len() <= 2_000
            && !next.chars().any(|c| c.is_control() || c == '\\')
            && !["/api/", "/sign-in"].iter().any(|no| next.starts_with(no))
    };
    next.filter(own).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_our_own_page_follow_a_sign_in() {
        for (next, path) in [
            (Some("/fleet?q=1#x"), "/fleet?q=1#x"),
            (Some("//evil.example"), "/"),
            (Some("/\\evil.example"), "/"),
            (Some("/a\\b"), "/"),
            (Some("https://evil.example"), "/"),
            (Some("/sign-in?next=/"), "/"),
            (Some("/api/auth/logout"), "/"),
            (Some("/a\r\nset-cookie: x"), "/"),
            (Some(""), "/"),
            (None, "/"),
        ] {
            assert_eq!(safe_next(next), path, "{next:?}");
        }
    }

    #[test]
    fn to_ask_again_is_asked_for_where_it_is_offered() {
        let offered = ["openid".to_owned(), "offline_access".to_owned()];
        for (configured, supported, expected) in [
            (None, None, "openid email profile"),
            (None, Some(&offered[..1]), "openid email profile"),
            (
                None,
                Some(&offered[..]),
                "openid email profile offline_access",
            ),
            (Some("openid groups"), Some(&offered[..]), "openid groups"),
        ] {
            assert_eq!(scope(configured, supported), expected);
        }
    }

    #[test]
    fn sent_and_stored_secrets_all_differ() {
        let binding = Binding("b");
        let all = [
            binding.verifier(),
            binding.challenge(),
            binding.nonce(),
            sha256_hex("b"),
        ];
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert!((43..=128).contains(&binding.verifier().len()));
        let request = AuthorizationRequest {
            client_id: "a b",
            redirect_uri: "https://x.example/cb",
            state: "s",
            binding,
            scope: "openid",
        };
        let url = authorize(&"https://id.example/a?tenant=1".parse().unwrap(), &request);
        let text = url.as_str();
        assert!(text.starts_with("https://id.example/a?tenant=1&response_type=code"));
        assert!(text.contains("client_id=a+b") && text.contains("code_challenge_method=S256"));
        assert!(!text.contains(&binding.verifier()));
    }
}
