//! Performs what was approved, ends what nobody decided, tells what was cut off.
//!
//! Position: `foundation/door-keeper`. Children: none. Restart: permanent; it holds nothing between two looks.

use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use sea_orm::DbErr;

use super::entity::Model;
use super::model::Outcome;
use super::{catalogue, store};
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::apps::AppCaller;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::events::Decision;
use crate::ids::SharedIds;
use crate::kill_point;
use crate::supervision::KillPoints;

/// How often it looks without being nudged.
pub const PERIOD: Duration = Duration::from_secs(2);
/// Performed at the same time.
const AT_ONCE: u64 = 8;
/// After this long whoever began it is dead: a call ends well before.
const LONGEST: TimeDelta = TimeDelta::minutes(2);

/// What it needs.
#[derive(Clone)]
pub struct DoorKeeper {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub apps: AppCaller,
    pub kill_points: KillPoints,
}

impl DoorKeeper {
    /// One look. Every step is one statement that only one gateway gets, so that all of them may look.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look(&self) -> Result<(), DbErr> {
        self.expire().await?;
        self.tell_cut_off().await?;
        loop {
            let some = store::approved(self.db.read(), AT_ONCE).await?;
            if some.is_empty() {
                return Ok(());
            }
            for done in join_all(some.into_iter().map(|door| self.perform(door))).await {
                done?;
            }
        }
    }

    async fn expire(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let over = store::expire(&tx, now).await?;
        for door in &over {
            store::tell_resolved(&mut tx, door, Decision::Deny, None, now).await?;
            self.record(&tx, door, "door.expired", None).await?;
        }
        tx.commit().await
    }

    async fn tell_cut_off(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        for door in store::cut_off(self.db.read(), now - LONGEST).await? {
            self.end(&door, &Outcome::cut_off()).await?;
        }
        Ok(())
    }

    async fn perform(&self, door: Model) -> Result<(), DbErr> {
        let tx = self.db.write().await?;
        let mine = store::take(&tx, door.id, self.clock.now()).await?;
        tx.commit().await?;
        if !mine {
            return Ok(());
        }
        kill_point!(self.kill_points, "doors.perform.after_take");
        let outcome = match catalogue::action(&door.action)
            .map(|action| (action, action.plan(&door.params)))
        {
            Some((action, Ok(plan))) => {
                let scope = WorkspaceScope::of_row(door.workspace_id);
                let key = door.id.to_string();
                let called = self
                    .apps
                    .call(
                        scope,
                        door.agent_id,
                        action.provider,
                        plan.outgoing,
                        &door.address,
                        &key,
                    )
                    .await;
                if let Err(error) = &called {
                    tracing::warn!(door = %door.id, action = door.action, error = error as &dyn std::error::Error, "a door could not be performed");
                }
                Outcome::of(&called)
            }
            // A gateway of another version wrote it.
            _ => Outcome {
                state: super::model::DoorState::Failed,
                status: None,
                url: None,
                message: Some("This gateway's catalogue has no such action any more.".into()),
            },
        };
        kill_point!(self.kill_points, "doors.perform.after_call");
        self.end(&door, &outcome).await
    }

    async fn end(&self, door: &Model, outcome: &Outcome) -> Result<(), DbErr> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        if store::end(&mut tx, door, outcome, now).await? {
            let action = format!("door.{}", outcome.state.as_str());
            self.record(&tx, door, &action, outcome.status).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// On the authority of whoever decided, or asked.
    async fn record(
        &self,
        tx: &crate::db::WriteTx,
        door: &Model,
        action: &str,
        status: Option<u16>,
    ) -> Result<(), DbErr> {
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let by = door.decided_by.unwrap_or(door.requested_by);
        let details = serde_json::json!({
            "action": door.action, "target": door.target, "agent_id": door.agent_id,
            "agent": door.agent_name, "status": status,
        });
        let entity = ("door", &door.id as &(dyn std::fmt::Display + Sync));
        audit::record(
            tx,
            &self.ids,
            self.clock.now(),
            scope,
            by,
            action,
            entity,
            details,
        )
        .await
    }
}
