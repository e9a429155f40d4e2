//! `roost` as a client: the same API that the page uses, for terminals and scripts. `--json` prints what the API
//! answered; without it, text for people, cleaned of what a terminal would act on.

mod api;
mod audit;
mod chaos;
mod claws;
mod compare;
mod connection;
mod doors;
mod events;
mod exec;
mod files;
mod files_patch;
mod gateway_clock;
mod images;
mod journal;
mod levelups;
mod limits;
mod live;
mod member;
mod mission;
mod mission_create;
mod mission_pdf;
mod model;
mod named;
mod node;
mod owners;
mod people;
mod placement;
mod plan;
mod problem;
mod profile;
mod put;
mod reach;
mod repos;
mod routine;
mod run;
mod run_files;
mod run_list;
mod run_live;
mod run_repo;
mod sandbox;
mod sandbox_log;
mod session;
mod show;
mod skill;
mod sse;
mod take;
mod team;
mod team_show;
mod template;
mod terminal;
mod token;
mod tree;
mod upload;
mod watch;
mod when;
mod world;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use api::Api;

pub use audit::{AuditEnd, List as AuditList, audit_end};

/// What every client command takes.
#[derive(Debug, Clone, Args)]
pub struct ClientArgs {
    /// Print the API's JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// The workspace to act in, by its id or name [default: the one of the sign-in]
    #[arg(long, global = true, env = "ROOST_WORKSPACE", value_name = "WORKSPACE")]
    workspace: Option<String>,
}

/// The commands of a user.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Sign in to a gateway and remember it
    #[command(
        after_help = "Without a credential a code is shown, which somebody who is signed in confirms on the page.\n\nExamples:\n  roost login --url https://roost.example.com\n  roost login --url http://127.0.0.1:7667 --one-time-file .roost/data/first-login\n  roost login --url https://roost.example.com --email ada@example.com\n  roost login --url https://roost.example.com --token-stdin <token.txt"
    )]
    Login(session::Login),
    /// Sign out and forget the gateway
    Logout,
    /// Show who is signed in, where, and what the role allows
    Whoami,
    /// Workspaces that you belong to
    #[command(subcommand)]
    Workspace(people::Workspace),
    /// People of the workspace and invitations
    #[command(subcommand)]
    Member(member::Member),
    /// Tokens that your programs sign in with
    #[command(subcommand)]
    Token(token::Token),
    /// Agents
    #[command(subcommand, name = "agent", visible_alias = "claw")]
    Claw(claws::Claw),
    /// Machines
    #[command(subcommand)]
    Node(node::Node),
    Placement(placement::Placement),
    /// Plans of the deployment: what workspaces may use
    #[command(subcommand)]
    Plan(plan::Plan),
    /// Language models
    #[command(subcommand)]
    Model(model::Model),
    /// Skills: what agents can read to work better
    #[command(subcommand)]
    Skill(skill::Skill),
    /// Apps that agents are connected to
    #[command(subcommand)]
    Connection(connection::Connection),
    /// Sandboxes of agents and commands in them
    #[command(subcommand)]
    Sandbox(sandbox::Sandbox),
    /// Saved files of agents
    #[command(subcommand)]
    Files(files::Files),
    /// The images that sandboxes can have
    Images(images::Images),
    /// Teams of agents
    #[command(subcommand)]
    Team(team::Team),
    /// Team templates: the roles of a team and what its agents need
    #[command(subcommand)]
    Template(template::Template),
    /// Runs of teams
    #[command(subcommand)]
    Run(run::Run),
    /// Missions: phases in which teams work on a goal
    #[command(subcommand)]
    Mission(mission::Mission),
    /// Routines: work that begins by a schedule
    #[command(subcommand)]
    Routine(routine::Routine),
    /// Code hosts and their repositories
    #[command(subcommand)]
    Repo(repos::Repo),
    /// What agents ask to do outside, for a person to decide
    #[command(subcommand, name = "approval", visible_alias = "door")]
    Door(doors::Door),
    /// Improvements of agents and teams, for a person to approve
    #[command(subcommand, name = "levelup")]
    LevelUp(levelups::LevelUp),
    /// Live events of the workspace
    Events(events::Events),
    World(world::World),
    /// The supervision tree
    Tree(tree::Tree),
    /// Kill actors at named points, on a gateway that allows it
    #[command(subcommand, hide = true)]
    Chaos(chaos::Chaos),
    /// `roost audit list`: the program has the other commands of the audit log.
    #[command(skip)]
    AuditList(AuditList),
}

impl ClientCommand {
    /// Runs it to its end.
    ///
    /// # Errors
    /// What the gateway or the terminal said, as a sentence.
    pub fn run(self, args: &ClientArgs) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let code = runtime.block_on(self.go(args));
        // A read of stdin cannot be interrupted: do not wait for it.
        runtime.shutdown_background();
        code
    }

    async fn go(self, args: &ClientArgs) -> anyhow::Result<ExitCode> {
        if let Self::Login(login) = self {
            return login.run(args).await;
        }
        let mut api = Api::signed_in(args)?;
        if let Some(wanted) = &args.workspace {
            let id = people::find(&api, wanted).await?;
            api.act_in(&id);
        }
        match self {
            Self::Login(_) => Ok(ExitCode::SUCCESS),
            Self::Logout => session::logout(&api).await,
            Self::Whoami => session::whoami(&api).await,
            Self::Workspace(command) => command.run(&api).await,
            Self::Member(command) => command.run(&api).await,
            Self::Token(command) => command.run(&api).await,
            Self::Claw(command) => command.run(&api).await,
            Self::Node(command) => command.run(&api).await,
            Self::Placement(command) => command.run(&api).await,
            Self::Plan(command) => command.run(&api).await,
            Self::Model(command) => command.run(&api).await,
            Self::Skill(command) => command.run(&api).await,
            Self::Connection(command) => command.run(&api).await,
            Self::Sandbox(command) => command.run(&api).await,
            Self::Files(command) => command.run(&api).await,
            Self::Images(command) => command.run(&api).await,
            Self::Team(command) => command.run(&api).await,
            Self::Template(command) => command.run(&api).await,
            Self::Run(command) => command.run(&api).await,
            Self::Mission(command) => command.run(&api).await,
            Self::Routine(command) => command.run(&api).await,
            Self::Repo(command) => command.run(&api).await,
            Self::Door(command) => command.run(&api).await,
            Self::LevelUp(command) => command.run(&api).await,
            Self::Events(command) => command.run(&api).await,
            Self::World(command) => command.run(&api).await,
            Self::Tree(command) => command.run(&api).await,
            Self::Chaos(command) => command.run(&api).await,
            Self::AuditList(list) => list.run(&api).await,
        }
    }
}

/// Reads `KEY=VALUE`, as several options take it.
///
/// # Errors
/// When there is no `=`.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .ok_or_else(|| "must look like key=value".to_owned())
}
