//! The typed verification: the machine measures itself, and reads the hardening from inside a probe sandbox.

use std::time::Duration;

use roost_protocol::ids::OperationId as WireOperation;
use roost_protocol::operation::{Operation, OperationRequest, Verify};
use roost_protocol::report::Outcome;
use roost_protocol::verify::VerifyReport;

use crate::fleet::operations::Target;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::WorkspaceScope;

/// How long a verification may take before the answer is "still running".
const WITHIN: Duration = Duration::from_secs(120);

/// Verifies a node.
///
/// # Errors
/// When the node does not exist, is away, is connected to another gateway, or does not answer in time.
pub async fn verify(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<VerifyReport, FleetError> {
    store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)?;
    let request = OperationRequest {
        purpose: None,
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
