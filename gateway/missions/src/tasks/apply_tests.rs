//! Markers move tasks as an independent table says, in every order.

use proptest::prelude::*;
use uuid::Uuid;

use super::super::parser::Mark;
use super::*;
use roost_platform::ids::{MissionTaskId, RunId, WorkspaceId};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn new(id: &str) -> task::Model {
    task::Model {
        id: MissionTaskId(Uuid::nil()),
        workspace_id: WorkspaceId(Uuid::nil()),
        mission_id: MissionId(Uuid::nil()),
        phase_id: MissionPhaseId(Uuid::nil()),
        external_id: id.to_owned(),
        title: id.to_owned(),
        body: String::new(),
        status: "created".to_owned(),
        assigned_agent_id: None,
        ignored_marks: 0,
        created_at: now(),
        updated_at: now(),
    }
}

fn found(marker: Marker, id: &str, title: &str) -> Found {
    Found {
        phase: MissionPhaseId(Uuid::nil()),
        run: RunId(Uuid::nil()),
        step: "coder".to_owned(),
        place: String::new(),
        agent: None,
        mark: Mark {
            marker,
            external_id: id.to_owned(),
            line: 1,
            title: title.to_owned(),
            body: String::new(),
        },
        at_ms: 0,
    }
}

fn status_after(markers: &[Marker]) -> (String, i32) {
    let mut board = Board::new(Vec::new(), now());
    for marker in markers {
        board.apply(&found(*marker, "INT-01", ""), || new("INT-01"));
    }
    let task = board.changed().remove(0);
    (task.status, task.ignored_marks)
}

#[test]
fn late_marker_is_ignored_and_counted() {
    use Marker::{Completed, Task, TestFail, TestPass, Work};
    assert_eq!(status_after(&[Task, Work]), ("working".to_owned(), 0));
    assert_eq!(status_after(&[TestFail, Work]), ("failed".to_owned(), 1));
    assert_eq!(
        status_after(&[TestFail, Completed, TestFail]),
        ("complete".to_owned(), 1)
    );
    assert_eq!(status_after(&[TestPass]), ("validating".to_owned(), 0));
}

#[test]
fn later_task_marker_gives_a_title_to_a_task_that_has_none() {
    let mut board = Board::new(Vec::new(), now());
    board.apply(&found(Marker::Work, "INT-01", ""), || new("INT-01"));
    board.apply(&found(Marker::Task, "INT-01", "Faster"), || new("INT-01"));
    board.apply(&found(Marker::Task, "INT-01", "Other"), || new("INT-01"));
    let task = board.changed().remove(0);
    assert_eq!(
        (task.title.as_str(), task.status.as_str()),
        ("Faster", "working")
    );
}

#[test]
fn phase_without_room_takes_no_new_task_and_moves_those_that_it_has() {
    let mut board = Board::new(Vec::new(), now());
    for n in 0..MOST_TASKS + 3 {
        let id = format!("INT-{n:05}");
        let moved = board.apply(&found(Marker::Task, &id, ""), || new(&id));
        assert_eq!(moved, (n < MOST_TASKS).then_some(true), "{id}");
    }
    assert!(board.is_short);
    let moved = board.apply(&found(Marker::Work, "INT-00000", ""), || new("INT-00000"));
    assert_eq!(moved, Some(true));
    assert_eq!(board.changed().len(), MOST_TASKS);
}

proptest! {
    #[test]
    fn status_is_the_highest_that_a_marker_gave(picks in prop::collection::vec(0_usize..8, 1..12)) {
        // The rank of each marker's status, in the order of `Marker::ALL`.
        const RANKS: [usize; 8] = [0, 1, 2, 2, 3, 2, 3, 4];
        const WORDS: [&str; 5] = ["created", "working", "validating", "failed", "complete"];
        let markers: Vec<Marker> = picks.iter().map(|pick| Marker::ALL[*pick]).collect();
        let highest = picks.iter().map(|pick| RANKS[*pick]).max().unwrap();
        prop_assert_eq!(status_after(&markers).0, WORDS[highest]);
    }
}
