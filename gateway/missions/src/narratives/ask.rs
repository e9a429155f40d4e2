//! Asks the model for the narrative of one card.

use std::time::Duration;

use chrono::TimeDelta;
use sea_orm::DbErr;

use super::{NarrativesContext, prompt};
use crate::artifacts::{self, ArtifactKind};
use crate::cards::{self, Card, CardRow};
use crate::levelups;
use crate::missions::{self, phase_kind};
use roost_execution::models::{ModelsError, Resolved, ceilings};
use roost_execution::providers::{Message, ModelError, Purpose, Request, Usage};
use roost_execution::runs;
use roost_tenancy::auth::WorkspaceScope;

/// The time for an answer.
const DEADLINE: Duration = Duration::from_secs(90);
/// The maximum number of tokens of an answer.
const ANSWER_TOKENS: u32 = 2_000;

/// A narrative, and who wrote it.
pub(super) struct Written {
    pub(super) card: Card,
    pub(super) model: String,
    pub(super) cost_microusd: i64,
}

/// Why there is no narrative of a model.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    #[error("the card cannot be read")]
    Unreadable(#[source] serde_json::Error),
    #[error("the mission or the phase was deleted meanwhile")]
    Gone,
    #[error("the model {name} is not set up in this workspace; add it, or change summarizer_model")]
    NotBound { name: String },
    #[error("the model cannot be used: {0}")]
    Models(ModelsError),
    #[error("the model did not answer: {0}")]
    Model(ModelError),
    #[error("the model gave no answer within {} seconds", DEADLINE.as_secs())]
    TooSlow,
    #[error("the answer of the model has no words")]
    Empty,
    #[error("the workspace's monthly ceiling for models is reached")]
    OverCeiling,
    #[error(transparent)]
    Db(#[from] DbErr),
}

impl AskError {
    /// Whether a later question may have another end.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Models(_) | Self::Model(_) | Self::TooSlow | Self::Empty | Self::Db(_)
        )
    }
}

/// Asks.
///
/// # Errors
/// [`AskError`].
pub(super) async fn ask(
    state: &NarrativesContext,
    row: &CardRow,
    wanted: &str,
) -> Result<Written, AskError> {
    let (db, scope) = (state.db().read(), WorkspaceScope::of_row(row.workspace_id));
    let mut card: Card = serde_json::from_str(&row.card).map_err(AskError::Unreadable)?;
    let mission = missions::find(db, scope, row.mission_id).await?;
    let mission = mission.ok_or(AskError::Gone)?;
    let kind = phase_kind(db, scope, row.mission_id, row.phase_id).await?;
    let kind = kind.ok_or(AskError::Gone)?;
    let model = match state.models.resolve(scope, Some(wanted)).await {
        Ok(model) => model,
        Err(ModelsError::NotBound { name }) => return Err(AskError::NotBound { name }),
        Err(other) => return Err(AskError::Models(other)),
    };
    let texts = artifacts::texts(
        db,
        scope,
        (row.phase_id, row.attempt),
        ArtifactKind::Markdown,
    );
    let texts = texts.await?;
    let request = Request {
        model: model.provider_name.clone(),
        system: prompt::SYSTEM.to_owned(),
        messages: vec![Message::User(prompt::question(&prompt::Asked {
            title: &mission.title,
            goal: &mission.goal,
            phase: kind.noun(),
            attempt: row.attempt,
            card: &card,
            texts: &texts,
        }))],
        tools: Vec::new(),
        max_tokens: ANSWER_TOKENS.min(model.window / 4).max(1),
        slot: None,
        purpose: Purpose::Narrative,
        step: format!("narrative {}", row.phase_id),
    };
    within_ceiling(state, scope, &model, &request).await?;
    let mut heard = |_| {};
    let answer = tokio::time::timeout(DEADLINE, model.model.turn(&request, &mut heard));
    let reply = answer
        .await
        .map_err(|_| AskError::TooSlow)?
        .map_err(AskError::Model)?;
    card.narrative = prompt::narrative(&reply.text).ok_or(AskError::Empty)?;
    let cost = reply.cost_microusd.unwrap_or(0);
    Ok(Written {
        card,
        model: model.name,
        cost_microusd: i64::try_from(cost).unwrap_or(i64::MAX),
    })
}

/// The workspace's monthly ceiling counts runs, level-up proposals and narratives, with the most that this answer may cost.
async fn within_ceiling(
    state: &NarrativesContext,
    scope: WorkspaceScope,
    model: &Resolved,
    request: &Request,
) -> Result<(), AskError> {
    let db = state.db().read();
    let Some(month) = ceilings(db, scope).await?.month else {
        return Ok(());
    };
    let since = state.missions.clock.now() - TimeDelta::days(30);
    let spent = runs::spent_lately(db, scope).await?
        + levelups::spent_since(db, scope, since).await?
        + cards::spent_since(db, scope, since).await?;
    let next = model.price.map_or(0, |price| {
        price.of(Usage {
            input: request.bytes().div_ceil(2) as u64,
            output: u64::from(request.max_tokens),
            cached: 0,
        })
    });
    let all = u64::try_from(spent).unwrap_or(0).saturating_add(next);
    match all > month {
        true => Err(AskError::OverCeiling),
        false => Ok(()),
    }
}
