//! Rows of `audit_entries`, `audit_chain`, `audit_waiting` and `audit_head`.

/// One recorded action.
pub mod entry {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{AuditId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "audit_entries")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: AuditId,
        pub workspace_id: WorkspaceId,
        pub actor: UserId,
        pub action: String,
        pub entity_kind: String,
        pub entity_id: String,
        pub details: Json,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A link of the hash chain over the entries.
pub mod chain {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::AuditId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "audit_chain")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub position: i64,
        pub entry_id: AuditId,
        pub previous_sha256: String,
        pub sha256: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// An entry that has no link yet.
pub mod waiting {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::AuditId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "audit_waiting")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub entry_id: AuditId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Where the chain ends: one row.
pub mod head {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "audit_head")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub position: i64,
        pub sha256: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
