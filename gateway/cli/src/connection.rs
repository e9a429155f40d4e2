//! `roost connection`: the apps that agents are connected to.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{AppConnection as App, AppConnectionId, NewConnection, OAuthStart};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::claws;
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};

/// Apps that agents are connected to. Code hosts are below `roost repo`.
#[derive(Debug, clap::Subcommand)]
pub enum Connection {
    /// List the connections of the workspace, or of one agent
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this agent
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
    /// Show which connections are possible on this gateway
    Options,
    /// Connect an agent to an app with a token of the app. The token is read from stdin
    #[command(
        after_help = "The token goes to the secret broker and is never shown again.\n\nExamples:\n  roost connection add Ada slack <token.txt\n  roost connection add Ada webhook --url https://hooks.example.com/x <secret.txt"
    )]
    Add {
        /// The agent, by name or id
        agent: String,
        /// The app, such as slack
        provider: String,
        /// The address of a webhook
        #[arg(long)]
        url: Option<String>,
    },
    /// Connect an agent to an app by signing in there. Prints the address to open in a browser
    #[command(
        after_help = "Examples:\n  roost connection sign-in Ada calendar\n  roost connection sign-in Ada notes --issuer https://mcp.example.com"
    )]
    SignIn {
        /// The agent, by name or id
        agent: String,
        /// The app
        provider: String,
        /// The issuer of an MCP server, in place of the one that the deployment has
        #[arg(long, value_name = "URL")]
        issuer: Option<String>,
    },
    /// Remove a connection with its token
    #[command(visible_alias = "rm")]
    Remove {
        /// Its id, the end of its id, or the name of the app when only one connection is to it
        connection: String,
    },
}

impl Connection {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { agent } => list(api, agent.as_deref()).await?,
            Self::Options => options(api).await?,
            Self::Add {
                agent,
                provider,
                url,
            } => add(api, &agent, provider, url).await?,
            Self::SignIn {
                agent,
                provider,
                issuer,
            } => sign_in(api, &agent, provider, issuer).await?,
            Self::Remove { connection } => {
                let list =
                    |limit, cursor: Option<&str>| routes::app_connections(None, limit, cursor);
                let id: AppConnectionId = named::find::<App>(api, &connection, list).await?;
                api.ask(routes::disconnect_app(&id)).await?;
                println!("The connection and its token are removed.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(api: &Api, agent: Option<&str>) -> anyhow::Result<()> {
    let agent = match agent {
        Some(name) => Some(claws::find(api, name).await?),
        None => None,
    };
    let items = api
        .all(|limit, cursor| routes::app_connections(agent.as_ref(), limit, cursor))
        .await?;
    if api.json {
        show::json(&raw_list(&items));
        return Ok(());
    }
    let agents = claws::names(api).await?;
    let row = |one: &Parsed<App>| {
        let agent = one.agent_id.as_ref();
        vec![
            one.provider.shown(),
            agent
                .map(|id| {
                    agents
                        .get(&id.shown())
                        .cloned()
                        .unwrap_or_else(|| id.shown())
                })
                .shown(),
            one.auth_type.shown(),
            state(one),
            show::relative(Some(&one.connected_at)),
            show::relative(one.expires_at.as_ref()),
            named::short(&one.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(
        &["APP", "AGENT", "BY", "STATE", "CONNECTED", "ENDS", "ID"],
        &rows,
    );
    Ok(())
}

/// What the state means for a person.
fn state(one: &App) -> String {
    match one.state.shown().as_str() {
        "needs_reauth" => "sign in again".to_owned(),
        "missing" => "token is gone".to_owned(),
        other => other.to_owned(),
    }
}

async fn options(api: &Api) -> anyhow::Result<()> {
    let options = api.ask(routes::app_options()).await?;
    if api.json {
        show::json(options.raw());
        return Ok(());
    }
    println!(
        "With a token: {}",
        show::clean(
            &[&options.providers[..], &["webhook".to_owned()]]
                .concat()
                .join(", ")
        )
    );
    let possible = |yes: bool| if yes { "possible" } else { "not possible here" };
    println!(
        "By signing in at the deployment's issuer: {}",
        possible(options.oauth)
    );
    println!(
        "By signing in at the issuer of an MCP server: {}",
        possible(options.mcp_oauth)
    );
    for missing in &options.missing {
        println!("  missing: {}", missing.shown());
    }
    Ok(())
}

async fn add(api: &Api, agent: &str, provider: String, url: Option<String>) -> anyhow::Result<()> {
    let agent = claws::find(api, agent).await?;
    let mut secret = String::new();
    std::io::stdin()
        .read_to_string(&mut secret)
        .context("cannot read the token from stdin")?;
    let secret = secret.trim();
    if secret.is_empty() {
        bail!("there was no token on stdin; for example: roost connection add … <token.txt");
    }
    let new = NewConnection {
        claw_id: agent,
        provider,
        secret: secret.to_owned(),
        url,
    };
    let made = api.ask(routes::connect_app(&new)).await?;
    match api.json {
        true => show::json(made.raw()),
        false => println!("Connected to {} ({}).", made.provider.shown(), state(&made)),
    }
    Ok(())
}

async fn sign_in(
    api: &Api,
    agent: &str,
    provider: String,
    issuer: Option<String>,
) -> anyhow::Result<()> {
    let start = OAuthStart {
        claw_id: claws::find(api, agent).await?,
        provider,
        auth_type: issuer.is_some().then(|| "mcp_oauth".to_owned()),
        issuer_url: issuer,
    };
    let started = api.ask(routes::start_oauth(&start)).await?;
    match api.json {
        true => show::json(started.raw()),
        false => println!(
            "Open this address in a browser within ten minutes:\n  {}",
            started.authorize_url.shown()
        ),
    }
    Ok(())
}

impl Named for App {
    type Id = AppConnectionId;

    const KIND: Kind = Kind {
        one: "connection",
        many: "connections",
        list: "roost connection list",
    };

    fn id(&self) -> &AppConnectionId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.provider == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.agent_id.shown(), named::made(&self.connected_at)]
    }
}
