//! A certified OpenID provider (npm `oidc-provider`, in gateway/ui) as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::free_port;

/// The provider; it ends when dropped.
pub struct Provider {
    child: Child,
    /// Kept open: it writes notices, and would die of a pipe that nobody holds.
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
            // It ends when this pipe does, so it cannot outlive a test that is killed.
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

    /// What it calls itself.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The configuration of a gateway that is its client.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("auth.mode", "oidc".to_owned()),
            ("auth.issuer_url", self.url.clone()),
            ("auth.client_id", "roost".to_owned()),
            (
                "auth.client_secret",
                "a secret of the client & its = signs".to_owned(),
            ),
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
