//! `login`, `logout`, `whoami`.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use http::Method;
use serde_json::json;

use super::show::{self, field};
use super::{Api, ClientArgs, Profile};

/// Sign in.
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
        let answer = api.post("/api/auth/login", &self.credentials()?).await?;
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

    fn credentials(&self) -> anyhow::Result<serde_json::Value> {
        if let Some(code) = &self.one_time {
            return Ok(json!({ "one_time": code.trim() }));
        }
        if let Some(file) = &self.one_time_file {
            let code = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            return Ok(json!({ "one_time": code.trim() }));
        }
        let email = self
            .email
            .as_ref()
            .context("give --one-time, --one-time-file or --email")?;
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
        Ok(json!({ "email": email, "password": password }))
    }
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
