//! The settings of the gateway's mail: `smtp_url` and `smtp_from`.

use super::load::Reader;
use roost_platform::outbound::OutboundSettings;
use roost_tenancy::mail::{MailSettings, SmtpServer};

impl Reader {
    /// Where mail goes out; `None` when no server is named, or when the settings are wrong.
    pub(super) fn mail(&mut self, outbound: &OutboundSettings) -> Option<MailSettings> {
        let url: Option<String> = self.optional("smtp_url");
        let from: Option<String> = self.optional("smtp_from");
        let (url, from) = match (url, from) {
            (Some(url), Some(from)) => (url, from),
            (None, None) => return None,
            (Some(_), None) => {
                self.wrong("smtp_from", "is missing; smtp_url needs it".into());
                return None;
            }
            (None, Some(_)) => {
                self.wrong("smtp_url", "is missing; smtp_from needs it".into());
                return None;
            }
        };
        let server = match SmtpServer::parse(&url) {
            Ok(server) => server,
            Err(what) => {
                self.wrong("smtp_url", what.to_owned());
                return None;
            }
        };
        if !MailSettings::is_sender(&from) {
            let what = "must be an address like roost@example.com, or `Roost <roost@example.com>`";
            self.wrong("smtp_from", what.into());
            return None;
        }
        Some(MailSettings {
            server,
            from,
            ca_file: outbound.ca_file.clone(),
        })
    }
}
