//! Reading the log after a cursor. Above the cut of the ephemeral events the sequence has no gap. Between the two cuts only
//! facts are stored, and below the cut of the facts nothing is.

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement};
use uuid::Uuid;

use super::{About, EventId, StoredEvent};
use crate::ids::{ClawId, WorkspaceId};

/// The result of a replay.
#[derive(Debug)]
pub enum Replay {
    /// The next stored events.
    Page(Page),
    /// The cursor belongs to another epoch, lies in the future, or is older than the facts that are kept: the subscriber
    /// must start again.
    Reset {
        /// The current end of the log.
        head: EventId,
        /// For the `reset` event.
        reason: &'static str,
    },
}

/// A part of the log.
#[derive(Debug)]
pub struct Page {
    /// Oldest first.
    pub events: Vec<StoredEvent>,
    /// The ephemeral events after the cursor and up to this one are deleted. Absent when the cursor is not before it.
    pub trimmed_to: Option<EventId>,
    /// The cursor of the next read. It may be after the last event of the page, where retention deleted the following ones.
    pub position: EventId,
    /// Whether the page reached the end of the log.
    pub at_head: bool,
}

/// The state of a log at the moment of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogState {
    pub(super) head: EventId,
    /// All events up to this sequence number are deleted.
    pub(super) facts_cut: i64,
    /// All ephemeral events up to this sequence number are deleted.
    pub(super) ephemera_cut: i64,
}

const TOO_OLD: &str = "older than the retention";

/// Decides what a subscriber at `cursor` gets. `rows` are the stored events after the cursor, oldest first, at most `limit`.
pub(super) fn page(
    log: LogState,
    cursor: EventId,
    mut rows: Vec<StoredEvent>,
    limit: usize,
) -> Replay {
    let head = log.head;
    let reset = |reason| Replay::Reset { head, reason };
    if head.epoch != cursor.epoch {
        return reset("the log was restored from a backup");
    }
    if head.seq < cursor.seq {
        return reset("the cursor is of the future");
    }
    if cursor.seq < log.facts_cut {
        return reset(TOO_OLD);
    }
    let at_head = rows.len() < limit;
    // Above the cut a missing event is an error of the log, for example rows that were deleted by hand. The subscriber gets
    // the events before the gap, and then a reset instead of the gap.
    let mut expected = cursor.seq.max(log.ephemera_cut);
    let whole = rows
        .iter()
        .take_while(|event| {
            let seq = event.id.seq;
            let fits = seq <= expected || seq == expected + 1;
            expected = expected.max(seq);
            fits
        })
        .count();
    let gap = whole < rows.len() || (at_head && expected != head.seq);
    if gap && whole == 0 {
        return reset(TOO_OLD);
    }
    rows.truncate(whole);
    let position = match (at_head && !gap, rows.last()) {
        (true, _) => head,
        (false, Some(last)) => last.id,
        (false, None) => cursor,
    };
    let cut = EventId {
        epoch: head.epoch,
        seq: log.ephemera_cut,
    };
    Replay::Page(Page {
        events: rows,
        trimmed_to: (cursor < cut).then_some(cut),
        position,
        at_head: at_head && !gap,
    })
}

/// A row of the log's state, and beside it an event if there is one.
#[derive(Debug, FromQueryResult)]
struct Row {
    log_epoch: i64,
    log_seq: i64,
    facts_cut: i64,
    ephemera_cut: i64,
    seq: Option<i64>,
    kind: Option<String>,
    agent_id: Option<ClawId>,
    run_id: Option<Uuid>,
    mission_id: Option<Uuid>,
    room_id: Option<Uuid>,
    data: Option<String>,
}

/// One statement, so that the events, the head and the cuts are of the same moment.
const SQL: &str = "SELECT h.epoch AS log_epoch, h.seq AS log_seq, \
       COALESCE(c.facts_cut, 0) AS facts_cut, COALESCE(c.ephemera_cut, 0) AS ephemera_cut, \
       e.seq AS seq, e.kind, e.agent_id, e.run_id, e.mission_id, e.room_id, e.data \
     FROM event_heads h \
     LEFT JOIN event_cuts c ON c.workspace_id = h.workspace_id AND c.epoch = h.epoch \
     LEFT JOIN (SELECT * FROM events WHERE workspace_id = $1 AND epoch = $2 AND seq > $3 ORDER BY seq LIMIT $4) e ON TRUE \
     WHERE h.workspace_id = $1 ORDER BY e.seq";

