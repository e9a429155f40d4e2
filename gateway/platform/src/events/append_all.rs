//! Appends the events of a whole batch, of several workspaces: with one statement on PostgreSQL, with two on SQLite.

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

/// Appends events in their order. The heads of the logs are locked in the order of the workspaces' ids, until the commit:
/// so sequence numbers become visible in order, and a reader never sees a gap that is filled later. Returns the id of
/// each event.
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
    let data: Vec<String> = events
        .iter()
        .map(|(_, stamped)| stamped.event.data())
        .collect();
    let workspaces: Vec<WorkspaceId> = events.iter().map(|(workspace, _)| *workspace).collect();
    let back = distances(&workspaces, &counts);
    let ids = match tx.backend() {
        Backend::Postgres => {
            let heads =
                insert_at_heads(tx, at, &counts, &back, columns(tx, &events, &data)).await?;
            places(&workspaces, &back, &heads)?
        }
        Backend::Sqlite => {
            let ids = places(&workspaces, &back, &advance(tx, &counts).await?)?;
            insert(tx, at, &ids, columns(tx, &events, &data)).await?;
            ids
        }
    };
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

/// The columns of events that do not depend on their places.
fn columns(tx: &WriteTx, events: &[(WorkspaceId, Stamped)], data: &[String]) -> Rows {
    let stamped = || events.iter().map(|(_, stamped)| stamped);
    let ephemeral = stamped()
        .zip(data)
        .map(|(stamped, data)| stamped.event.ephemeral_bytes(data).unwrap_or(0));
    Rows::new(tx.backend())
        .uuid(
            "of_workspace",
            events.iter().map(|(workspace, _)| workspace.0),
        )
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
}

const INSERT: &str = "INSERT INTO events (workspace_id, epoch, seq, kind, agent_id, run_id, mission_id, room_id, \
                      ephemeral_bytes, data, at)";

/// Moves the heads and inserts the events at them, in one statement: others wait for the heads only until the commit.
async fn insert_at_heads(
    tx: &WriteTx,
    at: DateTime<Utc>,
    counts: &BTreeMap<WorkspaceId, i64>,
    back: &[i64],
    columns: Rows,
) -> Result<HashMap<WorkspaceId, Head>, DbErr> {
    let mut table = columns.bigint("back", back.iter().copied()).table("t");
    let ids = table.next(array(
        ArrayType::Uuid,
        counts.keys().map(|workspace| workspace.0),
    ));
    let more = table.next(array(ArrayType::BigInt, counts.values().copied()));
    let at = table.next(at);
    let sql = format!(
        "WITH held AS (SELECT workspace_id AS held_id FROM event_heads WHERE workspace_id = ANY ({ids}) \
           ORDER BY workspace_id FOR UPDATE), \
         heads AS (UPDATE event_heads SET seq = seq + c.more FROM unnest({ids}, {more}::bigint[]) AS c(of_head, more) \
           JOIN held ON held_id = c.of_head WHERE event_heads.workspace_id = ANY ({ids}) \
           AND event_heads.workspace_id = c.of_head RETURNING workspace_id, epoch, seq), \
         added AS ({INSERT} SELECT of_workspace, heads.epoch, heads.seq - t.back, kind, agent_id, run_id, mission_id, room_id, \
           NULLIF(bytes, 0), data, {at} FROM {} JOIN heads ON heads.workspace_id = t.of_workspace) \
         SELECT workspace_id, epoch, seq FROM heads",
        table.sql
    );
    query(tx, sql, table.values).await
}

/// Inserts events at these places.
async fn insert(
    tx: &WriteTx,
    at: DateTime<Utc>,
    ids: &[EventId],
    columns: Rows,
) -> Result<(), DbErr> {
    let mut table = columns
        .bigint("of_epoch", ids.iter().map(|id| id.epoch))
        .bigint("of_seq", ids.iter().map(|id| id.seq))
        .table("t");
    let at = table.next(at);
    let sql = format!(
        "{INSERT} SELECT of_workspace, of_epoch, of_seq, kind, agent_id, run_id, mission_id, room_id, NULLIF(bytes, 0), data, {at} \
         FROM {}",
        table.sql
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, table.values);
    tx.execute_raw(statement).await.map(drop)
}

/// Moves the heads by the numbers of events, where one writer needs no locks.
async fn advance(
    tx: &WriteTx,
    counts: &BTreeMap<WorkspaceId, i64>,
) -> Result<HashMap<WorkspaceId, Head>, DbErr> {
    let table = Rows::new(tx.backend())
        .uuid("of_workspace", counts.keys().map(|workspace| workspace.0))
        .bigint("more", counts.values().copied())
        .table("t");
    let sql = format!(
        "UPDATE event_heads SET seq = seq + t.more FROM {} WHERE event_heads.workspace_id = t.of_workspace \
         RETURNING workspace_id, epoch, seq",
        table.sql
    );
    query(tx, sql, table.values).await
}

async fn query(
    tx: &WriteTx,
    sql: String,
    values: Vec<Value>,
) -> Result<HashMap<WorkspaceId, Head>, DbErr> {
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let heads = Head::find_by_statement(statement).all(&**tx).await?;
    Ok(heads
        .into_iter()
        .map(|head| (head.workspace_id, head))
        .collect())
}

fn array(of: ArrayType, values: impl Iterator<Item = impl Into<Value>>) -> Value {
    Value::Array(of, Some(Box::new(values.map(Into::into).collect())))
}

/// The number of events of the same workspace that come after each event.
fn distances(workspaces: &[WorkspaceId], counts: &BTreeMap<WorkspaceId, i64>) -> Vec<i64> {
    let mut left = counts.clone();
    let distance = |workspace: &WorkspaceId| {
        let left = left.entry(*workspace).or_default();
        *left -= 1;
        *left
    };
    workspaces.iter().map(distance).collect()
}

/// The place of each event, from the ends of the logs after the batch.
fn places(
    workspaces: &[WorkspaceId],
    back: &[i64],
    heads: &HashMap<WorkspaceId, Head>,
) -> Result<Vec<EventId>, DbErr> {
    let place = |(workspace, back): (&WorkspaceId, &i64)| {
        let head = heads.get(workspace);
        let head = head
            .ok_or_else(|| DbErr::RecordNotFound(format!("event log of workspace {workspace}")))?;
        Ok(EventId {
            epoch: head.epoch,
            seq: head.seq - back,
        })
    };
    workspaces.iter().zip(back).map(place).collect()
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
            for (workspace, id) in of.iter().zip(places(&of, &distances(&of, &counts), &heads).unwrap()) {
                let last = last.entry(*workspace).or_insert(100);
                *last += 1;
                prop_assert_eq!(id, EventId { epoch: 2, seq: *last });
            }
            prop_assert!(last.iter().all(|(workspace, last)| heads[workspace].seq == *last));
        }
    }
}
