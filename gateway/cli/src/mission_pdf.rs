//! `roost mission report --pdf`: the gateway makes the PDF, and the client waits and writes the file.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::api::types::{MissionArtifact, MissionArtifactId, MissionArtifactStatus, MissionId};
use crate::api::{Api, Call, routes};
use crate::show::{self, Shown};

/// How often a pending PDF is read.
const EVERY: Duration = Duration::from_millis(500);
/// The gateway takes at most a minute for a PDF. Others may be before it.
const PATIENCE: Duration = Duration::from_secs(600);

/// Writes the report of a mission as PDF.
pub(super) async fn report(api: &Api, mission: &MissionId, file: &Path) -> anyhow::Result<()> {
    let asked = api.ask(routes::request_report_pdf(mission)).await?;
    let pdf = ready(api, mission, &asked.id).await?;
    save(api, routes::artifact_content(mission, &pdf.id), file).await?;
    let pages = pdf.pdf.as_ref().and_then(|pdf| pdf.pages);
    match pages {
        Some(1) => println!("Wrote {} (1 page).", file.display()),
        Some(pages) => println!("Wrote {} ({pages} pages).", file.display()),
        None => println!("Wrote {}.", file.display()),
    }
    Ok(())
}

/// The PDF, once it is ready.
async fn ready(
    api: &Api,
    mission: &MissionId,
    id: &MissionArtifactId,
) -> anyhow::Result<MissionArtifact> {
    let began = Instant::now();
    loop {
        let now = api.ask(routes::mission(mission)).await?.into_value();
        let mut artifacts = now.artifacts.into_iter();
        let Some(pdf) = artifacts.find(|artifact| artifact.id == *id) else {
            bail!("the PDF was removed meanwhile");
        };
        let waited = began.elapsed();
        match pdf.status {
            MissionArtifactStatus::Ready => {
                show::progress_over();
                return Ok(pdf);
            }
            MissionArtifactStatus::Failed => {
                show::progress_over();
                let why = pdf.error.as_ref().map(Shown::shown);
                bail!("there is no PDF. {}", why.unwrap_or_default());
            }
            _ if waited > PATIENCE => bail!(
                "the PDF is not ready after {} minutes; it stays requested, so try again later",
                PATIENCE.as_secs() / 60
            ),
            _ => show::progress(&format!(
                "The gateway makes the PDF ({} s).",
                waited.as_secs()
            )),
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Writes the answer of a call to a file.
pub(super) async fn save<T>(api: &Api, call: Call<T>, file: &Path) -> anyhow::Result<()> {
    let mut to = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    api.download(call, &mut to).await
}
