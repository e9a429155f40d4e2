//! Reading `[supplies]`: from where the gateway loads packages for sandboxes, and within which bounds.

use std::time::Duration;

use url::Url;

use super::Reader;
use crate::config::SuppliesSettings;
use roost_connections::supplies::{Bounds, Registries};

const MIB: u64 = 1 << 20;

impl Reader {
    pub(super) fn supplies(&mut self) -> SuppliesSettings {
        SuppliesSettings {
            fetch: self.choice("supplies.fetch", &[("on", true), ("off", false)]),
            registries: Registries {
                crates: self.crates(),
                npm: self.registry("supplies.npm"),
                npm_in_locks: self.registry("supplies.npm_in_locks"),
                pypi: self.registry("supplies.pypi"),
                go: self.registry("supplies.go"),
            },
            hosts: self.get("supplies.hosts", vec!["files.pythonhosted.org".to_owned()]),
            bounds: Bounds {
                package: MIB * self.number::<u64>("supplies.package_mib", 64, 1, 1_024),
                total: MIB * self.number::<u64>("supplies.total_mib", 512, 1, 4_096),
                packages: self.number("supplies.packages", 2_000, 1, 20_000),
                time: Duration::from_secs(self.number("supplies.seconds", 600, 1, 3_600)),
                silence: Duration::from_secs(self.number("supplies.silence_seconds", 30, 1, 600)),
                kept: MIB * self.number::<u64>("supplies.store_mib", 4_096, 1, 1 << 20),
            },
        }
    }

    /// The address of a registry; an empty text is none. There is no default, so the operator names the registry.
    fn registry(&mut self, key: &str) -> Option<String> {
        let text: String = self.get(key, String::new());
        if text.is_empty() {
            return None;
        }
        if !Url::parse(&text).is_ok_and(|url| url.has_host()) {
            self.wrong(
                key,
                "must be an address, as https://packages.example; empty for none".to_owned(),
            );
        }
        Some(text)
    }

    /// The address of a crate. An empty text allows none.
    fn crates(&mut self) -> Option<String> {
        const KEY: &str = "supplies.crates";
        const CRATES: &str = "https://static.crates.io/crates/{crate}/{crate}-{version}.crate";
        let text: String = self.get(KEY, CRATES.to_owned());
        if text.is_empty() {
            return None;
        }
        let filled = text.replace("{crate}", "a").replace("{version}", "1.0.0");
        let is_address = Url::parse(&filled).is_ok_and(|url| url.has_host());
        if !is_address || !text.contains("{crate}") || !text.contains("{version}") {
            let problem = format!(
                "must be an address with {{crate}} and {{version}}, as {CRATES}; empty for none"
            );
            self.wrong(KEY, problem);
        }
        Some(text)
    }
}
