//! Calls of a run that have no result in its journal.

use sea_orm::{ConnectionTrait, DbErr};

use super::entry::Entry;
use super::store;
use crate::providers::Call;
use roost_platform::ids::RunId;

/// The calls of a tool in a run that have no result yet. Their ids are unique in the run.
///
/// # Errors
/// When the database fails.
pub async fn open_calls(
    db: &impl ConnectionTrait,
    run: RunId,
    tool: &str,
) -> Result<Vec<Call>, DbErr> {
    let (rows, _) = store::calls(db, run).await?;
    let (mut made, mut answered) = (Vec::new(), Vec::new());
    for row in rows {
        match Entry::parse(&row) {
            Ok(Entry::Model(turn)) => made.extend(turn.calls),
            Ok(Entry::Tool(answer)) => answered.push(answer.call),
            _ => {}
        }
    }
    made.retain(|call: &Call| call.name == tool && !answered.contains(&call.id));
    Ok(made)
}
