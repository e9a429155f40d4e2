//! The command line of `roost-broker`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::egress::HostRule;
use crate::oauth::NamedFile;

/// Stores credentials and uses them for Roost's gateway; never returns one.
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
    /// Check that the root key opens the stored records, with the options of `serve`; changes nothing
    Check(Box<Serve>),
}

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Folder for records and the audit log; only this user can read it
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: PathBuf,
    /// Socket to listen on [default: broker.sock in `run` below the data]
    #[arg(long, value_name = "FILE")]
    pub socket: Option<PathBuf>,
    /// Let the broker's group use the socket (0660 in 0750), for a gateway that runs as another user of that group
    #[arg(long)]
    pub group_socket: bool,
    /// A user (number or name) that may use the broker, such as the gateway's user; may be repeated [default: this
    /// user]
    #[arg(long, value_name = "USER")]
    pub allow: Vec<String>,
    /// A user that may also rekey, back up and restore; may be repeated [default: this user and root]
    #[arg(long, value_name = "USER")]
    pub admin: Vec<String>,
    /// File of the root key [default: the credential `roost-broker-key` of systemd, else root-key in the data]
    #[arg(long, value_name = "FILE", conflicts_with = "vault")]
    pub root_key_file: Option<PathBuf>,
    /// Address of Vault or OpenBao, whose transit engine holds the root key
    #[arg(long, value_name = "URL", requires = "vault_token_file")]
    pub vault: Option<url::Url>,
    /// Mount path of the transit engine
    #[arg(long, value_name = "PATH", default_value = "transit")]
    pub vault_mount: String,
    /// Name of the transit key
    #[arg(long, value_name = "NAME", default_value = "roost-broker")]
    pub vault_key: String,
    /// File with the token for Vault
    #[arg(long, value_name = "FILE")]
    pub vault_token_file: Option<PathBuf>,
    /// A private host, address or network that secrets may be sent to; may be repeated
    #[arg(long, value_name = "HOST")]
    pub allow_private: Vec<HostRule>,
    /// PEM file with more certificate authorities than the public ones
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// File with the secret of an OAuth client, as oauth=/etc/roost/oauth-client-secret; may be repeated
    #[arg(long, value_name = "NAME=FILE")]
    pub client_secret: Vec<NamedFile>,
    /// Largest mirror of a repository
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub mirror_mib: u64,
    /// Stop when standard input ends, because the program that started the broker has ended
    #[arg(long)]
    pub until_input_ends: bool,
}
