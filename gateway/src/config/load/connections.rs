//! Reading `broker`, `outbound` and `oauth`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use figment::value::Dict;
use roost_secret_broker::outbound::HostRule;

use super::Reader;
use crate::config::{Broker, OAuth, OutboundSettings};

/// The known services.
const GITHUB: (&str, &str) = ("github", "https://api.github.com");

impl Reader {
    pub(super) fn broker(&mut self) -> Broker {
        Broker {
            socket: self.optional("broker.socket"),
            start: self.choice("broker.start", &[("on", true), ("off", false)]),
            program: self.optional("broker.program"),
            root_key_file: self.optional("broker.root_key_file"),
            mirror_mib: self.number("broker.mirror_mib", 2048, 1, 1 << 20),
        }
    }

    pub(super) fn outbound(&mut self) -> OutboundSettings {
        let texts: Vec<String> = self.get("outbound.allow_private", Vec::new());
        let mut allow_private: Vec<HostRule> = Vec::with_capacity(texts.len());
        for text in texts {
            match text.parse() {
                Ok(rule) => allow_private.push(rule),
                Err(error) => self.wrong("outbound.allow_private", error.to_string()),
            }
        }
        OutboundSettings {
            allow_private,
            ca_file: self.optional("outbound.ca_file"),
        }
    }

    pub(super) fn oauth(&mut self, public_url: Option<&url::Url>) -> OAuth {
        let issuer_url = self.address("oauth.issuer_url", "https://login.example");
        let client_id: Option<String> = self.optional("oauth.client_id");
        let client_secret_file = self.secret_file("oauth.client_secret");
        let redirect_base = self.address("oauth.redirect_base", "https://roost.example");
        if client_secret_file.is_some() && (client_id.is_none() || issuer_url.is_none()) {
            self.wrong(
                "oauth.client_secret_file",
                "belongs to a client of an issuer: oauth.issuer_url and oauth.client_id are needed"
                    .into(),
            );
        }
        OAuth {
            issuer_url,
            client_id,
            client_secret_file,
            redirect_base: redirect_base.or_else(|| public_url.cloned()),
            apis: self.apis(),
        }
    }

    /// The file of a client's secret, `<key>_file`. The secret itself is not accepted, because it would be in this
    /// program's configuration, environment and memory, and only the broker needs it.
    pub(super) fn secret_file(&mut self, key: &'static str) -> Option<PathBuf> {
        if self.optional::<String>(key).is_some() {
            let problem = format!(
                "is not supported any more: write the secret into a file that only the secret broker's user reads, and name the file in {key}_file"
            );
            self.wrong(key, problem);
        }
        self.optional(&format!("{key}_file"))
    }

    fn apis(&mut self) -> BTreeMap<String, url::Url> {
        let mut apis = BTreeMap::new();
        if let Ok(url) = GITHUB.1.parse() {
            apis.insert(GITHUB.0.to_owned(), url);
        }
        let named: Dict = self.optional("oauth.apis").unwrap_or_default();
        for provider in named.keys() {
            let key = format!("oauth.apis.{provider}");
            if let Some(url) = self.address(&key, "https://api.example.com") {
                apis.insert(provider.clone(), url);
            }
        }
        apis
    }
}
