//! Rows of `doors`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, DoorId, RunId, UserId, WorkspaceId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "doors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: DoorId,
    pub workspace_id: WorkspaceId,
    pub agent_id: ClawId,
    /// The agent's name at the time of the request.
    pub agent_name: String,
    pub action: String,
    pub target: String,
    pub summary: String,
    /// The request's whole address by the agent's connection at that time. It is sent nowhere else.
    #[sea_orm(column_type = "Text")]
    pub address: String,
    pub params: Json,
    pub state: String,
    /// The person on whose authority the agent requests it.
    pub requested_by: UserId,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub decided_by: Option<UserId>,
    pub decided_at: Option<DateTimeUtc>,
    /// When a gateway began to perform it.
    pub begun_at: Option<DateTimeUtc>,
    pub ended_at: Option<DateTimeUtc>,
    /// The status code of the app's answer.
    pub result_status: Option<i32>,
    pub result_url: Option<String>,
    pub result_message: Option<String>,
    /// The run that requests it.
    pub run_id: Option<RunId>,
    /// The step of the run, such as `coder#1`.
    pub step: Option<String>,
    /// The index of the call in the step.
    pub call: Option<i32>,
    /// What the agent said with its request.
    #[sea_orm(column_type = "Text", nullable)]
    pub words: Option<String>,
    /// When a gateway began to send the request. A gateway that stopped before has sent nothing.
    pub sending_at: Option<DateTimeUtc>,
    /// [`OfferedBranch`](crate::checkouts::OfferedBranch) as JSON: what is sent from the run's repository.
    #[sea_orm(column_type = "Text", nullable)]
    pub branch: Option<String>,
    /// [`OfferedPackages`](crate::checkouts::OfferedPackages) as JSON: what is fetched for the run's sandbox.
    #[sea_orm(column_type = "Text", nullable)]
    pub packages: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
