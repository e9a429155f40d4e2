//! Table `mission_phase_cards`.

/// The card of a phase.
pub mod card {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionId, MissionPhaseId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_phase_cards")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub phase_id: MissionPhaseId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        /// The attempt of the phase that it describes.
        pub attempt: i32,
        /// JSON of a `Card`.
        #[sea_orm(column_type = "Text")]
        pub card: String,
        /// The model that wrote the narrative. Absent when the gateway composed it from the facts.
        #[sea_orm(column_type = "Text", nullable)]
        pub model: Option<String>,
        pub created_at: DateTimeUtc,
        /// A model has to write the narrative after this time. Absent: no model has to.
        pub narrative_due_ms: Option<i64>,
        /// How often a model was asked.
        pub narrative_tries: i32,
        /// Why no model wrote it, for people.
        #[sea_orm(column_type = "Text", nullable)]
        pub narrative_error: Option<String>,
        /// What the model's answer cost.
        pub narrative_cost_microusd: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
