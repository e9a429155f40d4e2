//! What the owner of the machine does beside the gateway, on its database: one-time logins, operator grants, backups.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use secrecy::ExposeSecret;

use super::running::compared;
use super::{ConfigArgs, setup};
use crate::config::Config;
use crate::support::doctor::WHERE_TO_LOOK;
use roost_cli::ClientArgs;
use roost_platform::clock::{SharedClock, SystemClock};
use roost_platform::db::{Access, Db, DbError, backup, file_of_sqlite};
use roost_platform::events::Hub;
use roost_platform::ids::{UserId, UuidV7};
use roost_tenancy::auth::{self, Grant, Granted, Role, Token};

/// Make a one-time login for somebody who cannot sign in
#[derive(Debug, Args)]
pub struct OneTimeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Who
    #[arg(long, required_unless_present = "owner")]
    email: Option<String>,
    /// The Owner of the deployment, whatever the Owner's e-mail is
    #[arg(long, conflicts_with = "email")]
    owner: bool,
    /// Write it to this file (mode 0600) instead of the terminal
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Who operates the deployment
#[derive(Debug, Args)]
pub struct OperatorArgs {
    #[command(subcommand)]
    command: OperatorCommand,
}

#[derive(Debug, Subcommand)]
enum OperatorCommand {
    Grant(GrantArgs),
}

/// Let somebody see the whole tree and restart actors; makes an account where the address has none
#[derive(Debug, Args)]
#[command(
    after_help = "Anybody can type any address when they accept an invitation. Where nobody vouches for an account's \
                  address, this command shows the account, and you name it with --account if you know that it is the right one."
)]
pub struct GrantArgs {
    email: String,
    /// The id of the account that you mean, as this command shows it
    #[arg(long, value_name = "ID")]
    account: Option<UserId>,
    /// What a new account is called [default: the part of the address before the at sign]
    #[arg(long)]
    name: Option<String>,
    /// The role of a new account in the deployment's own workspace: viewer, member, admin or owner
    #[arg(long, default_value = "member", value_parser = role)]
    role: Role,
    /// Write the one-time login of a new account to this file (mode 0600) instead of the terminal
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

fn role(word: &str) -> Result<Role, String> {
    let all = [Role::Viewer, Role::Member, Role::Admin, Role::Owner];
    all.into_iter()
        .find(|role| role.as_str() == word)
        .ok_or_else(|| "must be viewer, member, admin or owner".to_owned())
}

/// A file to save to or restore from
#[derive(Debug, Args)]
pub struct BackupArgs {
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) async fn one_time(args: OneTimeArgs) -> anyhow::Result<ExitCode> {
    if args.file.is_none() && !std::io::stdout().is_terminal() {
        bail!("a one-time login is shown on a terminal only; use --file to write it to a file");
    }
    let config = setup::load(&args.config)?;
    let (db, clock) = open(&config).await?;
    let user = match &args.email {
        Some(email) => {
            let email = email.trim().to_lowercase();
            let user = auth::user_by_email(db.read(), &email).await?;
            user.with_context(|| format!("there is no user {email}"))?
        }
        None => auth::deployment_owner(db.read()).await?.context(
            "this database has no Owner yet: start the gateway once, or name a person with --email",
        )?,
    };
    let minutes = config.sessions.one_time_minutes;
    let ids = UuidV7::shared(clock.clone());
    let tx = db.write().await?;
    let token = auth::issue_one_time(&tx, &clock, &ids, user.id, minutes).await?;
    tx.commit().await?;
    show_login(&user.email, &token, args.file.as_deref(), minutes)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows a one-time login: in a file that only this user reads, or on the terminal.
fn show_login(email: &str, login: &Token, file: Option<&Path>, minutes: u32) -> anyhow::Result<()> {
    match file {
        Some(file) => {
            crate::app::write_private(file, login.reveal())
                .with_context(|| format!("cannot write {}", file.display()))?;
            println!(
                "A one-time login for {email} is in {}; it works once, for {minutes} minutes.",
                file.display()
            );
        }
        None => println!("{}\nworks once, for {minutes} minutes", login.reveal()),
    }
    Ok(())
}

pub(super) async fn operator(args: OperatorArgs) -> anyhow::Result<ExitCode> {
    let OperatorCommand::Grant(args) = args.command;
    let config = setup::load(&args.config)?;
    let (db, clock) = open(&config).await?;
    let email = args.email.trim().to_lowercase();
    if !email.contains('@') {
        bail!("{email} is not an e-mail address");
    }
    let minutes = config.sessions.one_time_minutes;
    if args.file.is_none()
        && !std::io::stdout().is_terminal()
        && auth::user_by_email(db.read(), &email).await?.is_none()
    {
        bail!(
            "there is no account {email}, and a new one gets a one-time login, which is shown on a terminal only; \
             use --file to write it to a file"
        );
    }
    let ids = UuidV7::shared(clock.clone());
    let grant = Grant {
        email: email.clone(),
        account: args.account,
        name: args.name,
        role: args.role,
        one_time_minutes: minutes,
    };
    match auth::grant_operator(&db, &clock, &ids, grant).await? {
        Granted::To(user) => println!("{} operates this deployment now.", user.email),
        Granted::ToNew {
            user,
            workspace,
            login,
        } => {
            println!(
                "{} is a new account in the workspace {workspace}, and operates this deployment now.",
                user.email
            );
            show_login(&email, &login, args.file.as_deref(), minutes)?;
        }
        Granted::Unconfirmed { user, workspaces } => bail!(
            "nobody has checked that {email} belongs to this account: its person typed the address.\n\
             \x20   {}, made {}, in: {}\n\
             If you know that it is the right person: roost operator grant {email} --account {}",
            user.name,
            user.created_at.format("%Y-%m-%d %H:%M UTC"),
            workspaces.join(", "),
            user.id
        ),
        Granted::AnotherAccount => {
            bail!("the account that --account names does not have the address {email}")
        }
        Granted::NoWorkspace => bail!(
            "there is no account {email}, and the deployment's own workspace is gone: invite {email} into a workspace, \
             then run this again"
        ),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn save(args: BackupArgs, client: &ClientArgs) -> anyhow::Result<ExitCode> {
    let config = setup::load(&args.config)?;
    let db = open_for(&config, Access::Saving).await?;
    let rows = backup::save(&db, &args.file).await?;
    println!("{rows} rows are saved in {}.", args.file.display());
    let said = compared(&db, "database", client).await;
    print!("{}", roost_protocol::text::visible_lines(&said));
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn restore(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let config = setup::load(&args.config)?;
    let url = config.database_url.expose_secret();
    let rows = backup::restore(url, &args.file).await?;
    // A restore may make the database, so it says which one it was.
    let place =
        file_of_sqlite(url).map_or_else(String::new, |file| format!(" in {}", file.display()));
    println!(
        "{rows} rows are restored{place}. Clients that follow events start again from the present end."
    );
    Ok(ExitCode::SUCCESS)
}

/// The database beside the gateway, for a command.
pub(super) async fn open(config: &Config) -> anyhow::Result<(Db, SharedClock)> {
    let db = open_for(config, Access::Beside).await?;
    Ok((db, SystemClock::shared()))
}

async fn open_for(config: &Config, access: Access) -> anyhow::Result<Db> {
    let url = config.database_url.expose_secret();
    match Db::open(url, access, Hub::default()).await {
        Err(DbError::Missing(missing)) => bail!("{missing}. {WHERE_TO_LOOK}"),
        opened => Ok(opened?),
    }
}
