//! Rows of `sagas`.

/// Work of several steps.
pub mod saga {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::{SagaId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "sagas")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: SagaId,
        pub workspace_id: WorkspaceId,
        pub requested_by: UserId,
        pub kind: String,
        pub subject_id: Uuid,
        /// The next step.
        pub step: String,
        /// `running` or `done`.
        pub state: String,
        /// Failures of the current step.
        pub attempts: i64,
        /// The time of the next attempt, by the database's clock.
        pub due_ms: i64,
        #[sea_orm(column_type = "Text", nullable)]
        pub last_error: Option<String>,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
