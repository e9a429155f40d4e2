//! A machine as one line of a long list. It has the fields of a table row and nothing nested, so that a thousand lines
//! stay below 200 KB. Percentages are whole numbers, because a table row shows no more.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::dto::Node;
use super::model::{Connection, Status};
use super::sample::Health;
use super::store::NodeRow;
use roost_platform::ids::NodeId;
use roost_web::error::{ApiError, ApiResult};
use roost_web::pagination::{PageQuery, PageRequest};

/// The most lines of a page.
const MOST_LINES: u64 = 1_000;
const MOST_IDS: usize = 100;

/// A machine in a list. An absent field is unknown; only `connection` is absent while the machine is connected.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = NodeLine)]
pub struct Line {
    pub id: NodeId,
    pub name: String,
    /// Present only if it differs from the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<Connection>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drained: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Codes of the node's problems. The node itself has their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    pub sandboxes: i32,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u8>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u8>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<u8>,
    /// Version of the daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daemon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// When the machine last sent something, seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
    /// Rises with each change. It is the node's `version`.
    pub rev: i64,
}

fn whole(percent: f64) -> Option<u8> {
    // A machine that reports more use than it has is full.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0 to 100 right here"
    )]
    percent
        .is_finite()
        .then(|| percent.round().clamp(0.0, 100.0) as u8)
}

fn share(used: Option<u64>, total: Option<u64>) -> Option<u8> {
    match (used, total) {
        (Some(used), Some(total)) if total > 0 => whole(used as f64 / total as f64 * 100.0),
        _ => None,
    }
}

impl Line {
    /// The line of a row at `now`.
    pub fn of(row: NodeRow, now: chrono::DateTime<chrono::Utc>) -> Self {
        let node = Node::of(row, now);
        let sample = node.health.map(|Health { sample, .. }| sample);
        let sample = sample.unwrap_or_default();
        Self {
            id: node.id,
            host: node.hostname.filter(|host| *host != node.name),
            name: node.name,
            status: node.status,
            connection: (node.connection != Connection::Connected).then_some(node.connection),
            drained: node.drained,
            paused: node.paused,
            problems: node
                .problems
                .into_iter()
                .map(|problem| problem.code)
                .collect(),
            labels: node.labels,
            sandboxes: node.sandboxes,
            cpu: sample.cpu_pct.and_then(|percent| whole(percent.into())),
            memory: share(sample.memory_used_bytes, sample.memory_total_bytes),
            disk: share(sample.disk_used_bytes, sample.disk_total_bytes),
            daemon: node.daemon_version,
            arch: node.arch,
            seen: node.last_seen_at.map(|at| at.timestamp()),
            rev: node.version,
        }
    }
}

/// `GET /api/nodes/lines`
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LinesQuery {
    /// Only these nodes: up to 100 ids with commas between them.
    pub ids: Option<String>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// The nodes that the request selects.
#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    Page(PageRequest),
    These(Vec<NodeId>),
}

impl LinesQuery {
    /// Checks the parameters.
    ///
    /// # Errors
    /// 400 that names the parameter.
    pub fn check(self) -> ApiResult<Wanted> {
        let Some(ids) = self.ids else {
            let page = PageQuery {
                limit: None,
                cursor: self.cursor,
            };
            let after = page.check()?.after;
            return Ok(Wanted::Page(PageRequest {
                limit: MOST_LINES,
                after,
            }));
        };
        let bad = || ApiError::validation("ids", "must be up to 100 ids with commas between them");
        let ids: Vec<NodeId> = ids
            .split(',')
            .map(|id| id.parse().map_err(|_| bad()))
            .collect::<ApiResult<_>>()?;
        if ids.len() > MOST_IDS {
            return Err(bad());
        }
        Ok(Wanted::These(ids))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::clock::{Clock, SystemClock};
    use roost_platform::ids::{UuidV7, fresh};

    fn line(n: usize) -> Line {
        let ids = UuidV7::shared(SystemClock::shared());
        Line {
            id: fresh(&ids),
            name: format!("machine-{n:04}"),
            host: None,
            status: Status::Online,
            connection: None,
            drained: false,
            paused: false,
            problems: Vec::new(),
            labels: Vec::new(),
            sandboxes: 12,
            cpu: Some(37),
            memory: Some(64),
            disk: Some(71),
            daemon: Some("0.1.0".to_owned()),
            arch: Some("x86_64".to_owned()),
            seen: Some(SystemClock.now().timestamp()),
            rev: 123_456,
        }
    }

    #[test]
    fn a_thousand_lines_are_below_two_hundred_kilobytes() {
        let lines: Vec<Line> = (0..1_000).map(line).collect();
        let bytes = serde_json::to_vec(&lines).unwrap().len();
        assert!(bytes < 200_000, "{bytes} bytes");
    }

    #[test]
    fn what_is_not_known_is_absent_and_nobody_is_fuller_than_full() {
        let json = serde_json::to_value(Line {
            cpu: None,
            seen: None,
            ..line(1)
        });
        let json = json.unwrap();
        assert!(json.get("cpu").is_none() && json.get("seen").is_none());
        assert_eq!(share(Some(5), Some(4)), Some(100));
        assert_eq!(share(Some(5), Some(0)), None);
        assert_eq!(share(Some(0), Some(4)), Some(0));
    }

    #[test]
    fn ids_are_read_or_refused() {
        let (a, b) = (line(1).id, line(2).id);
        let query = |ids: String| LinesQuery {
            ids: Some(ids),
            cursor: None,
        };
        assert_eq!(
            query(format!("{a},{b}")).check().unwrap(),
            Wanted::These(vec![a, b])
        );
        assert!(query("nobody".to_owned()).check().is_err());
        assert!(query(vec![a.to_string(); 101].join(",")).check().is_err());
    }
}
