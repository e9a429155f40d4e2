//! The typed verification: measured by the machine itself, with a probe sandbox whose hardening is read from inside.

use std::time::Duration;

use roost_protocol::ids::OperationId as WireOperation;
use roost_protocol::operation::{Operation, OperationRequest, Verify};
use roost_protocol::report::Outcome;
use roost_protocol::verify::VerifyReport;

use crate::domains::auth::WorkspaceScope;
use crate::domains::fleet::{FleetError, FleetHandle, store};
use crate::ids::NodeId;
use crate::operations::Target;

/// How long a verification may take before the answer is "still running".
const WITHIN: Duration = Duration::from_secs(120);

/// Verifies a node.
///
/// # Errors
/// When there is none, it is away, held elsewhere, or does not answer in time.
pub async fn verify(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<VerifyReport, FleetError> {
    store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)?;
    let request = OperationRequest {
        id: WireOperation(fleet.ids().next()),
        on_behalf: None,
        operation: Operation::Verify(Verify { probe: true }),
    };
    let ended = fleet
        .operations()
        .perform(Target::Node(id), request, WITHIN)
        .await?;
    match &ended.outcome {
        Outcome::Verified { report } => Ok(report.clone()),
        Outcome::Error { error } => Err(FleetError::Refused(error.detail.clone())),
        _ => Err(FleetError::Refused(
            "its answer is not understood".to_owned(),
        )),
    }
}
