//! What follows the end of a run, in the transaction of the end. The program wires one implementation. It is one match
//! over [`Origin`], and each arm is a function of the wing that owns what the run comes from. So `runs` imports none of
//! those wings, and a new origin does not compile without its arm.

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
};

use super::entity::{record, run};
use super::model::Status;
use super::origin::{Origin, OriginWord};
use super::outcome::Outcome;
use super::{pins, store};
use roost_platform::db::WriteTx;
use roost_platform::events::{About, Stamped};
use roost_platform::ids::{MissionId, RoomId, RunId, TeamId, WorkspaceId};

/// A run that ends with the current transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub run: RunId,
    pub workspace: WorkspaceId,
    pub origin: Origin,
    pub team: Option<TeamId>,
    /// The teams that the run has pinned, when it is a root run.
    pub pinned: Vec<TeamId>,
    pub about: About,
    pub status: Status,
    pub outcome: Outcome,
}

impl End {
    /// The end of this run with this status and this outcome.
    ///
    /// # Errors
    /// When the stored origin is invalid.
    pub(super) fn of(row: &run::Model, status: Status, outcome: Outcome) -> Result<Self, DbErr> {
        Ok(Self {
            run: row.id,
            workspace: row.workspace_id,
            origin: row.comes_from()?,
            team: row.team_id,
            pinned: Vec::new(),
            about: row.about(),
            status,
            outcome,
        })
    }
}

/// Acts on the end of runs.
#[async_trait]
pub trait AfterRun: Send + Sync + 'static {
    /// Called with the runs that end together, in the transaction that ends them, and once for each run: also when it
    /// ends in the queue, by a cancellation or by the sweeper. Returns the events that the caller appends.
    ///
    /// # Errors
    /// When the database fails.
    async fn after(
        &self,
        tx: &mut WriteTx,
        ends: &[End],
    ) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr>;
}

/// The ends of these runs, with their present status.
///
/// # Errors
/// When the database fails, or a stored origin is invalid.
pub(super) async fn of_runs(db: &impl ConnectionTrait, runs: &[RunId]) -> Result<Vec<End>, DbErr> {
    use record::Column::{Id, MissionId, Origin, OriginRefs, RoomId, TeamId, WorkspaceId};
    let narrow = record::Entity::find()
        .select_only()
        .columns([
            Id,
            WorkspaceId,
            Origin,
            OriginRefs,
            TeamId,
            MissionId,
            RoomId,
        ])
        .filter(Id.is_in(runs.iter().copied()));
    let rows = store::with_state(narrow)
        .into_model::<EndedRow>()
        .all(db)
        .await?;
    let mut ends = Vec::with_capacity(rows.len());
    for row in rows {
        let mut end = row.end()?;
        // The teams of a call are pinned with its root run.
        if end.origin.word() != OriginWord::Call {
            end.pinned = pins::teams(db, end.run).await?;
        }
        ends.push(end);
    }
    Ok(ends)
}

/// The columns of a run that ended outside its actor.
#[derive(FromQueryResult)]
struct EndedRow {
    id: RunId,
    workspace_id: WorkspaceId,
    status: String,
    origin: String,
    origin_refs: Option<String>,
    team_id: Option<TeamId>,
    mission_id: Option<MissionId>,
    room_id: Option<RoomId>,
}

impl EndedRow {
    fn end(self) -> Result<End, DbErr> {
        let status = Status::parse(&self.status);
        Ok(End {
            run: self.id,
            workspace: self.workspace_id,
            origin: Origin::read(&self.origin, self.origin_refs.as_deref())?,
            team: self.team_id,
            pinned: Vec::new(),
            about: About {
                run: Some(self.id.0),
                mission: self.mission_id.map(Into::into),
                room: self.room_id.map(Into::into),
            },
            status: status.ok_or_else(|| DbErr::Type(format!("the status {:?}", self.status)))?,
            // No actor saw the end, so nothing was decided.
            outcome: Outcome::Undecided,
        })
    }
}
