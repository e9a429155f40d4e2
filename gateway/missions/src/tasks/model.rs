//! Markers and the status of tasks. Pure code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The word of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = TaskMarker)]
pub enum Marker {
    Task,
    Work,
    Handoff,
    TestPass,
    TestFail,
    ReviewApprove,
    ReviewBlock,
    Completed,
}

impl Marker {
    /// All markers.
    pub const ALL: [Self; 8] = [
        Self::Task,
        Self::Work,
        Self::Handoff,
        Self::TestPass,
        Self::TestFail,
        Self::ReviewApprove,
        Self::ReviewBlock,
        Self::Completed,
    ];

    /// The word as agents write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "TASK",
            Self::Work => "WORK",
            Self::Handoff => "HANDOFF",
            Self::TestPass => "TEST_PASS",
            Self::TestFail => "TEST_FAIL",
            Self::ReviewApprove => "REVIEW_APPROVE",
            Self::ReviewBlock => "REVIEW_BLOCK",
            Self::Completed => "COMPLETED",
        }
    }

    /// Parses the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|marker| marker.as_str() == word)
    }

    /// The status that the marker gives to its task.
    pub const fn status(self) -> TaskStatus {
        match self {
            Self::Task => TaskStatus::Created,
            Self::Work => TaskStatus::Working,
            Self::Handoff | Self::TestPass | Self::ReviewApprove => TaskStatus::Validating,
            Self::TestFail | Self::ReviewBlock => TaskStatus::Failed,
            Self::Completed => TaskStatus::Complete,
        }
    }
}

/// The number in the id of a task. 0 for an id that the parser does not make.
pub fn number(external_id: &str) -> u32 {
    let digits = external_id.strip_prefix("INT-");
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// The status of a task, in the order in which it moves.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Created,
    Working,
    Validating,
    Failed,
    Complete,
}

impl TaskStatus {
    /// All statuses, in the order in which a task moves.
    pub const ALL: [Self; 5] = [
        Self::Created,
        Self::Working,
        Self::Validating,
        Self::Failed,
        Self::Complete,
    ];

    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Working => "working",
            Self::Validating => "validating",
            Self::Failed => "failed",
            Self::Complete => "complete",
        }
    }

    /// Parses the stored value. An unknown value is `created`, so that the next marker moves it.
    pub fn from_stored(word: &str) -> Self {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == word);
        found.unwrap_or(Self::Created)
    }

    /// The status after a marker, if it moves the task. A marker of the same or a lower rank does not.
    pub fn after(self, marker: Marker) -> Option<Self> {
        let next = marker.status();
        (next > self).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_marker_has_the_status_of_the_specification() {
        let table = [
            ("TASK", "created"),
            ("WORK", "working"),
            ("HANDOFF", "validating"),
            ("TEST_PASS", "validating"),
            ("TEST_FAIL", "failed"),
            ("REVIEW_APPROVE", "validating"),
            ("REVIEW_BLOCK", "failed"),
            ("COMPLETED", "complete"),
        ];
        assert_eq!(table.len(), Marker::ALL.len());
        for (word, status) in table {
            let marker = Marker::parse(word).unwrap();
            assert_eq!(marker.status().as_str(), status, "{word}");
            assert_eq!(serde_json::to_value(marker).unwrap(), word);
        }
    }

    #[test]
    fn status_only_moves_forward() {
        for status in TaskStatus::ALL {
            assert_eq!(TaskStatus::from_stored(status.as_str()), status);
            for marker in Marker::ALL {
                if let Some(next) = status.after(marker) {
                    assert!(next > status, "{status:?} {marker:?}");
                }
            }
        }
        let failed = TaskStatus::Failed;
        assert_eq!(failed.after(Marker::Completed), Some(TaskStatus::Complete));
        assert_eq!(failed.after(Marker::Work), None);
        assert_eq!(failed.after(Marker::TestPass), None);
    }

    #[test]
    fn tasks_stand_in_the_order_of_their_numbers() {
        let mut ids = ["INT-100", "INT-11", "INT-0002", "odd", "INT-99999"];
        ids.sort_by_key(|id| number(id));
        assert_eq!(ids, ["odd", "INT-0002", "INT-11", "INT-100", "INT-99999"]);
    }
}
