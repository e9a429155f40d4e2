//! `roostd pause` and `roostd resume`: the owner's own switch, with or without a gateway, kept across restarts.
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use crate::control_socket::{
    client,
    message::{Answer, Request},
};
use crate::state::StateFolder;

/// Take no new sandbox until `resume`; what runs goes on
#[derive(Debug, Args)]
#[command(
    after_help = "Works without a gateway and without a running daemon, and stays after a restart."
)]
pub struct Pause {}

/// Take new sandboxes again
#[derive(Debug, Args)]
pub struct Resume {}

impl Pause {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        switch(state, true)?;
        println!("Paused: this machine takes no new sandbox. `roostd resume` ends that.");
        Ok(ExitCode::SUCCESS)
    }
}

impl Resume {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        switch(state, false)?;
        println!("Resumed: this machine takes sandboxes again.");
        Ok(ExitCode::SUCCESS)
    }
}

fn switch(state: &StateFolder, on: bool) -> anyhow::Result<()> {
    let request = if on { Request::Pause } else { Request::Resume };
    match client::ask(state, request)? {
        Some(Answer::Done) => Ok(()),
        Some(Answer::Failed { detail }) => bail!(detail),
        Some(_) => bail!("the running daemon answered something else; is it of another version?"),
        None => {
            state.make()?;
            Ok(state.set_paused(on)?)
        }
    }
}
