//! `roostd join`: makes this machine a node of a workspace.
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use secrecy::{ExposeSecret, SecretString};

use crate::channel::{connect::check_address, tls};
use crate::enrol::{self, JoinRequest};
use crate::state::{Identity, StateFolder, Token, identity, owner_file};
use crate::vitals::machine;
use crate::{doctor, unit};

/// Join a workspace with the code from its fleet page
#[derive(Debug, Args)]
#[command(after_help = "\
The code can be used once and expires after ten minutes. Without a code option, roostd asks
for it, so that it is not in your shell's history. This machine makes its own token; the
gateway stores only a hash of it. Joining again after a crash with the same code is safe.

  roostd join --url https://roost.example
  roostd join --url https://roost.example --code-file code.txt --install-service
  roostd join --url https://roost.lan --ca-file ca.pem      a private certificate authority
  roostd join --url http://127.0.0.1:7667                   plain http, only to this machine")]
pub struct Join {
    /// Address of the gateway
    #[arg(long, value_name = "URL", env = "ROOSTD_URL")]
    url: String,
    /// The join code (other users of this machine can see it while the command runs)
    #[arg(long, value_name = "CODE", group = "source")]
    code: Option<String>,
    /// Read the code from standard input
    #[arg(long, group = "source")]
    code_stdin: bool,
    /// Read the code from a file
    #[arg(long, value_name = "FILE", group = "source")]
    code_file: Option<PathBuf>,
    /// PEM file of the certificate authority of the gateway; no other authority is trusted then
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Accept an unencrypted connection to another machine: an attacker on the network can take this node over
    #[arg(long)]
    insecure_plain: bool,
    /// Install roostd as a service that starts with the machine (systemd)
    #[arg(long)]
    install_service: bool,
}

impl Join {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        let gateway = check_address(&self.url, self.insecure_plain)?;
        if !matches!(gateway.scheme(), "http" | "https") {
            bail!("--url takes the gateway's http or https address");
        }
        state.make()?;
        if let Some(identity) = Identity::load(state)? {
            if identity.gateway.trim_end_matches('/') != gateway.as_str().trim_end_matches('/') {
                bail!(
                    "this machine is node {} of {:?} at {}; run `roostd leave` before it joins another",
                    identity.node_id,
                    identity.workspace_name,
                    identity.gateway
                );
            }
            println!(
                "This machine is node {} of {:?} already.",
                identity.node_id, identity.workspace_name
            );
            return self.finish(state);
        }
        let ca = self.take_ca(state)?;
        let tls = tls::client(ca.as_deref())?;
        let code = self.code()?;
        let token = Token::load_or_make(state)?;
        let request = JoinRequest {
            code: code.expose_secret(),
            token_sha256: token.sha256(),
            install_id: identity::install_id(state)?,
            hostname: machine::hostname(),
            daemon_version: env!("CARGO_PKG_VERSION"),
        };
        let answer = super::block_on(async { Ok(enrol::join(&gateway, tls, &request).await?) })?;
        check_address(&answer.channel_url, self.insecure_plain)
            .context("the gateway sent a channel address that is not safe")?;
        let identity = Identity {
            node_id: answer.node_id,
            workspace_name: roost_protocol::text::clean(&answer.workspace_name, 256),
            gateway: gateway.to_string(),
            channel: answer.channel_url,
            insecure_plain: self.insecure_plain,
        };
        owner_file::write_template(state)?;
        identity.store(state)?;
        println!(
            "Joined {:?} as node {}.",
            identity.workspace_name, identity.node_id
        );
        self.finish(state)
    }

    fn finish(&self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        owner_file::write_template(state)?;
        println!(
            "Your policy file: {}",
            state.file(owner_file::NAME).display()
        );
        let checks = super::block_on(async { Ok(doctor::engine_checks(state).await) })?;
        doctor::print(&checks);
        println!("{}", doctor::DOCKER_GROUP);
        println!(
            "Everyone in the workspace can run commands in sandboxes here; the owner of this machine can read everything that runs on it."
        );
        if self.install_service {
            unit::install(state)?;
        } else {
            println!(
                "Next: `roostd run`, or `roostd join --url {} --install-service` to start with the machine.",
                self.url
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    fn take_ca(&self, state: &StateFolder) -> anyhow::Result<Option<PathBuf>> {
        let Some(file) = &self.ca_file else {
            return Ok(None);
        };
        // Keep a copy: the service needs it when the original file is gone.
        tls::client(Some(file))?;
        let bytes =
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        state.write(identity::CA, &bytes)?;
        Ok(Some(state.file(identity::CA)))
    }

    fn code(&self) -> anyhow::Result<SecretString> {
        let text = if let Some(code) = &self.code {
            code.clone()
        } else if let Some(file) = &self.code_file {
            read_code(file)?
        } else if self.code_stdin {
            let mut text = String::new();
            std::io::stdin().take(4096).read_to_string(&mut text)?;
            text
        } else if std::io::stdin().is_terminal() {
            rpassword::prompt_password("Join code (from the fleet page): ")?
        } else {
            bail!(
                "no code was given: use --code-file FILE or --code-stdin, or run this in a terminal"
            );
        };
        let code = text.trim();
        if code.is_empty() || code.len() > 256 || !code.bytes().all(|b| b.is_ascii_graphic()) {
            bail!("invalid join code; copy the whole code from the fleet page");
        }
        Ok(SecretString::from(code.to_owned()))
    }
}

fn read_code(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let source =
        std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    source.take(4096).read_to_string(&mut text)?;
    Ok(text)
}
