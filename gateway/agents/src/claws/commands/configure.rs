//! Changing what the runtime knows of an agent: its model, its profile, its bundles, and the image and limits of its
//! sandboxes.

use std::collections::BTreeSet;

use crate::claws::entity::claw;
use crate::claws::runtime_record::{self, Bundle, Profile, Set};
use crate::claws::{ClawError, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::ClawId;
use roost_tenancy::change::Change;

/// The change. Absent fields stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct Configured {
    /// The inner `None` removes the agent's own model.
    pub model: Option<Option<String>>,
    pub profile: Option<Profile>,
    pub bundles: Option<BTreeSet<Bundle>>,
    /// The inner `None` removes the agent's own image.
    pub image: Option<Option<String>>,
    /// The stored form. The inner `None` removes the agent's own limits.
    pub limits: Option<Option<String>>,
}

/// Writes the change into the agent's record, in the caller's change.
///
/// # Errors
/// [`ClawError::NotFound`], [`ClawError::VersionMismatch`].
pub async fn configure_in(
    change: &mut Change,
    id: ClawId,
    if_version: Option<i64>,
    wanted: Configured,
) -> Result<claw::Model, ClawError> {
    let scope = change.scope();
    let present = store::get(change.tx(), scope, id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(ClawError::NotFound)?;
    let record = runtime_record::get(change.tx(), scope, id)
        .await?
        .ok_or(ClawError::NotFound)?;
    let from = present.version;
    if if_version.is_some_and(|version| version != from) {
        return Err(ClawError::VersionMismatch { current: from });
    }
    let profile = wanted
        .profile
        .or_else(|| Profile::parse(&record.risk_profile));
    let profile = profile.unwrap_or(Profile::Toolfree);
    let bundles = match wanted.bundles {
        Some(bundles) => Bundle::stored(bundles),
        None => record.mcp_bundles,
    };
    let row = claw::Model {
        model_binding: wanted.model.unwrap_or(present.model_binding),
        updated_at: change.now(),
        version: from + 1,
        ..present
    };
    if !store::replace(change.tx(), &row, from).await? {
        return Err(ClawError::VersionMismatch { current: from + 1 });
    }
    let image = wanted.image.unwrap_or(record.image);
    let limits = wanted.limits.unwrap_or(record.limits);
    let set = Set {
        profile,
        bundles: &bundles,
        image: image.as_deref(),
        limits: limits.as_deref(),
    };
    runtime_record::put(change.tx(), scope, id, set).await?;
    let details = serde_json::json!({
        "model": row.model_binding, "risk_profile": profile, "mcp_bundles": Bundle::from_stored(&bundles),
        "image": image, "limits": limits,
    });
    change.record("claw.configured", ("claw", &id), details);
    change.event(Event::changed(ResourceKind::Claw, id, row.version));
    Ok(row)
}
