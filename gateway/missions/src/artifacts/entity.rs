//! Tables `mission_artifacts` and `mission_pdfs`.

/// An artifact.
pub mod artifact {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionArtifactId, MissionId, MissionPhaseId, RunId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_artifacts")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: MissionArtifactId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        /// The phase that made it.
        pub phase_id: Option<MissionPhaseId>,
        /// The attempt of the phase.
        pub attempt: i32,
        /// A value of `ArtifactKind`.
        pub kind: String,
        #[sea_orm(column_type = "Text")]
        pub title: String,
        /// A value of `ArtifactStatus`.
        pub status: String,
        /// The file, for an artifact that is not text.
        #[sea_orm(column_type = "Text", nullable)]
        pub path: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub error: Option<String>,
        /// The text of a ready artifact.
        #[sea_orm(column_type = "Text", nullable)]
        pub content: Option<String>,
        /// The run that made it.
        pub run_id: Option<RunId>,
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

/// What a PDF artifact shows, and its file.
pub mod pdf {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionArtifactId, MissionId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_pdfs")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub artifact_id: MissionArtifactId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        /// The Markdown artifact that it shows. It shows the report of the mission when this is absent.
        pub source_id: Option<MissionArtifactId>,
        /// How often a gateway began to typeset it.
        pub attempts: i32,
        pub pages: Option<i32>,
        pub size: Option<i64>,
        /// The file of a ready artifact.
        pub file: Option<Vec<u8>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
