//! `sb_health`: what the engine and the guest say of one sandbox.
use roost_protocol::operation::Health;
use roost_protocol::report::{OperationError, Outcome};

use crate::executor::shared::Shared;

pub async fn run(shared: &Shared, health: &Health) -> Result<Outcome, OperationError> {
    let health = shared.engine.health(health.sandbox).await?;
    Ok(Outcome::Healthy { health })
}
