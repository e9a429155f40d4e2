//! `sb_health`: the state of one sandbox from the engine and the guest.
use roost_protocol::operation::Health;
use roost_protocol::report::{OperationError, Outcome};

use crate::executor::shared::Shared;

pub async fn run(shared: &Shared, health: &Health) -> Result<Outcome, OperationError> {
    let health = shared.engine.health(health.sandbox).await?;
    Ok(Outcome::Healthy { health })
}
