//! Rows of `level_up_proposals`.

/// A proposal.
pub mod proposal {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, LevelUpId, TeamId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "level_up_proposals")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: LevelUpId,
        pub workspace_id: WorkspaceId,
        /// Exactly one of agent and team is set.
        pub agent_id: Option<ClawId>,
        pub team_id: Option<TeamId>,
        /// A value of `Status`.
        pub status: String,
        /// An `Outline` as JSON: what lists show, and the agents whose texts are in the payload.
        #[sea_orm(column_type = "Text")]
        pub outline: String,
        /// A `Payload` as JSON.
        #[sea_orm(column_type = "Text")]
        pub payload: String,
        /// JSON list of item ids.
        #[sea_orm(column_type = "Text")]
        pub applied_items: String,
        /// The name of the model that made it.
        #[sea_orm(column_type = "Text")]
        pub model: String,
        /// What the model's answers cost, in millionths of a US dollar. 0 when the price is unknown.
        pub cost_microusd: i64,
        pub created_by: UserId,
        pub approved_by: Option<UserId>,
        pub created_at: DateTimeUtc,
        pub applied_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
