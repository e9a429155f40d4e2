//! Appends the events of a whole batch, of several workspaces, with two statements.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use sea_orm::sea_query::ArrayType;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement, Value};

use super::{EventId, Stamped, StoredEvent};
use crate::db::{Backend, Rows, WriteTx};
use crate::ids::WorkspaceId;

/// The end of a workspace's log after its events of the batch.
#[derive(Debug, Clone, Copy, FromQueryResult)]
struct Head {
    workspace_id: WorkspaceId,
    epoch: i64,
    seq: i64,
}

/// Appends events in their order, as [`append`](super::append) does for one workspace. The heads of the logs are locked
/// in the order of the workspaces' ids. Returns the id of each event.
///
/// # Errors
/// When the database fails, or a workspace does not exist.
pub async fn append_all(
    tx: &mut WriteTx,
    at: DateTime<Utc>,
    events: Vec<(WorkspaceId, Stamped)>,
) -> Result<Vec<EventId>, DbErr> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts: BTreeMap<WorkspaceId, i64> = BTreeMap::new();
    for (workspace, _) in &events {
        *counts.entry(*workspace).or_default() += 1;
    }
    let heads = advance(tx, &counts).await?;
    let workspaces: Vec<WorkspaceId> = events.iter().map(|(workspace, _)| *workspace).collect();
    let ids = places(&workspaces, &counts, &heads)?;
    let data: Vec<String> = events
        .iter()
        .map(|(_, stamped)| stamped.event.data())
        .collect();
    let stamped = || events.iter().map(|(_, stamped)| stamped);
    let ephemeral = stamped().zip(&data);
    let ephemeral =
        ephemeral.map(|(stamped, data)| stamped.event.ephemeral_bytes(data).unwrap_or(0));
    let mut table = Rows::new(tx.backend())
        .uuid(
            "of_workspace",
            workspaces.iter().map(|workspace| workspace.0),
        )
        .bigint("of_epoch", ids.iter().map(|id| id.epoch))
        .bigint("of_seq", ids.iter().map(|id| id.seq))
        .text("kind", stamped().map(|stamped| stamped.event.kind()))
        .maybe_uuid(
            "agent_id",
            stamped().map(|stamped| stamped.event.agent_id().map(|id| id.0)),
        )
        .maybe_uuid("run_id", stamped().map(|stamped| stamped.about.run))
        .maybe_uuid("mission_id", stamped().map(|stamped| stamped.about.mission))
        .maybe_uuid("room_id", stamped().map(|stamped| stamped.about.room))
        .int("bytes", ephemeral)
        .text("data", data.iter().cloned())
        .table("t");
    let at = table.next(at);
    let sql = format!(
        "INSERT INTO events (workspace_id, epoch, seq, kind, agent_id, run_id, mission_id, room_id, ephemeral_bytes, data, at) \
         SELECT of_workspace, of_epoch, of_seq, kind, agent_id, run_id, mission_id, room_id, NULLIF(bytes, 0), data, {at} \
         FROM {}",
        table.sql
    );
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        table.values,
    ))
    .await?;
    for (((workspace, stamped), id), data) in events.iter().zip(&ids).zip(&data) {
        let event = &stamped.event;
        tx.announce(StoredEvent {
            workspace: *workspace,
            id: *id,
            kind: event.kind().to_owned(),
            agent_id: event.agent_id(),
            about: stamped.about,
            frame: StoredEvent::frame(*id, event.kind(), &stamped.about, data),
        });
    }
    Ok(ids)
}

/// Moves the heads by the numbers of events.
async fn advance(
    tx: &WriteTx,
    counts: &BTreeMap<WorkspaceId, i64>,
) -> Result<HashMap<WorkspaceId, Head>, DbErr> {
    let mut table = Rows::new(tx.backend())
        .uuid("of_workspace", counts.keys().map(|workspace| workspace.0))
        .bigint("more", counts.values().copied())
        .table("t");
    let (held, join) = match tx.backend() {
        Backend::Postgres => {
            let ids = counts.keys().map(|workspace| Value::from(workspace.0));
            let ids = Value::Array(ArrayType::Uuid, Some(Box::new(ids.collect())));
            let ids = table.next(ids);
            let held = format!(
                "WITH held AS (SELECT workspace_id AS held_id FROM event_heads WHERE workspace_id = ANY ({ids}) \
                 ORDER BY workspace_id FOR UPDATE)"
            );
            let join = format!(
                "JOIN held ON held_id = t.of_workspace WHERE event_heads.workspace_id = ANY ({ids}) AND"
            );
            (held, join)
        }
        Backend::Sqlite => (String::new(), "WHERE".to_owned()),
    };
    let sql = format!(
        "{held} UPDATE event_heads SET seq = seq + t.more FROM {} {join} event_heads.workspace_id = t.of_workspace \
         RETURNING workspace_id, epoch, seq",
        table.sql
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, table.values);
    let heads = Head::find_by_statement(statement).all(&**tx).await?;
    Ok(heads
        .into_iter()
        .map(|head| (head.workspace_id, head))
        .collect())
}

/// The place of each event: its workspace's next one, by the order in the batch.
fn places(
    workspaces: &[WorkspaceId],
    counts: &BTreeMap<WorkspaceId, i64>,
    heads: &HashMap<WorkspaceId, Head>,
) -> Result<Vec<EventId>, DbErr> {
    let mut next: HashMap<WorkspaceId, i64> = HashMap::new();
    let place = |workspace: &WorkspaceId| {
        let (head, count) = heads
            .get(workspace)
            .zip(counts.get(workspace))
            .ok_or_else(|| DbErr::RecordNotFound(format!("event log of workspace {workspace}")))?;
        let seq = next.entry(*workspace).or_insert(head.seq - count);
        *seq += 1;
        Ok(EventId {
            epoch: head.epoch,
            seq: *seq,
        })
    };
    workspaces.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    proptest! {
        #[test]
        fn places_of_each_workspace_have_no_gap_and_follow_the_batch(of in prop::collection::vec(0u128..5, 0..200)) {
            let of: Vec<WorkspaceId> = of.into_iter().map(|n| WorkspaceId(Uuid::from_u128(n))).collect();
            let mut counts = BTreeMap::new();
            for workspace in &of {
                *counts.entry(*workspace).or_insert(0) += 1;
            }
            // Each log had 100 events before.
            let head = |(workspace, count): (&WorkspaceId, &i64)| {
                let head = Head { workspace_id: *workspace, epoch: 2, seq: 100 + count };
                (*workspace, head)
            };
            let heads = counts.iter().map(head).collect();
            let mut last: HashMap<WorkspaceId, i64> = HashMap::new();
            for (workspace, id) in of.iter().zip(places(&of, &counts, &heads).unwrap()) {
                let last = last.entry(*workspace).or_insert(100);
                *last += 1;
                prop_assert_eq!(id, EventId { epoch: 2, seq: *last });
            }
            prop_assert!(last.iter().all(|(workspace, last)| heads[workspace].seq == *last));
        }
    }
}
