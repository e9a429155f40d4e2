//! Setting what may be spent.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::dto::ModelSettings;
use crate::domains::models::model::Ceilings;
use crate::domains::models::routes::ModelsState;
use crate::domains::models::{ModelsError, store};
use crate::domains::workspaces;
use crate::ids::UserId;

/// Sets it, for turns that begin from now on.
///
/// # Errors
/// When the database fails.
pub async fn bound(
    state: &ModelsState,
    scope: WorkspaceScope,
    user: UserId,
    wanted: ModelSettings,
) -> Result<Ceilings, ModelsError> {
    let ceilings = Ceilings {
        run: wanted.run_ceiling_microusd,
        month: wanted.month_ceiling_microusd,
    };
    let tx = state.db.write().await?;
    if !workspaces::store::hold(&tx, scope).await? {
        return Err(ModelsError::None);
    }
    store::set_ceilings(&tx, scope, ceilings).await?;
    audit::record(
        &tx,
        &state.ids,
        state.clock.now(),
        scope,
        user,
        "models.bounded",
        ("workspace", &scope.workspace()),
        serde_json::json!({ "run_ceiling": ceilings.run, "month_ceiling": ceilings.month }),
    )
    .await?;
    tx.commit().await?;
    Ok(ceilings)
}
