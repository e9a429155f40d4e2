//! The secrets and addresses of a sign-in in a browser, pure. One random value lives in the browser's cookie; the code
//! verifier and the nonce are made from it, so that nothing that is stored here is of use without that browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use url::Url;

use crate::domains::auth::sha256_hex;

/// What the browser's cookie holds.
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

    /// What the identity token must repeat.
    pub fn nonce(self) -> String {
        self.made("nonce")
    }
}

/// The name of the cookie of a sign-in. One each, so that two tabs do not take each other's.
pub fn cookie_name(state: &str) -> String {
    format!("roost_sign_in_{}", &sha256_hex(state)[..12])
}

/// Where the browser is sent to.
pub struct Asked<'a> {
    pub client_id: &'a str,
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub binding: Binding<'a>,
}

/// The address at the issuer.
pub fn authorize(endpoint: &Url, asked: &Asked<'_>) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", asked.client_id)
        .append_pair("redirect_uri", asked.redirect_uri)
        .append_pair("scope", "openid email profile")
        .append_pair("state", asked.state)
        .append_pair("nonce", &asked.binding.nonce())
        .append_pair("code_challenge", &asked.binding.challenge())
        .append_pair("code_challenge_method", "S256");
    url
}

/// Only a path of our own page may follow a sign-in; anything else is its front.
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
    fn what_is_sent_differs_from_what_is_kept_and_from_each_other() {
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
        let asked = Asked {
            client_id: "a b",
            redirect_uri: "https://x.example/cb",
            state: "s",
            binding,
        };
        let url = authorize(&"https://id.example/a?tenant=1".parse().unwrap(), &asked);
        let text = url.as_str();
        assert!(text.starts_with("https://id.example/a?tenant=1&response_type=code"));
        assert!(text.contains("client_id=a+b") && text.contains("code_challenge_method=S256"));
        assert!(!text.contains(&binding.verifier()));
    }
}
