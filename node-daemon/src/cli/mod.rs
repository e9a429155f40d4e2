//! The command line: one verb a file. The help texts are complete enough to work without a manual.
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::state::StateFolder;

pub mod doctor;
pub mod image;
pub mod join;
pub mod leave;
pub mod log;
pub mod pause;
pub mod run;
pub mod status;

/// Lends this machine to a Roost workspace: hardened sandboxes for its agents, under your rules.
#[derive(Debug, Parser)]
#[command(
    name = "roostd",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "\
A machine's life:
  roostd join --url https://roost.example     join with the code from the fleet page
  roostd run                                  connect and work (or install a service: join --install-service)
  roostd status --watch                       show sandboxes, commands and resources, live
  roostd pause                                accept no new sandboxes; needs no gateway
  roostd leave                                remove everything that roostd made here

Your policy is in owner.toml in the state folder. `roostd log` shows every operation.
The gateway can request sandboxes and commands inside them, and nothing else."
)]
pub struct Cli {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub verb: Verb,
}

/// The end of an id, which people tell it by. The gateway's pages and lists show the same.
fn short(id: &str) -> &str {
    let from = id.len().saturating_sub(8);
    id.get(from..).unwrap_or(id)
}

/// Where the state folder is.
#[derive(Clone, Debug, Args)]
pub struct Place {
    /// State folder [default: /var/lib/roostd for root, else $XDG_STATE_HOME/roostd]
    #[arg(long, global = true, env = "ROOSTD_STATE_DIR", value_name = "FOLDER")]
    pub state_dir: Option<PathBuf>,
}

impl Place {
    /// The state folder to use.
    pub fn state(&self) -> StateFolder {
        let root = rustix::process::geteuid().is_root();
        StateFolder::find(self.state_dir.clone(), root, |name| {
            std::env::var_os(name).map(PathBuf::from)
        })
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    Join(join::Join),
    Run(run::Run),
    Status(status::Show),
    Pause(pause::Pause),
    Resume(pause::Resume),
    Doctor(doctor::Doctor),
    Image(image::Image),
    Leave(leave::Leave),
    Log(log::Log),
}

/// Runs the verb. Errors are printed here, once.
pub fn main(cli: Cli) -> ExitCode {
    if matches!(cli.verb, Verb::Status(_) | Verb::Doctor(_) | Verb::Log(_)) {
        // `roostd log | head` must end quietly. Verbs that change this machine must finish even when the reader is
        // gone.
        sigpipe::reset();
    }
    let state = cli.place.state();
    let outcome = match cli.verb {
        Verb::Join(verb) => verb.act(&state),
        Verb::Run(verb) => verb.act(&state),
        Verb::Status(verb) => verb.act(&state),
        Verb::Pause(verb) => verb.act(&state),
        Verb::Resume(verb) => verb.act(&state),
        Verb::Doctor(verb) => verb.act(&state),
        Verb::Image(verb) => verb.act(&state),
        Verb::Leave(verb) => verb.act(&state),
        Verb::Log(verb) => verb.act(&state),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let error = roost_protocol::text::visible_lines(&format!("{error:#}"));
            eprintln!("roostd: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A small runtime for verbs that make network requests.
///
/// # Errors
/// When the system has no threads or descriptors left.
pub fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
