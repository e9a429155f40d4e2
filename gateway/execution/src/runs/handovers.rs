//! Runs that are handed over between gateways, in the database. A run whose step needs a machine that another gateway
//! holds has neither an owner nor `waiting_on`, like a woken run, and its row here says which gateway claims it. After a
//! while each gateway may claim it, so a run outlives the gateway that it was handed to. A claim increases the epoch, and
//! a row of an earlier epoch has no effect.

use std::time::Duration;

use sea_orm::{ConnectionTrait, EntityTrait, Set, Statement, sea_query::OnConflict};

use super::entity::handover;
use super::fence::{Fence, FenceError, Passed, Used};
use roost_platform::db::WriteTx;

/// The condition of the claim on a run `q`: it is not handed over to another gateway than `$1`.
pub(super) fn not_for_others(now: &str) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM run_handovers h WHERE h.run_id = q.run_id AND h.epoch = q.epoch \
           AND h.owner <> $1 AND h.until_ms > {now})"
    )
}

/// Passes the fence, gives up the run, and leaves it to the gateway `to` for a while.
///
/// # Errors
/// [`FenceError`].
pub(super) async fn hand_over(
    tx: &WriteTx,
    fence: Fence,
    to: &str,
    while_: Duration,
) -> Result<Passed, FenceError> {
    let passed = fence.pass(tx, Used::default(), 0).await?;
    let while_ = i64::try_from(while_.as_millis()).unwrap_or(i64::MAX);
    let row = handover::ActiveModel {
        run_id: Set(fence.run),
        owner: Set(to.to_owned()),
        epoch: Set(fence.epoch),
        until_ms: Set(passed.updated_ms.saturating_add(while_)),
    };
    use handover::Column::{Epoch, Owner, RunId, UntilMs};
    let mut replaced = OnConflict::column(RunId);
    replaced.update_columns([Owner, Epoch, UntilMs]);
    handover::Entity::insert(row)
        .on_conflict(replaced)
        .exec_without_returning(&**tx)
        .await?;
    // The claim of this gateway was no crash, so it does not count.
    let sql = "UPDATE run_state SET owner = NULL, waiting_on = NULL, claims = claims - 1 \
               WHERE run_id = $1 AND epoch = $2 AND status = 'running'";
    let values = [fence.run.into(), fence.epoch.into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    tx.execute_raw(statement).await?;
    Ok(passed)
}
