//! All SQL of the plans' limits that an operator changed. The plans and their first limits are in the configuration.

use std::collections::BTreeMap;

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, sea_query::Expr};

use super::entity::plan_limits;
use super::{Plan, Plans};
use roost_platform::db::WriteTx;

/// The plans with the limits of now.
///
/// # Errors
/// When the database fails.
pub async fn current(db: &impl ConnectionTrait, plans: &Plans) -> Result<Plans, DbErr> {
    let mut current = plans.clone();
    for (name, row) in changed(db).await? {
        // A row of a plan that left the configuration means nothing.
        if let Some(plan) = current.tiers.get_mut(&name) {
            *plan = row.limits();
        }
    }
    Ok(current)
}

/// The limits that an operator changed, by plan.
///
/// # Errors
/// When the database fails.
pub async fn changed(
    db: &impl ConnectionTrait,
) -> Result<BTreeMap<String, plan_limits::Model>, DbErr> {
    let rows = plan_limits::Entity::find().all(db).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.plan.clone(), row))
        .collect())
}

/// Stores the limits of a plan over those of a version: 0 for the limits of the configuration. `false`: the plan has
/// another version now.
///
/// # Errors
/// When the database fails.
pub async fn set(tx: &WriteTx, over: i64, row: plan_limits::Model) -> Result<bool, DbErr> {
    use plan_limits::Column::{Agents, ChangedAt, ChangedBy, LiveContainers, Version, Workspaces};
    if over == 0 {
        let plan = row.plan.clone();
        if plan_limits::Entity::find_by_id(plan)
            .one(&**tx)
            .await?
            .is_some()
        {
            return Ok(false);
        }
        // Of two first changes at the same time, one fails by the primary key.
        plan_limits::Entity::insert(plan_limits::ActiveModel::from(row))
            .exec_without_returning(&**tx)
            .await?;
        return Ok(true);
    }
    let done = plan_limits::Entity::update_many()
        .col_expr(Agents, Expr::value(row.agents))
        .col_expr(LiveContainers, Expr::value(row.live_containers))
        .col_expr(Workspaces, Expr::value(row.workspaces))
        .col_expr(ChangedBy, Expr::value(row.changed_by))
        .col_expr(ChangedAt, Expr::value(row.changed_at))
        .col_expr(Version, Expr::value(row.version))
        .filter(plan_limits::Column::Plan.eq(row.plan))
        .filter(Version.eq(over))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

impl plan_limits::Model {
    /// The stored limits.
    pub fn limits(&self) -> Plan {
        let limit = |stored: i64| u64::try_from(stored).unwrap_or(0);
        Plan {
            agents: limit(self.agents),
            live_containers: limit(self.live_containers),
            workspaces: limit(self.workspaces),
        }
    }
}
