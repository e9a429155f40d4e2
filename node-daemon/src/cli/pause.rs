//! `roostd pause` and `roostd resume`: the owner's switch. It works without a gateway and survives restarts.
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use crate::control_socket::{
    client,
    message::{Answer, Request},
};
use crate::state::StateFolder;

/// Accept no new sandboxes until `resume`; running sandboxes continue
#[derive(Debug, Args)]
#[command(
    after_help = "Works without a gateway and without a running daemon, and survives a restart."
)]
pub struct Pause {}

/// Accept new sandboxes again
#[derive(Debug, Args)]
pub struct Resume {}

impl Pause {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        switch(state, true)?;
        println!("Paused: this machine accepts no new sandboxes. `roostd resume` ends the pause.");
        Ok(ExitCode::SUCCESS)
    }
}

impl Resume {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        switch(state, false)?;
        println!("Resumed: this machine accepts new sandboxes again.");
        Ok(ExitCode::SUCCESS)
    }
}

fn switch(state: &StateFolder, on: bool) -> anyhow::Result<()> {
    let request = if on { Request::Pause } else { Request::Resume };
    match client::ask(state, request)? {
        Some(Answer::Done) => Ok(()),
        Some(Answer::Failed { detail }) => bail!(detail),
        Some(_) => bail!(
            "unexpected answer from the running daemon; check that it has the same version as this program"
        ),
        None => {
            state.make()?;
            Ok(state.set_paused(on)?)
        }
    }
}
