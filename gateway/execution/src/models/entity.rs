//! Rows of `models` and `model_settings`.

/// A model.
pub mod model {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ModelId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "models")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: ModelId,
        pub workspace_id: WorkspaceId,
        /// A value of `Provider`.
        pub provider: String,
        /// The provider's name for the model. Unique with `provider` within the workspace.
        pub model: String,
        pub base_url: String,
        /// The connection part of the record's name in the broker. The tenant part is the workspace.
        pub secret_reference: String,
        /// Whether the record holds a key or only a placeholder.
        pub has_key: bool,
        /// Millionths of a dollar for a million tokens. Both prices are set, or neither.
        pub input_price: Option<i64>,
        pub output_price: Option<i64>,
        /// The window in tokens. The default of its name applies when it is absent.
        pub context_tokens: Option<i64>,
        /// True for at most one model of a workspace.
        pub is_default: bool,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The ceilings of a workspace.
pub mod settings {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "model_settings")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        /// Millionths of a dollar. Absent means no ceiling.
        pub run_ceiling: Option<i64>,
        /// For thirty days.
        pub month_ceiling: Option<i64>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
