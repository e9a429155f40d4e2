//! All SQL of the runs about which the people who started them get notices.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter,
    QueryOrder, QuerySelect,
};

use super::entity::{record, state};
use super::model::Status;
use super::waits::Waiting;
use crate::topology::Outcome;
use roost_platform::ids::{MissionId, RunId, UserId, WorkspaceId};

/// A run that failed or completed.
#[derive(Debug, Clone, FromQueryResult)]
pub struct EndedRun {
    pub id: RunId,
    pub workspace_id: WorkspaceId,
    pub created_by: UserId,
    pub title: String,
    /// A value of `RunStatus`.
    pub status: String,
    /// The mission whose phase the run works on.
    pub mission_id: Option<MissionId>,
    /// Why it failed.
    pub error: Option<String>,
    pub outcome: Option<String>,
    /// For people.
    pub outcome_reason: Option<String>,
    pub created_ms: i64,
    pub ended_ms: i64,
}

/// The runs of these people, in all their workspaces, that ended since a time, and failed, missed their goal, or took at least
/// `long_ms`; the newest first. A run that another run started is told with it.
///
/// # Errors
/// When the database fails.
pub async fn ended_since(
    db: &impl ConnectionTrait,
    people: &[UserId],
    since_ms: i64,
    long_ms: i64,
    most: u64,
) -> Result<Vec<EndedRun>, DbErr> {
    use record::Column as C;
    let ended = [Status::Failed.as_str(), Status::Completed.as_str()];
    let took = Expr::col(C::EndedMs).sub(Expr::col(C::CreatedMs));
    let notable = Condition::any()
        .add(state::Column::Status.eq(Status::Failed.as_str()))
        .add(C::Outcome.eq(Outcome::Rejected.as_str()))
        .add(took.gte(long_ms));
    own_of(people)
        .columns([C::Id, C::WorkspaceId, C::CreatedBy, C::Title, C::MissionId])
        .columns([
            C::Error,
            C::Outcome,
            C::OutcomeReason,
            C::CreatedMs,
            C::EndedMs,
        ])
        .column(state::Column::Status)
        .filter(state::Column::Status.is_in(ended))
        .filter(C::EndedMs.gt(since_ms))
        .filter(C::ForgottenMs.is_null())
        .filter(notable)
        .order_by_desc(C::EndedMs)
        .limit(most)
        .into_model()
        .all(db)
        .await
}

/// A run that waits for a machine.
#[derive(Debug, Clone)]
pub struct WaitingRun {
    pub id: RunId,
    pub workspace_id: WorkspaceId,
    pub created_by: UserId,
    pub title: String,
    pub waiting: Waiting,
}

/// With this begins the stored form of a [`Waiting`] for a machine.
const FOR_A_MACHINE: &str = r#"{"on":{"type":"machine","#;

/// The runs of these people, in all their workspaces, that wait for a machine now; the newest first. A run that another run
/// started is told with it.
///
/// # Errors
/// When the database fails.
pub async fn waiting_for_machines(
    db: &impl ConnectionTrait,
    people: &[UserId],
    most: u64,
) -> Result<Vec<WaitingRun>, DbErr> {
    use record::Column as C;
    let rows: Vec<(RunId, WorkspaceId, UserId, String, Option<String>)> = own_of(people)
        .columns([C::Id, C::WorkspaceId, C::CreatedBy, C::Title])
        .column(state::Column::WaitingOn)
        .filter(state::Column::Status.eq(Status::Running.as_str()))
        .filter(state::Column::WaitingOn.starts_with(FOR_A_MACHINE))
        .order_by_desc(C::Id)
        .limit(most)
        .into_tuple()
        .all(db)
        .await?;
    let waits = rows
        .into_iter()
        .filter_map(|(id, workspace_id, created_by, title, on)| {
            let waiting = Waiting::read(on.as_deref())?;
            Some(WaitingRun {
                id,
                workspace_id,
                created_by,
                title,
                waiting,
            })
        });
    Ok(waits.collect())
}

fn own_of(people: &[UserId]) -> sea_orm::Select<record::Entity> {
    let state = record::Entity::belongs_to(state::Entity)
        .from(record::Column::Id)
        .to(state::Column::RunId)
        .into();
    record::Entity::find()
        .select_only()
        .join(sea_orm::JoinType::InnerJoin, state)
        .filter(record::Column::CreatedBy.is_in(people.iter().copied()))
        .filter(record::Column::ParentRunId.is_null())
}

#[cfg(test)]
mod tests {
    use super::super::waits::WaitOn;
    use super::*;
    use roost_platform::ids::NodeId;

    #[test]
    fn stored_form_of_a_wait_for_a_machine_begins_as_the_query_expects() {
        let waiting = Waiting {
            on: WaitOn::Machine {
                machine: NodeId(uuid::Uuid::from_u128(1)),
            },
            text: "The machine den is not connected.".to_owned(),
            since_ms: 1,
        };
        let stored = serde_json::to_string(&waiting).unwrap();
        assert!(stored.starts_with(FOR_A_MACHINE), "{stored}");
    }
}
