//! Reading `[auth]`.

use std::time::Duration;

use roost_secret_broker::outbound::AddressPolicy;

use super::Reader;
use crate::config::OutboundSettings;
use crate::config::{HostedIdentity, HostedMode};
use roost_tenancy::auth::hosted::{Admission, ClaimNames};

impl Reader {
    pub(super) fn auth(&mut self, outbound: &OutboundSettings) -> Option<HostedIdentity> {
        let modes = [
            ("local", None),
            ("hosted", Some(HostedMode::Hosted)),
            ("oidc", Some(HostedMode::Oidc)),
        ];
        let mode = self.choice("auth.mode", &modes);
        let issuer = self.issuer(outbound);
        let client_id: Option<String> = self.optional("auth.client_id");
        let client_secret_file = self.secret_file("auth.client_secret");
        let scope: Option<String> = self.optional("auth.scope");
        let display_name: Option<String> = self.optional("auth.display_name");
        let audience = self.optional("auth.audience");
        let claims = self.claim_names(mode);
        let admission = Admission {
            per_signup_workspace: self.get("auth.per_signup_workspace", false),
            domains: self.domains(),
        };
        let workspace = self.home();
        let hours: u64 = self.number("auth.session_hours", 12, 1, 2_160);
        if client_secret_file.is_some() && client_id.is_none() {
            let problem = "belongs to a client: auth.client_id is needed";
            self.wrong("auth.client_secret_file", problem.into());
        }
        if scope
            .as_ref()
            .is_some_and(|scope| !scope.split(' ').any(|word| word == "openid"))
        {
            self.wrong("auth.scope", "must have the word openid".into());
        }
        let Some(mode) = mode else {
            if issuer.is_some() {
                let problem =
                    "is not looked at while auth.mode is `local`; set it to `hosted` or `oidc`";
                self.wrong("auth.issuer_url", problem.into());
            }
            return None;
        };
        let Some(issuer) = issuer else {
            let problem =
                "is missing or no address; auth.mode needs the issuer that vouches for people";
            self.wrong("auth.issuer_url", problem.into());
            return None;
        };
        let host = url::Url::parse(&issuer).ok();
        let host = host.and_then(|url| url.host_str().map(str::to_owned));
        Some(HostedIdentity {
            mode,
            display_name: display_name.or(host).unwrap_or_else(|| issuer.clone()),
            issuer,
            audience,
            client_id,
            client_secret_file,
            scope,
            claims,
            admission,
            workspace,
            session: Duration::from_secs(hours * 3_600),
        })
    }

    /// The text itself, because tokens are compared with it. It must still be a valid address.
    fn issuer(&mut self, outbound: &OutboundSettings) -> Option<String> {
        const KEY: &str = "auth.issuer_url";
        let text: String = self.optional(KEY)?;
        let url = match url::Url::parse(&text) {
            Ok(url) if url.has_host() && url.query().is_none() && url.fragment().is_none() => url,
            _ => {
                self.wrong(
                    KEY,
                    "must be an address like https://login.example, without a query".into(),
                );
                return None;
            }
        };
        let policy = AddressPolicy::new(outbound.allow_private.clone());
        let plain =
            url.scheme() == "http" && policy.may_be_plain(url.host_str().unwrap_or_default());
        if url.scheme() != "https" && !plain {
            let problem = "must be https (or a host that outbound.allow_private names)";
            self.wrong(KEY, problem.into());
            return None;
        }
        Some(text)
    }

    fn claim_names(&mut self, mode: Option<HostedMode>) -> ClaimNames {
        let hosted = mode == Some(HostedMode::Hosted);
        let organisation: Option<String> = self.optional("auth.organisation_claim");
        let admins = vec!["admin".to_owned(), "org:admin".to_owned()];
        ClaimNames {
            role: self.get("auth.role_claim", "role".to_owned()),
            organisation: organisation.or_else(|| hosted.then(|| "org_role".to_owned())),
            organisation_admin: self.get("auth.organisation_admin", admins),
        }
    }

    fn domains(&mut self) -> Vec<String> {
        let texts: Vec<String> = self.get("auth.admit_domains", Vec::new());
        let mut domains = Vec::with_capacity(texts.len());
        for text in texts {
            let domain = text.trim().trim_start_matches('@').to_lowercase();
            if domain.is_empty() || domain.contains(['@', '*', ' ', '/']) {
                let problem = format!("`{text}` is not a domain like example.com");
                self.wrong("auth.admit_domains", problem);
            } else {
                domains.push(domain);
            }
        }
        domains
    }

    fn home(&mut self) -> Option<roost_platform::ids::WorkspaceId> {
        let text: String = self.optional("auth.workspace")?;
        let id = text.parse().ok();
        if id.is_none() {
            self.wrong("auth.workspace", "must be the id of a workspace".into());
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::from;

    const HOSTED: [(&str, &str); 2] = [
        ("auth.mode", "hosted"),
        ("auth.issuer_url", "https://id.example/"),
    ];

    fn wrong(set: &[(&str, &str)]) -> String {
        from("", set).unwrap_err().to_string()
    }

    #[test]
    fn both_modes_need_an_issuer_and_keep_its_letters() {
        for mode in ["hosted", "oidc"] {
            let message = wrong(&[("auth.mode", mode)]);
            assert!(message.contains("auth.issuer_url"), "{message}");
        }
        let (config, _) = from("", &HOSTED).unwrap();
        let hosted = config.auth.unwrap();
        assert_eq!(hosted.issuer, "https://id.example/");
        assert_eq!(hosted.display_name, "id.example");
        assert_eq!(hosted.claims.organisation.as_deref(), Some("org_role"));
        assert!(!hosted.admission.per_signup_workspace && hosted.audience.is_none());
        assert!(from("", &[]).unwrap().0.auth.is_none());
    }

    #[test]
    fn unused_issuer_and_issuer_without_tls_are_reported() {
        let message = wrong(&HOSTED[1..]);
        assert!(message.contains("auth.mode"), "{message}");
        let plain = ("auth.issuer_url", "http://127.0.0.1:1");
        let mode = ("auth.mode", "oidc");
        assert!(wrong(&[mode, plain]).contains("https"));
        let allowed = ("outbound.allow_private", "[\"127.0.0.1\"]");
        let (config, _) = from("", &[mode, plain, allowed]).unwrap();
        assert_eq!(config.auth.unwrap().claims.organisation, None);
        for bad in [
            "id.example",
            "https://x.example?tenant=1",
            "ftp://x.example",
        ] {
            assert!(wrong(&[mode, ("auth.issuer_url", bad)]).contains("auth.issuer_url"));
        }
    }

    #[test]
    fn each_wrong_key_is_named() {
        let mut set = HOSTED.to_vec();
        set.extend([
            ("auth.admit_domains", "[\"*.example.com\"]"),
            ("auth.workspace", "home"),
            ("auth.client_secret_file", "x"),
            ("auth.scope", "email"),
            ("auth.session_hours", "0"),
        ]);
        let message = wrong(&set);
        for (key, _) in &set[2..] {
            assert!(message.contains(key), "{key}: {message}");
        }
    }
}
