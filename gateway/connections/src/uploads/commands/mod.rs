//! The commands of uploads, one use case in each file.

mod create;
mod forget;

pub use create::create;
pub use forget::{forget_unused, remove_all};

use roost_platform::broker::credential;
use roost_secret_broker::wire::RecordName;
use sea_orm::DbErr;

use super::entity::Model;
use roost_platform::ids::{UploadId, WorkspaceId};

/// The name of the repository among those of its record.
const REPOSITORY: &str = "files";
/// The branch of its one commit.
pub(super) const BRANCH: &str = "main";

fn record_name(workspace: WorkspaceId, id: UploadId) -> Result<RecordName, DbErr> {
    credential::name_of(workspace, &format!("uploads/{id}"))
}

/// Where the broker has the files of an upload: record, repository and branch.
///
/// # Errors
/// Never for ids of the gateway.
pub fn source(row: &Model) -> Result<(RecordName, &'static str, &'static str), DbErr> {
    Ok((record_name(row.workspace_id, row.id)?, REPOSITORY, BRANCH))
}