/// Reads up to `limit` events after `cursor`.
///
/// # Errors
/// When the database fails.
pub async fn replay(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
    cursor: EventId,
    limit: u64,
) -> Result<Replay, DbErr> {
    let statement = Statement::from_sql_and_values(
        db.get_database_backend(),
        SQL,
        [
            workspace.into(),
            cursor.epoch.into(),
            cursor.seq.into(),
            i64::try_from(limit).unwrap_or(i64::MAX).into(),
        ],
    );
    let rows = Row::find_by_statement(statement).all(db).await?;
    let Some(first) = rows.first() else {
        // The workspace was deleted: its subscribers have nothing to read.
        return Ok(Replay::Page(Page {
            events: Vec::new(),
            trimmed_to: None,
            position: cursor,
            at_head: true,
        }));
    };
    let log = LogState {
        head: EventId {
            epoch: first.log_epoch,
            seq: first.log_seq,
        },
        facts_cut: first.facts_cut,
        ephemera_cut: first.ephemera_cut,
    };
    let events = rows
        .into_iter()
        .filter_map(|row| row.event(workspace, cursor.epoch))
        .collect();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(page(log, cursor, events, limit))
}

impl Row {
    fn event(self, workspace: WorkspaceId, epoch: i64) -> Option<StoredEvent> {
        let (seq, kind, data) = (self.seq?, self.kind?, self.data?);
        let id = EventId { epoch, seq };
        let about = About {
            run: self.run_id,
            mission: self.mission_id,
            room: self.room_id,
        };
        Some(StoredEvent {
            workspace,
            id,
            frame: StoredEvent::frame(id, &kind, &about, &data),
            kind,
            agent_id: self.agent_id,
            about,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of epoch 1 with 9 events. Facts up to 2 and ephemeral events up to 5 are deleted.
    const LOG: LogState = LogState {
        head: at(9),
        facts_cut: 2,
        ephemera_cut: 5,
    };

    const fn at(seq: i64) -> EventId {
        EventId { epoch: 1, seq }
    }

    fn read(cursor: EventId, rows: &[i64], limit: usize) -> Replay {
        let stored = |&seq: &i64| StoredEvent {
            workspace: WorkspaceId(Uuid::nil()),
            id: at(seq),
            kind: "telemetry".to_owned(),
            agent_id: None,
            about: About::default(),
            frame: StoredEvent::frame(at(seq), "telemetry", &About::default(), "{}"),
        };
        page(LOG, cursor, rows.iter().map(stored).collect(), limit)
    }

    /// The page's events, what was trimmed, its position, and whether it ends at the head.
    fn page_of(replay: Replay) -> (Vec<i64>, Option<i64>, i64, bool) {
        let Replay::Page(page) = replay else {
            panic!("{replay:?}");
        };
        let seqs = page.events.iter().map(|event| event.id.seq).collect();
        let trimmed_to = page.trimmed_to.map(|id| id.seq);
        (seqs, trimmed_to, page.position.seq, page.at_head)
    }

    fn reset_of(replay: Replay) -> &'static str {
        let Replay::Reset { head, reason } = replay else {
            panic!("{replay:?}");
        };
        assert_eq!(head, LOG.head);
        reason
    }

    #[test]
    fn cursor_between_the_cuts_gets_the_facts_and_the_end_of_the_cut_part() {
        let all = page_of(read(at(2), &[4, 6, 7, 8, 9], 10));
        assert_eq!(all, (vec![4, 6, 7, 8, 9], Some(5), 9, true));
        let first = page_of(read(at(2), &[4, 6], 2));
        assert_eq!(first, (vec![4, 6], Some(5), 6, false));
        let later = page_of(read(at(5), &[6, 7, 8, 9], 10));
        assert_eq!(later, (vec![6, 7, 8, 9], None, 9, true));
    }

    #[test]
    fn position_is_the_head_when_all_later_events_are_deleted() {
        let log = LogState {
            ephemera_cut: 9,
            ..LOG
        };
        let replay = page(log, at(4), Vec::new(), 10);
        assert_eq!(page_of(replay), (vec![], Some(9), 9, true));
    }

    #[test]
    fn cursor_that_cannot_be_served_gets_a_reset() {
        assert_eq!(reset_of(read(at(1), &[4, 6], 10)), TOO_OLD);
        assert!(reset_of(read(at(10), &[], 10)).contains("future"));
        let former = EventId { epoch: 0, seq: 6 };
        assert!(reset_of(read(former, &[], 10)).contains("backup"));
    }

    #[test]
    fn missing_event_above_the_cut_becomes_a_reset_and_never_a_silent_gap() {
        let before = page_of(read(at(5), &[6, 8, 9], 10));
        assert_eq!(before, (vec![6], None, 6, false));
        assert_eq!(reset_of(read(at(6), &[8, 9], 10)), TOO_OLD);
        assert_eq!(reset_of(read(at(8), &[], 10)), TOO_OLD);
        let end = page_of(read(at(5), &[6, 7, 8], 10));
        assert_eq!(end, (vec![6, 7, 8], None, 8, false));
    }
}
