//! All SQL of the missions about which the people who made them get notices.

use chrono::{DateTime, Utc};
use sea_orm::prelude::*;
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect};

use super::entity::{mission, phase};
use super::model::{Reason, Status};
use roost_platform::ids::{MissionId, UserId, WorkspaceId};

/// A mission that is complete, or that is paused and waits for a person.
#[derive(Debug, Clone, FromQueryResult)]
pub struct NotableMission {
    pub id: MissionId,
    pub workspace_id: WorkspaceId,
    pub created_by: UserId,
    pub title: String,
    /// A value of `Status`.
    pub status: String,
    /// Why it is paused, for people.
    pub status_detail: Option<String>,
    pub launched_at: Option<DateTime<Utc>>,
    /// The newest change, such as the end or the pause.
    pub updated_at: DateTime<Utc>,
}

/// The missions of these people, in all their workspaces, that completed since a time, or that something else than a person
/// paused; the newest first. Only a person fails a mission.
///
/// # Errors
/// When the database fails.
pub async fn notable_since(
    db: &impl ConnectionTrait,
    people: &[UserId],
    since: DateTime<Utc>,
    most: u64,
) -> Result<Vec<NotableMission>, DbErr> {
    use mission::Column as C;
    let waits = Condition::all()
        .add(C::Status.eq(Status::Paused.as_str()))
        .add(C::StatusReason.ne(Reason::Person.as_str()));
    mission::Entity::find()
        .filter(C::CreatedBy.is_in(people.iter().copied()))
        .filter(C::UpdatedAt.gt(since))
        .filter(
            Condition::any()
                .add(C::Status.eq(Status::Completed.as_str()))
                .add(waits),
        )
        .order_by_desc(C::UpdatedAt)
        .limit(most)
        .into_model()
        .all(db)
        .await
}

/// How often the phases of these missions have begun.
///
/// # Errors
/// When the database fails.
pub async fn attempts(
    db: &impl ConnectionTrait,
    missions: &[MissionId],
) -> Result<Vec<(MissionId, i32)>, DbErr> {
    use phase::Column as C;
    phase::Entity::find()
        .select_only()
        .columns([C::MissionId, C::Attempt])
        .filter(C::MissionId.is_in(missions.iter().copied()))
        .into_tuple()
        .all(db)
        .await
}
