//! `sb_list`: every sandbox of this installation.
use roost_protocol::report::{OperationError, Outcome};

use crate::executor::shared::Shared;

pub async fn run(shared: &Shared) -> Result<Outcome, OperationError> {
    let sandboxes = shared.engine.list().await?;
    Ok(Outcome::Listed { sandboxes })
}
