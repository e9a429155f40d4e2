//! The numbers of a heartbeat: as the API shows them, and as the database stores them. What rules name has a column of
//! its own, and the rest is one JSON column. A node's GPU use and its highest temperature stand on the node itself.

use chrono::{DateTime, Utc};
use roost_protocol::vitals::Heartbeat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::{health, node};

/// The largest difference between a machine's clock and the gateway's that is not reported, seconds.
const CLOCK_TOLERANCE_S: i64 = 60;

/// The latest heartbeat. Percentages are 0 to 100, sizes are bytes, temperatures are °C. Unknown values are absent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = NodeHealth)]
pub struct Health {
    pub at: DateTime<Utc>,
    #[serde(flatten)]
    pub sample: Sample,
}

/// The numbers of a heartbeat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = NodeSample)]
pub struct Sample {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_pct: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load5: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load15: Option<f64>,
    pub psi: Option<Psi>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containers: Option<u32>,
    /// It stands on the node.
    #[serde(skip)]
    #[schema(ignore)]
    pub gpu_pct: Option<f32>,
    /// It stands on the node.
    #[serde(skip)]
    #[schema(ignore)]
    pub temp_max: Option<f32>,
    /// The difference between the machine's clock and the gateway's, seconds; used only for problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub clock_off_s: Option<i64>,
}

/// Share of the last 10 s in which some or all tasks waited, percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Psi {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_some10: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_some10: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_full10: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_some10: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_full10: Option<f32>,
}

impl Sample {
    /// From a cleaned heartbeat that was received at `at`.
    pub fn of(beat: &Heartbeat, at: DateTime<Utc>) -> Self {
        let off = at.timestamp().saturating_sub(beat.at_s).saturating_abs();
        Self {
            cpu_pct: beat.cpu_pct,
            cores: beat.cores,
            memory_used_bytes: beat.memory_used_bytes,
            memory_total_bytes: beat.memory_total_bytes,
            swap_used_bytes: beat.swap_used_bytes,
            swap_total_bytes: beat.swap_total_bytes,
            disk_used_bytes: beat.disk_used_bytes,
            disk_total_bytes: beat.disk_total_bytes,
            load1: beat.load1,
            load5: beat.load5,
            load15: beat.load15,
            psi: beat.psi.map(|psi| Psi {
                cpu_some10: psi.cpu_some10,
                memory_some10: psi.memory_some10,
                memory_full10: psi.memory_full10,
                io_some10: psi.io_some10,
                io_full10: psi.io_full10,
            }),
            containers: beat.containers,
            gpu_pct: beat.gpu_pct,
            temp_max: beat.temp_max_c,
            clock_off_s: (off > CLOCK_TOLERANCE_S).then_some(off),
        }
    }

    /// From the rows of the latest heartbeat and its node.
    pub(super) fn stored(row: health::Model, node: &node::Model) -> Self {
        let size = |bytes: Option<i64>| bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let rest = row.rest.and_then(|rest| serde_json::from_value(rest).ok());
        let Rest { cores, clock_off_s } = rest.unwrap_or_default();
        let psi = Psi {
            cpu_some10: row.cpu_some10,
            memory_some10: row.memory_some10,
            memory_full10: row.memory_full10,
            io_some10: row.io_some10,
            io_full10: row.io_full10,
        };
        Self {
            cpu_pct: row.cpu_pct,
            cores,
            memory_used_bytes: size(row.memory_used_bytes),
            memory_total_bytes: size(row.memory_total_bytes),
            swap_used_bytes: size(row.swap_used_bytes),
            swap_total_bytes: size(row.swap_total_bytes),
            disk_used_bytes: size(row.disk_used_bytes),
            disk_total_bytes: size(row.disk_total_bytes),
            load1: row.load1,
            load5: row.load5,
            load15: row.load15,
            psi: (psi != Psi::default()).then_some(psi),
            containers: row.containers.and_then(|count| u32::try_from(count).ok()),
            gpu_pct: node.gpu_pct,
            temp_max: node.temp_max,
            clock_off_s,
        }
    }
}

/// What a heartbeat says and no rule names: the JSON column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rest {
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_off_s: Option<i64>,
}

/// The columns of a heartbeat, as one JSON object for the statement that writes many of them.
#[derive(Debug, Serialize)]
pub(super) struct Columns {
    cpu_pct: Option<f32>,
    memory_used_bytes: Option<i64>,
    memory_total_bytes: Option<i64>,
    swap_used_bytes: Option<i64>,
    swap_total_bytes: Option<i64>,
    disk_used_bytes: Option<i64>,
    disk_total_bytes: Option<i64>,
    load1: Option<f64>,
    load5: Option<f64>,
    load15: Option<f64>,
    cpu_some10: Option<f32>,
    memory_some10: Option<f32>,
    memory_full10: Option<f32>,
    io_some10: Option<f32>,
    io_full10: Option<f32>,
    containers: Option<i32>,
    rest: Rest,
}

impl Columns {
    /// The names of the columns with their types in PostgreSQL, in the order of the statement.
    pub(super) const NAMES: [(&'static str, &'static str); 17] = [
        ("cpu_pct", "real"),
        ("memory_used_bytes", "bigint"),
        ("memory_total_bytes", "bigint"),
        ("swap_used_bytes", "bigint"),
        ("swap_total_bytes", "bigint"),
        ("disk_used_bytes", "bigint"),
        ("disk_total_bytes", "bigint"),
        ("load1", "double precision"),
        ("load5", "double precision"),
        ("load15", "double precision"),
        ("cpu_some10", "real"),
        ("memory_some10", "real"),
        ("memory_full10", "real"),
        ("io_some10", "real"),
        ("io_full10", "real"),
        ("containers", "integer"),
        ("rest", "jsonb"),
    ];
}

impl From<&Sample> for Columns {
    fn from(sample: &Sample) -> Self {
        let size = |bytes: Option<u64>| bytes.and_then(|bytes| i64::try_from(bytes).ok());
        let psi = sample.psi.unwrap_or_default();
        Self {
            cpu_pct: sample.cpu_pct,
            memory_used_bytes: size(sample.memory_used_bytes),
            memory_total_bytes: size(sample.memory_total_bytes),
            swap_used_bytes: size(sample.swap_used_bytes),
            swap_total_bytes: size(sample.swap_total_bytes),
            disk_used_bytes: size(sample.disk_used_bytes),
            disk_total_bytes: size(sample.disk_total_bytes),
            load1: sample.load1,
            load5: sample.load5,
            load15: sample.load15,
            cpu_some10: psi.cpu_some10,
            memory_some10: psi.memory_some10,
            memory_full10: psi.memory_full10,
            io_some10: psi.io_some10,
            io_full10: psi.io_full10,
            containers: sample
                .containers
                .and_then(|count| i32::try_from(count).ok()),
            rest: Rest {
                cores: sample.cores,
                clock_off_s: sample.clock_off_s,
            },
        }
    }
}
