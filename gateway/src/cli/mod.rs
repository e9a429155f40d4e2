//! The command line of `roost`: the gateway itself and its operator's tools. The client for users is `roost_cli`.

mod audit;
mod broker;
mod owner;
mod running;
mod serve;
mod setup;
mod support;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use roost_cli::{ClientArgs, ClientCommand, key_value};

use crate::config::Overrides;

/// Roost: a workspace platform for AI agents.
#[derive(Debug, Parser)]
#[command(name = "roost", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    client: ClientArgs,
    #[command(subcommand)]
    command: Command,
}

/// Where the configuration comes from.
#[derive(Debug, Clone, Args)]
pub struct ConfigArgs {
    /// The configuration file [default: roost.toml in the working directory, if it is there]
    #[arg(long, short, env = "ROOST_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Sets one key, as `--set listen=0.0.0.0:80`; may be repeated and wins over file and environment
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
}

impl ConfigArgs {
    fn overrides(&self) -> Overrides {
        Overrides {
            file: self.config.clone(),
            set: self.set.clone(),
            without_environment: false,
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the gateway
    Serve(ConfigArgs),
    /// Print the effective configuration, secrets hidden
    Config(ConfigArgs),
    /// Print the OpenAPI document
    Openapi,
    /// Save the whole database to a file, while the gateway runs
    Backup(owner::BackupArgs),
    /// Replace the database with a saved one; the gateway must be stopped
    Restore(owner::BackupArgs),
    /// Print the completions of a shell
    #[command(
        after_help = "Examples:\n  roost completions bash > ~/.local/share/bash-completion/completions/roost\n  roost completions zsh > ~/.zfunc/_roost\n  roost completions fish > ~/.config/fish/completions/roost.fish"
    )]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    Doctor(support::DoctorArgs),
    SupportBundle(support::BundleArgs),
    OneTime(owner::OneTimeArgs),
    Operator(owner::OperatorArgs),
    Audit(audit::AuditArgs),
    Broker(broker::BrokerArgs),
    #[command(flatten)]
    Client(ClientCommand),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    // One provider for the process, before anything can ask for TLS. A second install (a test) keeps the first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            // The whole chain, one cause after the other: people act on the first line.
            let error = roost_protocol::text::visible_lines(&format!("{error:#}"));
            eprintln!("roost: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    if matches!(
        cli.command,
        Command::Config(_) | Command::Openapi | Command::Completions { .. } | Command::Client(_)
    ) {
        // `roost … | head` ends quietly. What changes this host is not cut off by a reader that went away.
        sigpipe::reset();
    }
    match cli.command {
        Command::Serve(args) => serve::run(&args),
        Command::Config(args) => setup::print_config(&args),
        Command::Openapi => {
            print!("{}", crate::edge::server::router::openapi_json());
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { shell } => {
            let mut command = <Cli as clap::CommandFactory>::command();
            clap_complete::generate(shell, &mut command, "roost", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Command::Backup(args) => on_a_runtime(owner::save(args, &cli.client)),
        Command::Restore(args) => on_a_runtime(owner::restore(args)),
        Command::Doctor(args) => on_a_runtime(support::examine(args, cli.client.json)),
        Command::SupportBundle(args) => on_a_runtime(support::pack(args)),
        Command::OneTime(args) => on_a_runtime(owner::one_time(args)),
        Command::Operator(args) => on_a_runtime(owner::operator(args)),
        Command::Audit(args) => audit::run(args, &cli.client),
        Command::Broker(args) => on_a_runtime(broker::run(args, cli.client.json)),
        Command::Client(command) => command.run(&cli.client),
    }
}

fn on_a_runtime(work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
