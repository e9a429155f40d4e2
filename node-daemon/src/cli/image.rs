//! `roostd image`: puts the agent image on this machine.
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use roost_sandbox_driver::{Driver, EngineConfig, ImageState};

use crate::state::StateFolder;

/// Import, build, pull or check the agent image
#[derive(Debug, Args)]
#[command(after_help = "\
  roostd image status                     show whether it is here and usable
  roostd image import roost-agent.tar     from a file that `docker save` wrote
  roostd image build deploy/agent-image   from a folder with a Dockerfile or a build.sh
  roostd image pull REGISTRY/NAME:TAG     from a registry, by the engine")]
pub struct Image {
    #[command(subcommand)]
    verb: ImageVerb,
}

#[derive(Debug, Subcommand)]
enum ImageVerb {
    /// Load a tar file that `docker save` wrote
    Import {
        /// The tar file
        file: PathBuf,
    },
    /// Build from a folder with a build.sh or a Dockerfile
    Build {
        /// The folder, for example deploy/agent-image of the project
        folder: PathBuf,
        /// Name for the image [default: the one that the gateway wants]
        #[arg(long)]
        tag: Option<String>,
    },
    /// Let the engine pull an image
    Pull {
        /// Reference as `[registry/]name[:tag]`
        reference: String,
    },
    /// Show whether the image is here and can be a sandbox
    Status {
        /// Reference to look for [default: the one that the gateway wants]
        reference: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

impl Image {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        match self.verb {
            ImageVerb::Import { file } => super::block_on(async {
                let driver = Driver::connect(EngineConfig::default()).await?;
                for line in driver.import_image(&file).await? {
                    println!("{}", roost_protocol::text::visible(line.trim(), 1024));
                }
                Ok(ExitCode::SUCCESS)
            }),
            ImageVerb::Build { folder, tag } => {
                build(&folder, &tag.unwrap_or_else(|| state.agent_image()))
            }
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
                let reference = reference.unwrap_or_else(|| state.agent_image());
                super::block_on(async { status(&reference, json).await })
            }
        }
    }
}

/// Runs the project's build script or the engine's build. Both print their own progress.
fn build(folder: &std::path::Path, tag: &str) -> anyhow::Result<ExitCode> {
    roost_protocol::text::image_reference(tag)?;
    let script = folder.join("build.sh");
    if tag.contains('@') {
        bail!(
            "the gateway wants {tag}, a reference by digest that a build cannot produce; use `roostd image pull {tag}` or `roostd image import`"
        );
    }
    let mut command = if script.is_file() {
        let mut command = Command::new(script);
        command.args(["--tag", tag]);
        command
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
    let status = command.status().context("cannot start the build")?;
    if !status.success() {
        bail!("the build failed ({status}); its output is above");
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
