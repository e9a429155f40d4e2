//! Sets the workspace's ceilings.

use crate::models::dto::ModelSettings;
use crate::models::model::Ceilings;
use crate::models::{ModelsContext, ModelsError, store};
use roost_platform::ids::UserId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Sets the ceilings for turns that begin from now on.
///
/// # Errors
/// When the database fails.
pub async fn bound(
    state: &ModelsContext,
    scope: WorkspaceScope,
    user: UserId,
    wanted: ModelSettings,
) -> Result<Ceilings, ModelsError> {
    let ceilings = Ceilings {
        run: wanted.run_ceiling_microusd,
        month: wanted.month_ceiling_microusd,
    };
    let mut change = Change::begin(state, scope, user).await?;
    if !workspaces::lock(&change, scope).await? {
        return Err(ModelsError::None);
    }
    store::set_ceilings(&change, scope, ceilings).await?;
    change.record(
        "models.bounded",
        ("workspace", &scope.workspace()),
        serde_json::json!({ "run_ceiling": ceilings.run, "month_ceiling": ceilings.month }),
    );
    change.commit().await?;
    Ok(ceilings)
}
