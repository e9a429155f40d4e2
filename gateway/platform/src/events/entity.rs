//! Rows of `events` and `event_heads`.

/// One event of the log.
pub mod event {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::{ClawId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "events")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub epoch: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub seq: i64,
        pub kind: String,
        pub agent_id: Option<ClawId>,
        pub run_id: Option<Uuid>,
        pub mission_id: Option<Uuid>,
        #[sea_orm(column_type = "Text")]
        pub data: String,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The last sequence number of a workspace's log.
pub mod head {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_heads")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        pub epoch: i64,
        pub seq: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
