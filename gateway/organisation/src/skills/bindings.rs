//! Binds the roles of a template version to skills, by name. The `templates` domain calls it in the transaction that
//! stores the version.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::DbErr;

use super::entity::role_skill;
use super::{model, store, store_choices};
use roost_platform::db::WriteTx;
use roost_platform::ids::{SkillId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;

/// The roles of a version, each with the names of its skills.
pub struct Roles<'a> {
    pub template: TemplateId,
    pub version: i64,
    /// (slot, names)
    pub roles: Vec<(&'a str, &'a [String])>,
}

/// Binds the roles. `scope` is absent for the templates that come with Roost. Their names refer only to built-in
/// skills. Returns whether a binding changed. Unknown names are logged, and stored as missing.
///
/// # Errors
/// When the database fails.
pub async fn bind_in(
    tx: &WriteTx,
    scope: Option<WorkspaceScope>,
    roles: Roles<'_>,
) -> Result<bool, DbErr> {
    let builtin = store::builtin(&**tx, None).await?;
    let mut found: BTreeMap<String, SkillId> = BTreeMap::new();
    let mut foundation: Vec<String> = Vec::new();
    for row in builtin.into_iter().filter(|row| row.deleted_at.is_none()) {
        if row.foundation {
            foundation.push(row.name.clone());
        }
        found.insert(row.name, row.id);
    }
    foundation.sort();
    if let Some(scope) = scope {
        let wanted = roles.roles.iter().flat_map(|(_, names)| names.iter());
        let wanted: BTreeSet<String> = wanted.chain(&foundation).cloned().collect();
        for row in store::own_named(&**tx, scope, wanted).await? {
            found.insert(row.name, row.id);
        }
    }
    let mut rows = Vec::new();
    for (slot, names) in &roles.roles {
        let bound = model::bind(&foundation, names, |name| found.get(name).copied());
        for one in bound {
            if one.skill.is_none() {
                tracing::warn!(template = %roles.template, version = roles.version, role = %slot, skill = %one.name,
                    "a role names an unknown skill; the gateway skips it");
            }
            rows.push(role_skill::Model {
                template_id: roles.template,
                template_version: roles.version,
                role_slot: (*slot).to_owned(),
                skill_name: one.name,
                skill_id: one.skill,
                workspace_id: scope.map(|scope| scope.workspace()),
                pin_in_context: one.pinned,
                order_idx: one.order,
            });
        }
    }
    let mut present = store_choices::of_version(&**tx, roles.template, roles.version).await?;
    let order = |row: &role_skill::Model| (row.role_slot.clone(), row.order_idx);
    present.sort_by_key(order);
    rows.sort_by_key(order);
    let changed = present != rows;
    if changed {
        store_choices::rebind(&**tx, roles.template, roles.version, rows).await?;
    }
    Ok(changed)
}
