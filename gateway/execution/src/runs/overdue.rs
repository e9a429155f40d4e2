//! Runs whose time is up. A run with an owner is told. A parked run has none: it is woken, and the gateway that claims it
//! sees that its time is up.

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement};

use super::handle::RunsHandle;
use roost_platform::ids::RunId;

#[derive(FromQueryResult)]
struct Overdue {
    run_id: RunId,
    owner: Option<String>,
}

/// Wakes the parked runs whose time is up. Returns those that live here.
///
/// # Errors
/// When the database fails.
pub(super) async fn wake(runs: &RunsHandle) -> Result<Vec<RunId>, DbErr> {
    let (db, backend) = (&runs.inner.db, runs.inner.db.backend());
    let up = format!(
        "status = 'running' AND time_up_ms IS NOT NULL AND time_up_ms <= {}",
        backend.now_ms()
    );
    let sql = format!("SELECT run_id, owner FROM run_state WHERE {up}");
    let found = Overdue::find_by_statement(Statement::from_string(backend.into(), sql));
    let found = found.all(db.read()).await?;
    if found.iter().any(|run| run.owner.is_none()) {
        let mut tx = db.write().await?;
        let sql = format!(
            "UPDATE run_state SET waiting_on = NULL WHERE {up} AND owner IS NULL AND waiting_on IS NOT NULL"
        );
        tx.execute_unprepared(&sql).await?;
        runs.inner.wakes.nudge_after(&mut tx);
        tx.commit().await?;
    }
    let here = |run: &Overdue| run.owner.as_deref() == Some(&*runs.inner.owner);
    Ok(found
        .iter()
        .filter(|run| here(run))
        .map(|run| run.run_id)
        .collect())
}
