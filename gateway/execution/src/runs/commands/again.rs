//! Gives a new run the files with which an earlier run began, so that a retry begins where the earlier attempt did.

use super::fork::there;
use crate::runs::entity::run;
use crate::runs::step_files::Tree;
use crate::runs::{RunError, RunsHandle, store};
use roost_machines::sandboxes::step_files;
use roost_platform::ids::{RunId, fresh};
use roost_tenancy::change::Change;

/// Gives the run `row` of the same change the files of the begin of the run `earlier`. A run that had no files yet, or
/// that is gone, gives none.
///
/// # Errors
/// [`RunError::NoFiles`] when the files were not stored or were deleted.
pub async fn begin_as(
    runs: &RunsHandle,
    change: &Change,
    row: &run::Model,
    earlier: RunId,
) -> Result<(), RunError> {
    let (db, scope) = (runs.inner.db.read(), change.scope());
    let Some(earlier) = store::get(db, scope, earlier).await? else {
        return Ok(());
    };
    let steps = store::steps(db, earlier.id).await?;
    let Some(first) = steps.first() else {
        return Ok(());
    };
    let tree = Tree::read(db, scope, &earlier).await?;
    for start in there(runs, scope, tree.starts(&steps, first)).await? {
        let sandbox = fresh(&runs.inner.ids);
        step_files::give(change, scope, row.id, &start, sandbox).await?;
    }
    Ok(())
}
