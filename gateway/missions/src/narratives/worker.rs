//! Asks the model for the narratives of the cards that are due.
//!
//! Parent: `roost/missions`. Restart: permanent. All its state is in rows.

use std::time::Duration;

use futures::future::join_all;
use sea_orm::DbErr;

use super::NarrativesContext;
use super::ask::{self, AskError, Written};
use crate::cards::{self, CardRow};
use crate::missions;
use roost_platform::kill_point;
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages, Nudge};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How often due cards are looked for.
const PERIOD: Duration = Duration::from_secs(2);
/// The questions at one time.
const AT_ONCE: u64 = 4;
/// How long a question is this gateway's. Longer than an answer may take.
const CLAIMED_MS: i64 = 3 * 60_000;
/// The time before a model is asked again, for each time that it was asked.
const AGAIN_MS: i64 = 20_000;
/// How often a model is asked for one card.
const MOST_TRIES: i32 = 3;

/// The worker. It does nothing where the operator named no model.
pub fn child(state: &NarrativesContext) -> ChildSpec<NoMessages> {
    let (state, nudge) = (state.clone(), Nudge::default());
    ChildSpec::periodic(
        "summarizer",
        ActorKind::Summarizer,
        PERIOD,
        &nudge,
        move |cx| {
            let state = state.clone();
            async move {
                match state.model().cloned() {
                    Some(model) => write_all(&state, &model, &cx).await,
                    None => Ok(()),
                }
            }
        },
    )
    .serves("narratives of summary cards")
}

async fn write_all(state: &NarrativesContext, model: &str, cx: &JobContext) -> Result<(), Failure> {
    loop {
        let now = now_ms(state);
        let due = cards::due(state.db().read(), now, AT_ONCE).await?;
        if due.is_empty() {
            return Ok(());
        }
        let all = due.iter().map(|row| write(state, row, model, cx));
        for done in join_all(all).await {
            done?;
        }
    }
}

fn now_ms(state: &NarrativesContext) -> i64 {
    state.missions.clock.now().timestamp_millis()
}

async fn write(
    state: &NarrativesContext,
    row: &CardRow,
    model: &str,
    cx: &JobContext,
) -> Result<(), DbErr> {
    let until = now_ms(state) + CLAIMED_MS;
    let tx = state.db().write().await?;
    if !cards::claim(&*tx, row, until).await? {
        return Ok(());
    }
    tx.commit().await?;
    let claimed = CardRow {
        narrative_due_ms: Some(until),
        narrative_tries: row.narrative_tries + 1,
        ..row.clone()
    };
    let answer = ask::ask(state, row, model).await;
    kill_point!(cx, "narratives.write.after_answer");
    settle(state, &claimed, answer).await
}

async fn settle(
    state: &NarrativesContext,
    claimed: &CardRow,
    answer: Result<Written, AskError>,
) -> Result<(), DbErr> {
    let now = match answer {
        Ok(written) => CardRow {
            card: serde_json::to_string(&written.card)
                .expect("a card of texts and numbers encodes"),
            model: Some(written.model),
            narrative_due_ms: None,
            narrative_error: None,
            narrative_cost_microusd: claimed
                .narrative_cost_microusd
                .saturating_add(written.cost_microusd),
            ..claimed.clone()
        },
        Err(AskError::Db(error)) => return Err(error),
        Err(AskError::Gone) => return Ok(()),
        Err(error) => {
            let again = error.may_pass() && claimed.narrative_tries < MOST_TRIES;
            let wait = AGAIN_MS * i64::from(claimed.narrative_tries);
            CardRow {
                narrative_due_ms: again.then(|| now_ms(state) + wait),
                narrative_error: Some(error.to_string()),
                ..claimed.clone()
            }
        }
    };
    let scope = WorkspaceScope::of_row(claimed.workspace_id);
    let reader = state.db().read();
    let Some(mission) = missions::find(reader, scope, claimed.mission_id).await? else {
        return Ok(());
    };
    let mut change = Change::begin(&state.missions, scope, mission.created_by).await?;
    // The phase may have begun again, and its next card replaces this one.
    if cards::settle(change.tx(), claimed, now).await? {
        missions::announce_card(&mut change, &state.missions, claimed.mission_id).await?;
        change.commit().await?;
    }
    Ok(())
}
