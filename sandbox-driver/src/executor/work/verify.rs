//! `verify`: measures this machine.
use roost_protocol::operation::Verify;
use roost_protocol::report::{OperationError, Outcome};

use crate::executor::shared::Shared;

pub async fn run(shared: &Shared, verify: &Verify) -> Result<Outcome, OperationError> {
    let report = shared.engine.verify(verify.probe).await?;
    Ok(Outcome::Verified { report })
}
