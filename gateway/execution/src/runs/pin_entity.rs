//! Rows of `run_graphs`: the graphs of the teams that a run tree may start, as they were when the root run was enqueued.

use sea_orm::entity::prelude::*;

use roost_platform::ids::{RunId, TeamId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "run_graphs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub root_run_id: RunId,
    /// The team, and the topology that the node wants of it: `<team>` or `<team>=single`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    pub team_id: TeamId,
    #[sea_orm(column_type = "Text")]
    pub title: String,
    pub sha256: String,
    #[sea_orm(column_type = "Text")]
    pub graph: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
