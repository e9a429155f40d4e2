//! `roostd image`: bring the agent image to this machine.
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use roost_sandbox_driver::executor::AGENT_IMAGE;
use roost_sandbox_driver::{Driver, EngineConfig, ImageState};

use crate::state::StateFolder;

/// Import, build or look at the agent image
#[derive(Debug, Args)]
#[command(after_help = "\
  roostd image status                     is it here, and is it fit
  roostd image import roost-agent.tar     from a file that `docker save` wrote
  roostd image build deploy/agent-image   from a folder with a Dockerfile or a build.sh
  roostd image pull REGISTRY/NAME:TAG     from a registry, by the engine")]
pub struct Image {
    #[command(subcommand)]
    verb: ImageVerb,
}

#[derive(Debug, Subcommand)]
enum ImageVerb {
    /// Load a tar that `docker save` wrote
    Import {
        /// The tar
        file: PathBuf,
    },
    /// Build from a folder with a build.sh or a Dockerfile
    Build {
        /// The folder, e.g. deploy/agent-image of the project
        folder: PathBuf,
        /// Name of the image that a Dockerfile's build gets
        #[arg(long, default_value = AGENT_IMAGE)]
        tag: String,
    },
    /// Let the engine pull an image
    Pull {
        /// Reference as `[registry/]name[:tag]`
        reference: String,
    },
    /// Is the image here, and can it be a sandbox
    Status {
        /// Reference to look for
        #[arg(default_value = AGENT_IMAGE)]
        reference: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

impl Image {
    pub fn act(self, _state: &StateFolder) -> anyhow::Result<ExitCode> {
        match self.verb {
            ImageVerb::Import { file } => super::block_on(async {
                let driver = Driver::connect(EngineConfig::default()).await?;
                for line in driver.import_image(&file).await? {
                    println!("{}", roost_protocol::text::visible(line.trim(), 1024));
                }
                Ok(ExitCode::SUCCESS)
            }),
            ImageVerb::Build { folder, tag } => build(&folder, &tag),
            ImageVerb::Pull { reference } => super::block_on(async {
                let driver = Driver::connect(EngineConfig::default()).await?;
                driver
                    .pull_image(&reference, &mut |line: &str| {
                        println!("{}", roost_protocol::text::visible(line, 1024));
                    })
                    .await?;
                Ok(ExitCode::SUCCESS)
            }),
            ImageVerb::Status { reference, json } => {
                super::block_on(async { status(&reference, json).await })
            }
        }
    }
}

/// Building is the project's own script or the engine's own build; both print their progress themselves.
fn build(folder: &std::path::Path, tag: &str) -> anyhow::Result<ExitCode> {
    roost_protocol::text::image_reference(tag)?;
    let script = folder.join("build.sh");
    let mut command = if script.is_file() {
        Command::new(script)
    } else if folder.join("Dockerfile").is_file() {
        let mut command = Command::new("docker");
        command.args(["build", "--tag", tag, "--"]).arg(folder);
        command
    } else {
        bail!(
            "{} holds neither a build.sh nor a Dockerfile; give the project's deploy/agent-image",
            folder.display()
        );
    };
    let status = command.status().context("the build could not be started")?;
    if !status.success() {
        bail!("the build failed ({status}); its own words are above");
    }
    Ok(ExitCode::SUCCESS)
}

async fn status(reference: &str, json: bool) -> anyhow::Result<ExitCode> {
    let driver = Driver::connect(EngineConfig::default()).await?;
    let state = driver.image_state(reference, None).await?;
    let (word, detail) = match &state {
        ImageState::Ready { id, bytes } => {
            ("ready", format!("{id}, {} MiB", bytes / (1024 * 1024)))
        }
        ImageState::Missing => (
            "missing",
            "`roostd image import FILE` or `roostd image build FOLDER`".into(),
        ),
        ImageState::WrongDigest { id } => ("wrong-digest", id.clone()),
        ImageState::Unfit { reason } => ("unfit", reason.clone()),
    };
    if json {
        println!(
            "{}",
            serde_json::json!({ "reference": reference, "state": word, "detail": detail })
        );
    } else {
        println!("{reference}: {word} ({detail})");
    }
    Ok(if matches!(state, ImageState::Ready { .. }) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
