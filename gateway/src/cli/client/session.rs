//! `login`, `logout`, `whoami`.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use http::Method;
use serde_json::json;

use super::show::{self, field};
use super::{Api, ClientArgs, Profile};

/// Sign in: by a code that is confirmed on the page, or by --one-time, --one-time-file or --email.
#[derive(Debug, clap::Args)]
pub struct Login {
    /// Address of the gateway
    #[arg(long, value_name = "ADDRESS")]
    url: String,
    /// The one-time login that the gateway printed at its first start
    #[arg(long, value_name = "CODE", conflicts_with_all = ["one_time_file", "email"])]
    one_time: Option<String>,
    /// A file that holds the one-time login
    #[arg(long, value_name = "FILE", conflicts_with = "email")]
    one_time_file: Option<PathBuf>,
    /// E-mail; the password is asked for on the terminal, or read from stdin with --password-stdin
    #[arg(long)]
    email: Option<String>,
    /// Read the password from stdin
    #[arg(long, requires = "email")]
    password_stdin: bool,
    /// PEM file of the authority that signed the gateway's certificate; then no other authority is trusted
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

impl Login {
    pub(super) async fn run(self, args: &ClientArgs) -> anyhow::Result<ExitCode> {
        let ca_file = self
            .ca_file
            .as_deref()
            .map(std::path::absolute)
            .transpose()?;
        let api = Api::at(&self.url, ca_file.as_deref(), args)?;
        let answer = match self.credentials()? {
            Some(credentials) => api.post("/api/auth/login", &credentials).await?,
            None => confirmed(&api).await?,
        };
        let profile = Profile {
            url: api.base().to_owned(),
            token: answer["token"]
                .as_str()
                .context("the gateway's answer holds no session")?
                .to_owned(),
            workspace: answer["workspace"]["id"].as_str().map(str::to_owned),
            ca_file,
        };
        let path = profile.save()?;
        if args.json {
            // The session stays in the file: what is printed may end in a log.
            show::json(
                &json!({ "user": answer["user"], "workspace": answer["workspace"], "role": answer["role"] }),
            );
        } else {
            let (email, workspace, role) = (
                field(&answer, "user.email"),
                field(&answer, "workspace.name"),
                field(&answer, "role"),
            );
            println!(
                "Signed in as {email}: {role} of {workspace}. The session is in {}.",
                path.display()
            );
            if answer["must_set_password"] == json!(true) {
                println!("Set a password on the page, or you will need another one-time login.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// `None`: somebody confirms a code on the page.
    fn credentials(&self) -> anyhow::Result<Option<serde_json::Value>> {
        if let Some(code) = &self.one_time {
            return Ok(Some(json!({ "one_time": code.trim() })));
        }
        if let Some(file) = &self.one_time_file {
            let code = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            return Ok(Some(json!({ "one_time": code.trim() })));
        }
        let Some(email) = &self.email else {
            return Ok(None);
        };
        let password = if self.password_stdin {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text.trim_end_matches(['\n', '\r']).to_owned()
        } else {
            ensure!(
                std::io::stdin().is_terminal(),
                "there is no terminal to ask for the password on; use --password-stdin"
            );
            rpassword::prompt_password("Password: ")?
        };
        Ok(Some(json!({ "email": email, "password": password })))
    }
}

/// Shows a code, and waits until somebody who is signed in confirms it on the page.
async fn confirmed(api: &Api) -> anyhow::Result<serde_json::Value> {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    let device = show::clean(&format!("roost on {host}"));
    let begun = api
        .post("/api/auth/device", &json!({ "device": device }))
        .await?;
    let (code, page) = (field(&begun, "code"), field(&begun, "page"));
    eprintln!("Open {}{page}", api.base());
    eprintln!("and confirm there that the code is {code}. Waiting; Ctrl-C gives up.");
    let number = |name: &str, otherwise: u64| begun[name].as_u64().unwrap_or(otherwise);
    let interval = Duration::from_secs(number("interval", 2).clamp(1, 60));
    let end = tokio::time::Instant::now() + Duration::from_secs(number("expires_in", 600));
    let secret = json!({ "device_code": begun["device_code"] });
    while tokio::time::Instant::now() < end {
        let answer = api.post("/api/auth/device/token", &secret).await?;
        if !answer.is_null() {
            return Ok(answer);
        }
        tokio::time::sleep(interval).await;
    }
    anyhow::bail!("nobody confirmed the code in time; run `roost login` again")
}

pub(super) async fn logout(api: &Api) -> anyhow::Result<ExitCode> {
    let ended = api.call(Method::POST, "/api/auth/logout", None).await;
    Profile::forget()?;
    ended?;
    println!("Signed out.");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn whoami(api: &Api) -> anyhow::Result<ExitCode> {
    let me = api.get("/api/auth/me").await?;
    if api.json {
        show::json(&me);
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} at {}", field(&me, "user.email"), api.base());
    println!("{} of {}", field(&me, "role"), field(&me, "workspace.name"));
    if me["operator"] == json!(true) {
        println!("operator of this deployment");
    }
    Ok(ExitCode::SUCCESS)
}
