//! A purged agent leaves nothing on this machine but lines in the log of the machine's owner. The work may be repeated:
//! the gateway sends its wish until it has the confirmation.
use std::sync::Arc;

use roost_protocol::control::ControlReply;
use roost_protocol::ids::AgentId;

use super::event::Event;
use super::ledger::{LedgerError, Record};
use super::shared::Shared;
use crate::error::DriverError;

/// Why something of a purged agent may be left.
#[derive(Debug, thiserror::Error)]
enum Left {
    #[error(transparent)]
    Snapshots(#[from] DriverError),
    #[error("cannot remove an archive: {0}")]
    Archives(#[from] std::io::Error),
    #[error(transparent)]
    Results(#[from] LedgerError),
    #[error("an operation of it is under way")]
    Works,
}

/// Removes what an agent has, with `results` its operations too, and confirms it when nothing is left.
pub async fn purge(shared: &Arc<Shared>, agent: AgentId, archives: Vec<String>, results: bool) {
    match remove(shared, agent, archives, results).await {
        Ok(()) => {
            shared
                .send(Event::Reply(ControlReply::Forgotten { agent }))
                .await;
        }
        Err(error) => {
            tracing::warn!(%agent, %error, "something of a purged agent is left; the gateway asks again");
        }
    }
}

async fn remove(
    shared: &Arc<Shared>,
    agent: AgentId,
    archives: Vec<String>,
    results: bool,
) -> Result<(), Left> {
    shared.snapshots.uploads().forget(agent);
    shared.engine.snapshots.forget(agent).await?;
    let store = shared.engine.archives.clone();
    let removed = tokio::task::spawn_blocking(move || store.forget(agent, &archives)).await;
    removed.map_err(std::io::Error::other).flatten()?;
    match results {
        true => remove_results(shared, agent).await,
        false => Ok(()),
    }
}

/// Removes the operations of an agent with their output: from the ledger's file too, which has what was asked.
async fn remove_results(shared: &Shared, agent: AgentId) -> Result<(), Left> {
    let works = shared
        .in_flight()
        .live
        .values()
        .any(|live| live.request.on_behalf.is_some_and(|on| on.agent == agent));
    let ended = shared.ledger.index().ended_of(agent);
    let at_s = shared.clock.now_s();
    for operation in ended {
        shared
            .ledger
            .written(Record::Forgotten { operation, at_s })
            .await?;
        shared.spools.remove(operation);
    }
    // An earlier try may have ended before this.
    shared.ledger.compacted().await?;
    if works { Err(Left::Works) } else { Ok(()) }
}
