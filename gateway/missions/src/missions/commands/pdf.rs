//! Asks for a PDF of the report of a mission, or of one of its Markdown artifacts.

use crate::artifacts::{self, ArtifactKind, ArtifactStatus};
use crate::missions::pdfs::{Source, want};
use crate::missions::touch::touch;
use crate::missions::{MissionError, MissionsContext, store};
use roost_platform::ids::{MissionArtifactId, MissionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Makes a PDF pending, unless it is, or is ready and still right. Returns its artifact.
///
/// # Errors
/// [`MissionError::NotFound`], [`MissionError::NoArtifact`], [`MissionError::NotMarkdown`].
pub async fn request_pdf(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    artifact: Option<MissionArtifactId>,
) -> Result<MissionArtifactId, MissionError> {
    let mut change = Change::begin(state, scope, user).await?;
    let mission = store::locked(&change, scope, id)
        .await?
        .ok_or(MissionError::NotFound)?;
    let source = match artifact {
        None => Source::Report,
        Some(artifact) => {
            let found = artifacts::content(change.tx(), scope, id, artifact).await?;
            let found = found.ok_or(MissionError::NoArtifact)?;
            let is_text = found.kind == ArtifactKind::Markdown.as_str()
                && found.status == ArtifactStatus::Ready.as_str();
            if !is_text {
                return Err(MissionError::NotMarkdown);
            }
            Source::Artifact(artifact, found.title)
        }
    };
    let wanted = want(&mut change, state, &mission, source).await?;
    if wanted.is_new {
        let details = serde_json::json!({ "title": mission.title });
        change.record("mission.pdf_requested", ("mission", &id), details);
        touch(&mut change, mission).await?;
    }
    change.commit().await?;
    Ok(wanted.id)
}
