//! Rows of `node_history`.

use sea_orm::entity::prelude::*;

use super::model::{Minute, Values};
use roost_platform::ids::NodeId;

/// The averages of one machine over one minute.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "node_history")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: NodeId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub minute: i64,
    pub samples: i32,
    pub cpu_pct: Option<f64>,
    pub memory_used_bytes: Option<f64>,
    pub memory_total_bytes: Option<f64>,
    pub swap_used_bytes: Option<f64>,
    pub swap_total_bytes: Option<f64>,
    pub disk_used_bytes: Option<f64>,
    pub disk_total_bytes: Option<f64>,
    pub load1: Option<f64>,
    pub load5: Option<f64>,
    pub load15: Option<f64>,
    pub cpu_some10: Option<f64>,
    pub memory_some10: Option<f64>,
    pub memory_full10: Option<f64>,
    pub io_some10: Option<f64>,
    pub io_full10: Option<f64>,
    pub gpu_pct: Option<f64>,
    pub temp_max: Option<f64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for Minute {
    fn from(row: Model) -> Self {
        // The order of `Metric::ALL`; a test compares the two.
        let values: Values = [
            row.cpu_pct,
            row.memory_used_bytes,
            row.memory_total_bytes,
            row.swap_used_bytes,
            row.swap_total_bytes,
            row.disk_used_bytes,
            row.disk_total_bytes,
            row.load1,
            row.load5,
            row.load15,
            row.cpu_some10,
            row.memory_some10,
            row.memory_full10,
            row.io_some10,
            row.io_full10,
            row.gpu_pct,
            row.temp_max,
        ];
        Self {
            minute: row.minute,
            samples: row.samples,
            values,
        }
    }
}
