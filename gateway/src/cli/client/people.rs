//! `roost workspace` and `roost token`: where one works, and what programs work with.

use std::process::ExitCode;

use anyhow::{Context, bail};
use http::Method;
use serde_json::{Value, json};

use super::show::{self, field};
use super::{Api, Profile};

/// Workspaces.
#[derive(Debug, clap::Subcommand)]
pub enum Workspace {
    /// List the workspaces that you belong to
    List,
    /// Go on in another one, by id or name
    Switch { workspace: String },
}

/// Tokens of programs.
#[derive(Debug, clap::Subcommand)]
pub enum Token {
    /// Make a token for a program, in the present workspace; it is shown once
    Create {
        /// What it is for
        label: String,
        /// When it ends [default: the longest that a session lives]
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// List your tokens
    List,
    /// Revoke a token: it is dead at once
    Revoke { id: String },
}

impl Workspace {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let page = api.get("/api/workspaces").await?;
        let items = page["items"].as_array().cloned().unwrap_or_default();
        match self {
            Self::List if api.json => show::json(&json!(items)),
            Self::List => {
                let cell = |one: &Value| {
                    ["name", "role", "plan", "id"]
                        .map(|path| field(one, path))
                        .to_vec()
                };
                let rows: Vec<_> = items.iter().map(cell).collect();
                show::table(&["NAME", "ROLE", "PLAN", "ID"], &rows);
            }
            Self::Switch { workspace } => {
                let wanted: Vec<&Value> = items
                    .iter()
                    .filter(|one| one["id"] == workspace || one["name"] == workspace)
                    .collect();
                let [one] = wanted[..] else {
                    bail!(
                        "{} of your workspaces are called so; give an id of `roost workspace list`",
                        wanted.len()
                    );
                };
                let id = one["id"].as_str().context("a workspace without an id")?;
                let body = json!({ "workspace_id": id });
                api.call(Method::PUT, "/api/auth/workspace", Some(&body))
                    .await?;
                let mut profile = Profile::load()?;
                profile.workspace = Some(id.to_owned());
                profile.save()?;
                println!("You work in {} now.", field(one, "name"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Token {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create { label, days } => {
                let mut body = json!({ "label": label });
                if let Some(days) = days {
                    body["expires_in_days"] = days.into();
                }
                let made = api.post("/api/auth/sessions", &body).await?;
                if api.json {
                    show::json(&made);
                } else {
                    // The token alone on stdout, so that a script can take it.
                    println!("{}", field(&made, "token"));
                    eprintln!(
                        "It is shown this once and ends {}.",
                        show::moment(&made, "expires_at")
                    );
                }
            }
            Self::List => {
                let page = api.get("/api/auth/sessions").await?;
                let items = page["items"].as_array().cloned().unwrap_or_default();
                let tokens: Vec<Value> = items
                    .into_iter()
                    .filter(|one| one["kind"] == "api")
                    .collect();
                if api.json {
                    show::json(&json!(tokens));
                } else {
                    let cell = |one: &Value| {
                        vec![
                            field(one, "label"),
                            show::moment(one, "last_seen_at"),
                            show::moment(one, "expires_at"),
                            field(one, "id"),
                        ]
                    };
                    let rows: Vec<_> = tokens.iter().map(cell).collect();
                    show::table(&["LABEL", "USED", "ENDS", "ID"], &rows);
                }
            }
            Self::Revoke { id } => {
                let path = format!("/api/auth/sessions/{id}");
                api.call(Method::DELETE, &path, None).await?;
                println!("Revoked.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
