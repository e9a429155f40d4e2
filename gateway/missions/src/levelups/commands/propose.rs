//! Makes a proposal: reads the facts, asks the model, keeps what fits. No transaction is open while the model works.

use std::collections::BTreeSet;

use crate::levelups::ask::{self, Answered};
use crate::levelups::entity::proposal;
use crate::levelups::facts::{Facts, Subject};
use crate::levelups::model::{Basis, MOST_PENDING, Payload, Status};
use crate::levelups::{LevelUpError, LevelUpsContext, gather, store, vet};
use roost_agents::claws;
use roost_organisation::skills::model::clean_body;
use roost_organisation::teams;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{LevelUpId, UserId};
use roost_platform::kill_point;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Makes the proposal, or returns the one that an earlier request with the same id made.
///
/// # Errors
/// [`LevelUpError`].
pub async fn propose(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: LevelUpId,
    subject: Subject,
) -> Result<LevelUpId, LevelUpError> {
    let db = state.db.read();
    if store::get(db, scope, id).await?.is_some() {
        return Ok(id);
    }
    let facts = gather::gather(db, scope, subject).await?;
    // After the facts: another tenant's id gets the answer of an unknown one.
    let _asking = state
        .in_flight
        .begin(subject.id())
        .ok_or(LevelUpError::Busy)?;
    if store::pending(db, scope).await? >= MOST_PENDING {
        return Err(LevelUpError::TooManyPending);
    }
    let model = ask::model(state, scope).await?;
    let material = ask::material(&model, &facts);
    let answered = ask::ask(state, scope, id, &model, &facts, &material).await;
    let answered = match answered {
        Ok(answered) => answered,
        Err(error) => {
            note_failure(state, scope, user, &facts, &error).await?;
            return Err(error);
        }
    };
    kill_point!(state.kill_points, "levelups.propose.after_answer");
    let names = answered
        .answer
        .items
        .iter()
        .filter_map(|item| item.name.clone());
    let taken = gather::taken(db, scope, names.collect::<BTreeSet<_>>()).await?;
    let vetted = vet::vet(&answered.answer, &facts, &material, &taken);
    let payload = Payload {
        summary: clean_body(&answered.answer.summary),
        items: vetted.items,
        dropped: vetted.dropped,
        basis: Basis {
            agents: facts.agents.iter().map(|agent| agent.id).collect(),
            accepted: facts.count("accepted"),
            rejected: facts.count("rejected"),
            undecided: facts.count("undecided"),
            ..answered.basis.clone()
        },
        for_a_person: Vec::new(),
    };
    record(state, scope, user, (id, &facts, &answered), &payload).await?;
    Ok(id)
}

async fn record(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    user: UserId,
    (id, facts, answered): (LevelUpId, &Facts, &Answered),
    payload: &Payload,
) -> Result<(), LevelUpError> {
    let mut change = Change::begin(state, scope, user).await?;
    // The agent or the team may have been deleted while the model worked.
    match facts.subject {
        Subject::Agent(agent) => {
            if !claws::lock_living(change.tx(), scope, agent).await? {
                return Err(LevelUpError::NoAgent);
            }
        }
        Subject::Team(team) => {
            let there = teams::locked(&change, scope, team).await?;
            if there.is_none_or(|row| teams::is_going(&row)) {
                return Err(LevelUpError::NoTeam);
            }
        }
    }
    let stored = |error| LevelUpError::Unreadable(error);
    let cost = payload.basis.cost_microusd.unwrap_or(0);
    let row = proposal::Model {
        id,
        workspace_id: scope.workspace(),
        agent_id: facts.subject.agent(),
        team_id: facts.subject.team(),
        status: Status::Pending.as_str().to_owned(),
        outline: serde_json::to_string(&payload.outline()).map_err(stored)?,
        payload: serde_json::to_string(payload).map_err(stored)?,
        applied_items: "[]".to_owned(),
        model: answered.model.clone(),
        cost_microusd: i64::try_from(cost).unwrap_or(i64::MAX),
        created_by: user,
        approved_by: None,
        created_at: change.now(),
        applied_at: None,
    };
    store::insert(change.tx(), row).await?;
    let details = serde_json::json!({
        "name": facts.name, "agent_id": facts.subject.agent(), "team_id": facts.subject.team(),
        "model": answered.model, "items": payload.items.len(), "dropped": payload.dropped.len(),
        "cost_microusd": payload.basis.cost_microusd,
    });
    change.record("levelup.proposed", ("level_up", &id), details);
    let version = Status::Pending.version();
    change.event(Event::changed(ResourceKind::LevelUp, id, version));
    change.commit().await?;
    Ok(())
}

/// Notes in the audit log what answers cost that became no proposal.
async fn note_failure(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    user: UserId,
    facts: &Facts,
    error: &LevelUpError,
) -> Result<(), LevelUpError> {
    let LevelUpError::BadAnswer {
        model,
        faults,
        cost_microusd,
    } = error
    else {
        return Ok(());
    };
    let mut change = Change::begin(state, scope, user).await?;
    let details = serde_json::json!({
        "name": facts.name, "model": model, "faults": faults.len(), "cost_microusd": cost_microusd,
    });
    let (kind, id) = match facts.subject {
        Subject::Agent(agent) => ("claw", agent.to_string()),
        Subject::Team(team) => ("team", team.to_string()),
    };
    change.record("levelup.failed", (kind, &id), details);
    change.commit().await?;
    Ok(())
}
