//! Rows of `nodes`, `node_health` and `node_tools`.

/// A paired machine.
pub mod node {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{NodeId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "nodes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: NodeId,
        pub workspace_id: WorkspaceId,
        /// The name that a user gave. Without it the hostname is shown.
        pub name: Option<String>,
        pub hostname: Option<String>,
        pub local_ip: Option<String>,
        pub mesh_ip: Option<String>,
        pub os: Option<String>,
        pub arch: Option<String>,
        pub daemon_version: Option<String>,
        pub install_id: Option<Uuid>,
        pub boot_id: Option<String>,
        #[sea_orm(unique)]
        pub token_sha256: Option<String>,
        #[sea_orm(unique)]
        pub join_code_sha256: Option<String>,
        pub join_expires_at: Option<DateTimeUtc>,
        pub draining: bool,
        /// Rises with each change of the wish about draining.
        pub drain_turn: i64,
        pub drained: bool,
        /// The sandboxes of the draining machine move elsewhere.
        pub drain_move: bool,
        /// Since when it drains.
        pub drain_since: Option<DateTimeUtc>,
        /// Since when nothing that is needed is on the machine.
        pub emptied_at: Option<DateTimeUtc>,
        pub paused: bool,
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub engine: Option<Json>,
        /// The state of the image that this gateway wants on the machine.
        pub image: String,
        /// The image that the machine checked for, and the id of what it found.
        pub image_reference: Option<String>,
        pub image_id: Option<String>,
        /// Why the image on the machine cannot be used for a sandbox.
        pub image_detail: Option<String>,
        /// The most that the machine lends.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub bounds: Option<Json>,
        pub most_sandboxes: Option<i32>,
        pub sandboxes: i32,
        pub connection: String,
        pub conn_epoch: i64,
        pub held_by: Option<String>,
        /// Until when `held_by` counts, by the database's clock.
        pub held_ms: i64,
        pub first_seen_at: Option<DateTimeUtc>,
        pub last_seen_at: Option<DateTimeUtc>,
        pub trouble_code: Option<String>,
        pub trouble: Option<String>,
        pub trouble_at: Option<DateTimeUtc>,
        pub created_at: DateTimeUtc,
        pub deleted_at: Option<DateTimeUtc>,
        pub version: i64,
        /// A list of words.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub labels: Option<Json>,
        /// Percent, from the latest heartbeat.
        pub gpu_pct: Option<f32>,
        /// °C, from the latest heartbeat.
        pub temp_max: Option<f32>,
        /// What the machine has of the catalogue's images: a list of `NodeImage`.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub images: Option<Json>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }

    impl Model {
        /// The name to show.
        pub fn called(&self) -> String {
            called(self.name.as_deref(), self.hostname.as_deref())
        }
    }

    /// The name to show of a machine with this given name and this hostname.
    pub fn called(name: Option<&str>, hostname: Option<&str>) -> String {
        name.or(hostname).unwrap_or("new machine").to_owned()
    }
}

/// The latest heartbeat of a machine.
pub mod health {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::NodeId;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "node_health")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub node_id: NodeId,
        pub at: DateTimeUtc,
        pub cpu_pct: Option<f32>,
        pub memory_used_bytes: Option<i64>,
        pub memory_total_bytes: Option<i64>,
        pub swap_used_bytes: Option<i64>,
        pub swap_total_bytes: Option<i64>,
        pub disk_used_bytes: Option<i64>,
        pub disk_total_bytes: Option<i64>,
        pub load1: Option<f64>,
        pub load5: Option<f64>,
        pub load15: Option<f64>,
        pub cpu_some10: Option<f32>,
        pub memory_some10: Option<f32>,
        pub memory_full10: Option<f32>,
        pub io_some10: Option<f32>,
        pub io_full10: Option<f32>,
        pub containers: Option<i32>,
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub rest: Option<Json>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A tool that is installed on a machine.
pub mod tool {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::NodeId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "node_tools")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub node_id: NodeId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub tool: String,
        pub version: String,
        pub reported_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
