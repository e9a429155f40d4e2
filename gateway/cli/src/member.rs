//! `roost member`: the people of a workspace, their roles, and invitations.

use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{
    Invitation, InvitationId, Member as Person, NewInvitation, NewRole, Role, UserId, WorkspaceId,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};

/// People of the workspace.
#[derive(Debug, clap::Subcommand)]
pub enum Member {
    /// List the people of the workspace
    #[command(visible_alias = "ls")]
    List,
    /// Make an invitation. Its link is shown once
    #[command(
        after_help = "Examples:\n  roost member invite --role member\n  roost member invite --role viewer --email ada@example.com --days 2"
    )]
    Invite {
        #[arg(long, value_parser = ["viewer", "member", "admin"], default_value = "member")]
        role: String,
        /// Only the person with this address can accept it
        #[arg(long)]
        email: Option<String>,
        /// When it ends
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// List the invitations that are open
    Invitations,
    /// Withdraw an invitation, by its id
    Withdraw { invitation: String },
    /// Change what a person may do
    Role {
        /// The person, by name, e-mail or id
        person: String,
        #[arg(value_parser = ["viewer", "member", "admin", "owner"])]
        role: String,
    },
    /// Remove a person from the workspace. Their work stays
    #[command(visible_alias = "rm")]
    Remove {
        /// The person, by name, e-mail or id
        person: String,
    },
}

impl Member {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let here = here(api).await?;
        match self {
            Self::List => list(api, &here).await?,
            Self::Invite { role, email, days } => {
                let new = NewInvitation {
                    role: Role::from(role),
                    email,
                    expires_in_days: days,
                };
                let made = api.ask(routes::invite(&here, &new)).await?;
                if api.json {
                    show::json(made.raw());
                } else {
                    // Without a public address the gateway says only the path.
                    let base = if made.link.starts_with('/') {
                        api.base()
                    } else {
                        ""
                    };
                    println!("{base}{}", made.link.shown());
                    eprintln!(
                        "A person who opens this link becomes {} of the workspace. It works once, and ends {}.",
                        made.role.shown(),
                        show::relative(Some(&made.expires_at))
                    );
                }
            }
            Self::Invitations => invitations(api, &here).await?,
            Self::Withdraw { invitation } => {
                let id = invitation_of(api, &here, &invitation).await?;
                api.ask(routes::withdraw_invitation(&here, &id)).await?;
                println!("The invitation is withdrawn.");
            }
            Self::Role { person, role } => {
                let id = find(api, &here, &person).await?;
                let role = NewRole {
                    role: Role::from(role),
                };
                let changed = api.ask(routes::change_role(&here, &id, &role)).await?;
                match api.json {
                    true => show::json(changed.raw()),
                    false => println!(
                        "{} is {} now.",
                        changed.user.name.shown(),
                        changed.role.shown()
                    ),
                }
            }
            Self::Remove { person } => {
                let id = find(api, &here, &person).await?;
                api.ask(routes::remove_member(&here, &id)).await?;
                println!("The person is removed.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The workspace in which the client acts.
async fn here(api: &Api) -> anyhow::Result<WorkspaceId> {
    Ok(api.ask(routes::me()).await?.workspace.id.clone())
}

async fn list(api: &Api, here: &WorkspaceId) -> anyhow::Result<()> {
    let items = everybody(api, here).await?;
    if api.json {
        show::json(&raw_list(&items));
        return Ok(());
    }
    let row = |person: &Parsed<Person>| {
        let you = if person.you { " (you)" } else { "" };
        vec![
            format!("{}{you}", person.user.name.shown()),
            person.user.email.shown(),
            person.role.shown(),
            show::relative(Some(&person.joined_at)),
            named::short(&person.user.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(&["NAME", "E-MAIL", "ROLE", "JOINED", "ID"], &rows);
    Ok(())
}

async fn everybody(api: &Api, here: &WorkspaceId) -> anyhow::Result<Vec<Parsed<Person>>> {
    api.all(|limit, cursor| routes::members(here, limit, cursor))
        .await
}

/// The member of the present workspace with this name, e-mail or id; `me` is the person who asks.
///
/// # Errors
/// When there is none, or several; and what the gateway said.
pub(super) async fn named(api: &Api, wanted: &str) -> anyhow::Result<UserId> {
    let here = here(api).await?;
    if wanted == "me" {
        let all = everybody(api, &here).await?;
        let me = all.iter().find(|member| member.you);
        return Ok(me
            .context("you are no member of this workspace")?
            .user
            .id
            .clone());
    }
    find(api, &here, wanted).await
}

async fn find(api: &Api, here: &WorkspaceId, wanted: &str) -> anyhow::Result<UserId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let items = everybody(api, here).await?;
    Ok(named::the_one(wanted, &items)?.user.id.clone())
}

async fn invitations(api: &Api, here: &WorkspaceId) -> anyhow::Result<()> {
    let items = api
        .all(|limit, cursor| routes::invitations(here, limit, cursor))
        .await?;
    if api.json {
        show::json(&raw_list(&items));
        return Ok(());
    }
    let row = |one: &Parsed<Invitation>| {
        vec![
            one.role.shown(),
            one.email.shown(),
            show::relative(Some(&one.expires_at)),
            named::short(&one.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(&["ROLE", "FOR", "ENDS", "ID"], &rows);
    Ok(())
}

/// The invitation with this id, or the only one whose id ends so.
async fn invitation_of(
    api: &Api,
    here: &WorkspaceId,
    wanted: &str,
) -> anyhow::Result<InvitationId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let items = api
        .all(|limit, cursor| routes::invitations(here, limit, cursor))
        .await?;
    let mut found = items.iter().filter(|one| one.id.shown().ends_with(wanted));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.id.clone()),
        (Some(_), Some(_)) => bail!("several invitations end with {wanted:?}; give more of the id"),
        (None, _) => {
            bail!("no open invitation ends with {wanted:?}; see `roost member invitations`")
        }
    }
}

impl Named for Person {
    type Id = UserId;

    const KIND: Kind = Kind {
        one: "person of this workspace",
        many: "people",
        list: "roost member list",
    };

    fn id(&self) -> &UserId {
        &self.user.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.user.name == name || self.user.email.eq_ignore_ascii_case(name)
    }

    fn about(&self) -> Vec<String> {
        vec![self.user.email.shown(), self.role.shown()]
    }
}
