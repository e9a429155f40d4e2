//! `roost repo`: code hosts and their repositories.

use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::api::types::{
    NewRepoConnection, Repo as Found, RepoConnection, RepoConnectionId, RepoProvider, RepoSyncState,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::run_repo;
use crate::show::{self, Shown};

/// Repositories of code hosts.
#[derive(Debug, clap::Subcommand)]
pub enum Repo {
    /// List the repositories of the connected code hosts
    List {
        /// Only those whose name has this text
        #[arg(value_name = "TEXT")]
        search: Option<String>,
    },
    /// List the branches of a repository, as its host has them now
    Branches {
        /// The name or the id of the repository
        #[arg(value_name = "REPOSITORY")]
        repo: String,
        /// Only those whose name has this text
        #[arg(value_name = "TEXT")]
        search: Option<String>,
    },
    /// List the connected code hosts
    Hosts,
    /// Read the list of a code host again, for repositories that are new there
    Sync {
        /// The name or the id of the host
        #[arg(value_name = "HOST")]
        host: String,
    },
    /// Connect a code host, and list its repositories. The token is read from stdin
    #[command(
        after_help = "The token may read repositories; to push branches and to open pull requests it may also write them.\n\nExamples:\n  roost repo connect github --owner acme <token.txt\n  roost repo connect forgejo --url https://git.example.com <token.txt"
    )]
    Connect {
        /// github, github_enterprise, forgejo (also Gitea) or gitlab
        #[arg(value_name = "KIND", value_parser = ["github", "github_enterprise", "forgejo", "gitlab"])]
        kind: String,
        /// The address of the host; github.com and gitlab.com need none
        #[arg(long, value_name = "ADDRESS")]
        url: Option<String>,
        /// Only the repositories of this organisation, group or person
        #[arg(long, value_name = "OWNER")]
        owner: Option<String>,
        /// A name for people
        #[arg(long, value_name = "NAME")]
        label: Option<String>,
    },
}

impl Repo {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { search } => {
                let found = api.ask(routes::repos(search.as_deref())).await?;
                if api.json {
                    show::json(found.raw());
                } else {
                    let row = |repo: &Found| {
                        vec![
                            repo.full_name.shown(),
                            repo.default_branch.shown(),
                            named::short(&repo.id),
                        ]
                    };
                    let rows: Vec<_> = found.iter().map(row).collect();
                    show::table(&["NAME", "DEFAULT BRANCH", "ID"], &rows);
                }
            }
            Self::Branches { repo, search } => {
                let id = run_repo::repo_id(api, &repo).await?;
                let found = api.ask(routes::branches(&id, search.as_deref())).await?;
                if api.json {
                    show::json(found.raw());
                } else {
                    for name in &found.names {
                        println!("{}", name.shown());
                    }
                    if found.more {
                        eprintln!(
                            "The host has more. Name a part of the branch to find the others."
                        );
                    }
                    if found.names.is_empty() {
                        eprintln!("No branch was found.");
                    }
                }
            }
            Self::Hosts => {
                let hosts = api.all(routes::connections).await?;
                match api.json {
                    true => show::json(&raw_list(&hosts)),
                    false => {
                        let rows: Vec<_> = hosts.iter().map(|host| row(host)).collect();
                        let head = ["NAME", "KIND", "ADDRESS", "REPOSITORIES", "STATE"];
                        show::table(&head, &rows);
                    }
                }
            }
            Self::Sync { host } => {
                let id = named::find(api, &host, routes::connections).await?;
                api.ask(routes::sync_code_host(&id)).await?;
                let host = listed(api, &id).await?;
                print(api, &host, "Read the list of");
            }
            Self::Connect {
                kind,
                url,
                owner,
                label,
            } => {
                let mut token = String::new();
                std::io::stdin()
                    .read_to_string(&mut token)
                    .context("cannot read the token from stdin")?;
                let new = NewRepoConnection {
                    provider: RepoProvider::from(kind),
                    base_url: url,
                    owner,
                    label,
                    token: token.trim().to_owned(),
                };
                let made = api.ask(routes::connect_code_host(&new)).await?;
                let host = listed(api, &made.id).await?;
                print(api, &host, "Connected");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(api: &Api, host: &Parsed<RepoConnection>, done: &str) {
    match api.json {
        true => show::json(host.raw()),
        false => println!(
            "{done} {} with {} repositories.",
            host.label.shown(),
            host.repos
        ),
    }
}

impl Named for RepoConnection {
    type Id = RepoConnectionId;

    const KIND: Kind = Kind {
        one: "code host",
        many: "code hosts",
        list: "roost repo hosts",
    };

    fn id(&self) -> &RepoConnectionId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.label == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.provider.shown(), self.base_url.shown()]
    }
}

fn row(host: &RepoConnection) -> Vec<String> {
    let state = match &host.last_sync_error {
        Some(error) => error.shown(),
        None => host.last_synced_at.shown(),
    };
    vec![
        host.label.shown(),
        host.provider.shown(),
        host.base_url.shown(),
        host.repos.to_string(),
        state,
    ]
}

/// Waits until the list of a host was read.
async fn listed(api: &Api, id: &RepoConnectionId) -> anyhow::Result<Parsed<RepoConnection>> {
    loop {
        let hosts = api.all(routes::connections).await?;
        let host = hosts.into_iter().find(|host| host.id == *id);
        let host = host.context("the connection was removed meanwhile")?;
        if host.sync == RepoSyncState::Idle {
            if let Some(error) = &host.last_sync_error {
                bail!(
                    "the host is connected, and its list could not be read: {}",
                    show::clean(error)
                );
            }
            return Ok(host);
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}
