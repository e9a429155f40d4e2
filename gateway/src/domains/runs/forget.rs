//! Forgetting: what a run handed over, and what happened inside its steps, is kept for a while after its end; that it was,
//! how it ended, what it took and what it cost is kept as long as its workspace.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::entity::step;
use super::model::StepStatus;
use crate::db::WriteTx;

/// Forgets the outputs and journals of runs that ended longer ago than `age`, by the database's clock. A child is kept as
/// long as the run at the top of its tree goes on. In the caller's transaction.
///
/// # Errors
/// When the database fails.
pub async fn outputs(tx: &WriteTx, age: Duration) -> Result<(), DbErr> {
    let now = tx.backend().now_ms();
    let old = format!(
        "ended_ms < {now} - {} AND NOT EXISTS (SELECT 1 FROM topology_runs top \
           WHERE top.id = topology_runs.root_run_id AND top.ended_ms IS NULL)",
        age.as_millis()
    );
    let of_old = format!("run_id IN (SELECT id FROM topology_runs WHERE {old})");
    for sql in [
        format!("DELETE FROM run_calls WHERE {of_old}"),
        format!("UPDATE run_steps SET output = NULL WHERE output IS NOT NULL AND {of_old}"),
        format!(
            "UPDATE topology_runs SET result = NULL, comparison = NULL, version = version + 1 \
             WHERE (result IS NOT NULL OR comparison IS NOT NULL) AND {old}"
        ),
    ] {
        let statement = Statement::from_string(tx.backend().into(), sql);
        tx.execute_raw(statement).await?;
    }
    Ok(())
}

/// Whether something that these steps handed over was forgotten.
pub fn is_forgotten(steps: &[step::Model]) -> bool {
    steps
        .iter()
        .any(|step| step.status == StepStatus::Done.as_str() && step.output.is_none())
}
