//! Retention: the gateway keeps the outputs and journals of a run for a time after its end. It keeps the run's row,
//! its end, its duration, its cost and its use of models as long as the workspace exists.

use std::time::Duration;

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Statement,
};

use super::entity::{call, record, state, step};
use super::model::StepStatus;
use super::{message_store, pins, sums};
use roost_machines::sandboxes::step_files;
use roost_platform::db::WriteTx;
use roost_platform::ids::RunId;

/// The number of runs in one transaction. The limit leaves room for other writers.
const AT_ONCE: usize = 200;

#[derive(FromQueryResult)]
struct Deleted {
    id: RunId,
}

/// Deletes the outputs and journals of some runs that ended longer ago than `age`, by the database's clock. Returns
/// whether there may be more. A child keeps its outputs until the root run of its tree has ended. Runs in the
/// caller's transaction.
///
/// # Errors
/// When the database fails.
pub async fn delete_outputs(tx: &WriteTx, age: Duration) -> Result<bool, DbErr> {
    let now = tx.backend().now_ms();
    let sql = format!(
        "UPDATE topology_runs SET result = NULL, comparison = NULL, forgotten_ms = {now} WHERE id IN (\
           SELECT o.id FROM topology_runs o WHERE o.forgotten_ms IS NULL AND o.ended_ms IS NOT NULL AND o.ended_ms < {now} - {} \
             AND NOT EXISTS (SELECT 1 FROM topology_runs top WHERE top.id = o.root_run_id AND top.ended_ms IS NULL) \
           ORDER BY o.ended_ms LIMIT {AT_ONCE}) RETURNING id",
        age.as_millis()
    );
    let statement = Statement::from_string(tx.backend().into(), sql);
    let old = Deleted::find_by_statement(statement).all(&**tx).await?;
    let old: Vec<RunId> = old.into_iter().map(|run| run.id).collect();
    if old.is_empty() {
        return Ok(false);
    }
    state::Entity::update_many()
        .col_expr(
            state::Column::Version,
            Expr::col(state::Column::Version).add(1),
        )
        .filter(state::Column::RunId.is_in(old.iter().copied()))
        .exec(&**tx)
        .await?;
    message_store::delete(tx, &old).await?;
    pins::delete(tx, &old).await?;
    step_files::forget(tx, &old).await?;
    sums::keep(tx, &old).await?;
    call::Entity::delete_many()
        .filter(call::Column::RunId.is_in(old.iter().copied()))
        .exec(&**tx)
        .await?;
    step::Entity::update_many()
        .col_expr(step::Column::Output, Expr::value(None::<String>))
        .filter(step::Column::RunId.is_in(old.iter().copied()))
        .exec(&**tx)
        .await?;
    Ok(old.len() == AT_ONCE)
}

/// Whether one of these runs still has its outputs.
///
/// # Errors
/// When the database fails.
pub async fn any_has_outputs(tx: &WriteTx, runs: &[RunId]) -> Result<bool, DbErr> {
    let found = record::Entity::find()
        .filter(record::Column::Id.is_in(runs.iter().copied()))
        .filter(record::Column::ForgottenMs.is_null())
        .limit(1)
        .one(&**tx)
        .await?;
    Ok(found.is_some())
}

/// Whether the output of one of these steps was deleted.
pub fn outputs_are_deleted(steps: &[step::Model]) -> bool {
    steps
        .iter()
        .any(|step| step.status == StepStatus::Done.as_str() && step.output.is_none())
}
