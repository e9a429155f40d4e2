//! A certified OpenID provider (npm `oidc-provider`, in gateway/ui) as a separate process.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::broker::BrokerProcess;
use crate::free_port;

/// The provider; it ends when dropped.
pub struct Provider {
    child: Child,
    /// Kept open: it writes messages, and would fail on a closed pipe.
    _out: BufReader<ChildStdout>,
    url: String,
}

impl Provider {
    /// Starts it for one redirect address, and waits until it listens.
    ///
    /// # Panics
    /// When Node or the package is missing: `deploy/ui.sh build` installs it.
    pub fn start(redirect: &str) -> Self {
        let port = free_port();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../gateway/ui");
        let mut child = Command::new("node")
            .args(["test/issuer/provider.mjs", &port.to_string(), redirect])
            .current_dir(folder)
            // It ends together with this pipe, so it cannot outlive a killed test.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs; deploy/setup.sh installs it");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let read = out.read_line(&mut line);
        assert!(
            read.is_ok() && line.trim() == "ready",
            "the provider did not start; `npm ci` in gateway/ui installs it"
        );
        Self {
            child,
            _out: out,
            url: format!("http://127.0.0.1:{port}"),
        }
    }

    /// Stops it.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn stop(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Its issuer name.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The configuration of a gateway that is its client, with the secret at a broker in this folder.
    pub fn settings(&self, folder: &Path) -> Vec<(&'static str, String)> {
        const CLIENT: &str = "sign-in";
        let secret = "a secret of the client & its = signs";
        BrokerProcess::keep_client_secret(folder, CLIENT, secret);
        let file = BrokerProcess::client_secret_file(folder, CLIENT);
        let socket = folder.join("data/run/broker.sock");
        vec![
            ("auth.mode", "oidc".to_owned()),
            ("auth.issuer_url", self.url.clone()),
            ("auth.client_id", "roost".to_owned()),
            ("auth.client_secret_file", file.display().to_string()),
            ("broker.socket", socket.display().to_string()),
            ("auth.display_name", "The provider".to_owned()),
            ("outbound.allow_private", "[\"127.0.0.1\"]".to_owned()),
            ("sandboxes.local", "off".to_owned()),
        ]
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
