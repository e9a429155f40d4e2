//! The command line of `roost-broker`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::egress::HostRule;

/// Keeps credentials and uses them for Roost's gateway; never gives one back.
#[derive(Debug, Parser)]
#[command(name = "roost-broker", version, about, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the broker
    Serve(Box<Serve>),
    /// Say whether the root key opens what is kept, with the options of `serve`; changes nothing
    Check(Box<Serve>),
}

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Where records and the audit log are kept; made for this user alone
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: PathBuf,
    /// Where to listen [default: broker.sock in `run` below the data]
    #[arg(long, value_name = "FILE")]
    pub socket: Option<PathBuf>,
    /// Let the broker's group reach the socket (0660 in 0750), where the gateway is another user in that group
    #[arg(long)]
    pub group_socket: bool,
    /// A user (number or name) that may use the broker: the gateway's; may be repeated [default: this user]
    #[arg(long, value_name = "USER")]
    pub allow: Vec<String>,
    /// A user that may also rekey, back up and restore; may be repeated [default: this user and root]
    #[arg(long, value_name = "USER")]
    pub admin: Vec<String>,
    /// The file of the root key [default: the credential `roost-broker-key` of systemd, else root-key in the data]
    #[arg(long, value_name = "FILE", conflicts_with = "vault")]
    pub root_key_file: Option<PathBuf>,
    /// Vault or OpenBao, whose transit engine holds the root key
    #[arg(long, value_name = "URL", requires = "vault_token_file")]
    pub vault: Option<url::Url>,
    /// Where the transit engine is mounted
    #[arg(long, value_name = "PATH", default_value = "transit")]
    pub vault_mount: String,
    /// The name of the transit key
    #[arg(long, value_name = "NAME", default_value = "roost-broker")]
    pub vault_key: String,
    /// The file of the token for Vault
    #[arg(long, value_name = "FILE")]
    pub vault_token_file: Option<PathBuf>,
    /// A host, address or network that secrets may be sent to although it is private; may be repeated
    #[arg(long, value_name = "HOST")]
    pub allow_private: Vec<HostRule>,
    /// More authorities than the public ones, as PEM
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// How large a mirror of a repository may be
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub mirror_mib: u64,
    /// End when standard input ends: whoever started this is gone
    #[arg(long)]
    pub until_input_ends: bool,
}
