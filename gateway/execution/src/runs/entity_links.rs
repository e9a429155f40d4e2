//! Rows of `run_children`, `run_waits`, `run_messages`, `run_handovers` and `run_model_use`: what the calls of a step
//! started, what a step waits for, what people said to a run, which gateway a run waits for, and which models it used.

/// A run that a call of a step started.
pub mod child {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_children")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_key: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub lap: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shard: i32,
        /// The index of the call.
        #[sea_orm(primary_key, auto_increment = false)]
        pub idx: i32,
        pub child_run_id: RunId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A step that waits for something outside.
pub mod wait {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_waits")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_key: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub lap: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shard: i32,
        /// The kind of a `WaitOn`, and the id of what it waits for.
        pub kind: String,
        pub subject: String,
        /// For people.
        #[sea_orm(column_type = "Text")]
        pub text: String,
        pub since_ms: i64,
        /// When the wait ends by itself.
        pub due_ms: Option<i64>,
        /// What it waits for is there. The step works again, or is about to.
        pub woken: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What a person said to a run while it worked.
pub mod message {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, RunId, RunMessageId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_messages")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RunMessageId,
        pub workspace_id: WorkspaceId,
        /// The root of the run's tree.
        pub root_run_id: RunId,
        pub run_id: RunId,
        /// The agent that it is for. Absent for all agents of the run and of the runs below it.
        pub agent_id: Option<ClawId>,
        pub user_id: UserId,
        #[sea_orm(column_type = "Text")]
        pub text: String,
        pub created_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A run that one gateway handed over to another one.
pub mod handover {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_handovers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The gateway that holds the machine of a step.
        pub owner: String,
        /// The epoch of the run that was handed over. Any later claim ends the hand-over.
        pub epoch: i64,
        /// Until then no other gateway claims the run, by the database's clock.
        pub until_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// The use of a model by a run, when the journal of the run is deleted.
pub mod model_use {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_model_use")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
        pub model: String,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
        pub took_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
