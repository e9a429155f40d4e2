//! JSON of the history.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{Grid, Metric, Minute, Span, fold, rounded};
use super::store::Point;
use roost_platform::ids::NodeId;

/// `GET /api/nodes/{id}/history`
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// How far back to go; the default is one hour.
    #[serde(default)]
    #[param(inline)]
    pub span: Span,
}

/// Averages of a machine's reports. Point `n` of each list covers `step_s` seconds from `from + n * step_s` on; it is
/// `null` where nothing was reported. A metric without any report in this span is left out.
#[derive(Debug, Serialize, ToSchema)]
pub struct NodeHistory {
    pub from: DateTime<Utc>,
    pub step_s: i64,
    /// Number of points in each list.
    pub points: usize,
    /// The lists by metric (`NodeMetric`).
    #[schema(value_type = BTreeMap<String, Vec<Option<f64>>>)]
    pub series: BTreeMap<Metric, Vec<Option<f64>>>,
}

impl NodeHistory {
    /// From stored minutes.
    pub fn of(minutes: &[Minute], grid: Grid) -> Self {
        Self {
            from: begin(grid),
            step_s: grid.step * 60,
            points: grid.count,
            series: fold(minutes, grid),
        }
    }
}

/// Metrics for the comparison of all machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetMetric {
    #[default]
    Cpu,
    /// Percent of the machine's memory.
    Memory,
    /// Percent of the machine's disk.
    Disk,
    /// The plain load of the last minute, because the number of cores is not known for all machines.
    Load,
    Gpu,
    Temperature,
    /// Percent of time in which tasks waited for the disk.
    IoPressure,
}

impl FleetMetric {
    /// The SQL expression over the columns of `node_history h`.
    pub const fn expression(self) -> &'static str {
        match self {
            Self::Cpu => "h.cpu_pct",
            Self::Memory => "100.0 * h.memory_used_bytes / NULLIF(h.memory_total_bytes, 0)",
            Self::Disk => "100.0 * h.disk_used_bytes / NULLIF(h.disk_total_bytes, 0)",
            Self::Load => "h.load1",
            Self::Gpu => "h.gpu_pct",
            Self::Temperature => "h.temp_max",
            Self::IoPressure => "h.io_some10",
        }
    }
}

/// `GET /api/nodes/history`
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FleetHistoryQuery {
    /// The metric; the default is `cpu`.
    #[serde(default)]
    #[param(inline)]
    pub metric: FleetMetric,
    /// How far back to go; the default is one hour.
    #[serde(default)]
    #[param(inline)]
    pub span: Span,
}

/// One metric of all machines that reported it.
#[derive(Debug, Serialize, ToSchema)]
pub struct FleetHistory {
    pub metric: FleetMetric,
    pub from: DateTime<Utc>,
    pub step_s: i64,
    pub points: usize,
    pub nodes: Vec<FleetLine>,
}

/// The values of one machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct FleetLine {
    pub id: NodeId,
    /// `null` where nothing was reported.
    pub values: Vec<Option<f64>>,
}

impl FleetHistory {
    /// From points that are ordered by machine.
    pub fn of(metric: FleetMetric, points: Vec<Point>, grid: Grid) -> Self {
        let mut nodes: Vec<FleetLine> = Vec::new();
        for point in points {
            if nodes.last().is_none_or(|line| line.id != point.node_id) {
                nodes.push(FleetLine {
                    id: point.node_id,
                    values: vec![None; grid.count],
                });
            }
            let slot = usize::try_from(point.slot).unwrap_or(usize::MAX);
            if let Some(place) = nodes.last_mut().and_then(|line| line.values.get_mut(slot)) {
                *place = Some(rounded(point.value));
            }
        }
        Self {
            metric,
            from: begin(grid),
            step_s: grid.step * 60,
            points: grid.count,
            nodes,
        }
    }
}

fn begin(grid: Grid) -> DateTime<Utc> {
    DateTime::from_timestamp(grid.from * 60, 0).unwrap_or_default()
}
