//! The start options of a secret broker that this gateway starts itself.

use super::Config;
use roost_platform::broker::Embedded;

impl Config {
    /// The broker that this gateway starts; `None` when it runs by itself, or when there is none.
    pub fn embedded_broker(&self) -> Option<Embedded> {
        let config = self;
        let broker = &config.broker;
        if broker.socket.is_some() || !broker.start {
            return None;
        }
        // Git of the broker works in other folders.
        let data =
            std::path::absolute(&config.data_dir).unwrap_or_else(|_| config.data_dir.clone());
        let data = data.join("broker");
        let mut arguments = vec![
            format!("--data-dir={}", data.display()),
            format!("--socket={}", config.broker_socket().display()),
            format!("--mirror-mib={}", broker.mirror_mib),
        ];
        arguments.extend(
            config
                .outbound
                .allow_private
                .iter()
                .map(|host| format!("--allow-private={host}")),
        );
        if let Some(file) = &broker.root_key_file {
            arguments.push(format!("--root-key-file={}", file.display()));
        }
        // The names that `apps` and `auth` use, below `client-secret/`.
        let sign_in = config.auth.as_ref();
        let sign_in = sign_in.and_then(|auth| auth.client_secret_file.as_ref());
        for (client, file) in [
            ("oauth", config.oauth.client_secret_file.as_ref()),
            ("sign-in", sign_in),
        ] {
            if let Some(file) = file {
                arguments.push(format!("--client-secret={client}={}", file.display()));
            }
        }
        if let Some(file) = &config.outbound.ca_file {
            arguments.push(format!("--ca-file={}", file.display()));
        }
        Some(Embedded::new(broker.program.clone(), arguments))
    }
}
