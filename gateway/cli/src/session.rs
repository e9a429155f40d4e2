//! `login`, `logout`, `whoami`.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::ClientArgs;
use crate::api::types::{
    DeviceSecret, Login as Credentials, Me, NewDevice, Role, SignedIn, UserBrief, WorkspaceBrief,
};
use crate::api::{Api, Parsed, host, routes};
use crate::profile::Profile;
use crate::show::{self, Shown};

/// Sign in: by a code that is confirmed on the page, or by --one-time, --one-time-file, --email or --token-stdin.
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
    /// Read a token from stdin, as `roost token create` prints it; the gateway must know it
    #[arg(long, conflicts_with_all = ["one_time", "one_time_file", "email"])]
    token_stdin: bool,
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
        let entry = match self.credentials()? {
            _ if self.token_stdin => of_token(&self.url, ca_file.as_deref(), args).await?,
            Some(credentials) => Entry::of(api.ask(routes::login(&credentials)).await?),
            None => Entry::of(confirmed(&api).await?),
        };
        let profile = Profile {
            url: api.base().to_owned(),
            token: entry.token,
            workspace: Some(entry.workspace.id.to_string()),
            ca_file,
        };
        let path = profile.save()?;
        if args.json {
            // The session stays in the file: what is printed may end in a log.
            let raw = entry.raw;
            show::json(
                &json!({ "user": raw["user"], "workspace": raw["workspace"], "role": raw["role"] }),
            );
        } else {
            println!(
                "Signed in as {}: {} of {}. The session is in {}.",
                entry.user.email.shown(),
                entry.role.shown(),
                entry.workspace.name.shown(),
                path.display()
            );
            if entry.must_set_password {
                println!("Set a password on the page, or you will need another one-time login.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// `None`: somebody confirms a code on the page.
    fn credentials(&self) -> anyhow::Result<Option<Credentials>> {
        if let Some(code) = &self.one_time {
            return Ok(Some(one_time(code)));
        }
        if let Some(file) = &self.one_time_file {
            let code = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            return Ok(Some(one_time(&code)));
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
        Ok(Some(Credentials {
            one_time: None,
            email: Some(email.clone()),
            password: Some(password),
        }))
    }
}

fn one_time(code: &str) -> Credentials {
    Credentials {
        one_time: Some(code.trim().to_owned()),
        email: None,
        password: None,
    }
}

/// A successful sign-in.
struct Entry {
    token: String,
    user: UserBrief,
    workspace: WorkspaceBrief,
    role: Role,
    must_set_password: bool,
    /// The answer as it came.
    raw: Value,
}

impl Entry {
    fn of(answer: Parsed<SignedIn>) -> Self {
        let raw = answer.raw().clone();
        let answer = answer.into_value();
        Self {
            token: answer.token,
            user: answer.user,
            workspace: answer.workspace,
            role: answer.role,
            must_set_password: answer.must_set_password,
            raw,
        }
    }

    fn with(token: String, me: Parsed<Me>) -> Self {
        let raw = me.raw().clone();
        let me = me.into_value();
        Self {
            token,
            user: me.user,
            workspace: me.workspace,
            role: me.role,
            must_set_password: false,
            raw,
        }
    }
}

/// Who the token on stdin stands for.
async fn of_token(url: &str, ca_file: Option<&Path>, args: &ClientArgs) -> anyhow::Result<Entry> {
    let token = std::io::read_to_string(std::io::stdin().take(4096))?;
    let token = token.trim();
    ensure!(
        !token.is_empty() && token.chars().all(|c| c.is_ascii_graphic()),
        "standard input holds no token; pipe one in as `roost token create` prints it, and nothing else"
    );
    let api = Api::at(url, ca_file, args)?.with_token(token.to_owned());
    let me = api.ask(routes::me()).await?;
    Ok(Entry::with(token.to_owned(), me))
}

/// Shows a code, and waits until somebody who is signed in confirms it on the page.
async fn confirmed(api: &Api) -> anyhow::Result<Parsed<SignedIn>> {
    let device = show::clean(&format!("roost on {}", host()));
    let begun = api
        .ask(routes::begin_device(&NewDevice { device }))
        .await?
        .into_value();
    let (code, page) = (begun.code.shown(), begun.page.shown());
    eprintln!("Open {}{page}", api.base());
    eprintln!("and confirm there that the code is {code}. Waiting; Ctrl-C gives up.");
    let interval = Duration::from_secs(u64::from(begun.interval).clamp(1, 60));
    let lives = u64::try_from(begun.expires_in).unwrap_or_default();
    let end = tokio::time::Instant::now() + Duration::from_secs(lives);
    let secret = DeviceSecret {
        device_code: begun.device_code,
    };
    while tokio::time::Instant::now() < end {
        let answer = api.ask(routes::device_token(&secret)).await?;
        if let Some(signed_in) = answer.transpose() {
            return Ok(signed_in);
        }
        tokio::time::sleep(interval).await;
    }
    anyhow::bail!("nobody confirmed the code in time; run `roost login` again")
}

pub(super) async fn logout(api: &Api) -> anyhow::Result<ExitCode> {
    let ended = api.ask(routes::logout()).await;
    Profile::forget()?;
    ended?;
    println!("Signed out.");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn whoami(api: &Api) -> anyhow::Result<ExitCode> {
    let me = api.ask(routes::me()).await?;
    if api.json {
        show::json(me.raw());
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} at {}", me.user.email.shown(), api.base());
    println!("{} of {}", me.role.shown(), me.workspace.name.shown());
    if me.operator {
        println!("operator of this deployment");
    }
    Ok(ExitCode::SUCCESS)
}
