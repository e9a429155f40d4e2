//! `verify`: what was measured on this machine.
use roost_protocol::operation::Verify;
use roost_protocol::report::{ErrorKind, OperationError, Outcome};

use crate::executor::shared::Shared;

pub async fn run(shared: &Shared, _verify: &Verify) -> Result<Outcome, OperationError> {
    shared.engine.driver().await?;
    Err(OperationError {
        kind: ErrorKind::Unsupported,
        detail: "this build cannot measure the machine yet".into(),
    })
}
