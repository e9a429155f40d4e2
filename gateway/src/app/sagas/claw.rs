//! `claw.retire` (after a soft delete) and `claw.purge`. Later features put their steps between sandbox and rows:
//! volumes, drives, the runtime agent.

use chrono::{DateTime, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use crate::db::WriteTx;
use crate::domains::apps::{self, store::Which};
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::{avatar, brain, store as claws};
use crate::domains::doors;
use crate::domains::sandboxes::{self, SandboxesHandle};
use crate::domains::teams;
use crate::domains::tools::tokens;
use crate::domains::{skills, templates};
use crate::events::{self, Event, ResourceKind};
use crate::ids::ClawId;
use crate::sagas::{Carrier, Next, Step, saga};

/// The end of an agent.
pub(super) struct ClawEnd {
    pub(super) sandboxes: SandboxesHandle,
}

impl Carrier for ClawEnd {
    fn effect<'a>(
        &'a self,
        saga: &'a saga::Model,
        step: Step,
    ) -> BoxFuture<'a, Result<(), String>> {
        async move {
            if step != Step::Sandbox {
                return Ok(());
            }
            let (scope, claw) = subject(saga);
            let gone = sandboxes::commands::destroy_for_good(&self.sandboxes, scope, claw).await;
            gone.map_err(|error| error.to_string())
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        saga: &'a saga::Model,
        step: Step,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Next, DbErr>> {
        async move {
            let (scope, claw) = subject(saga);
            // Also after a soft delete: what nobody uses any more can do no harm.
            apps::store::end(tx, scope, Which::Of(claw), now).await?;
            doors::withdraw_of(tx, scope, claw, now).await?;
            if step == Step::Rows
                && let Some(row) = claws::get(&**tx, scope, claw).await?
            {
                // In foreign-key order.
                teams::store::forget_agent(&**tx, scope, claw).await?;
                sandboxes::store::remove_of(&**tx, scope, claw).await?;
                tokens::store::remove_of(&**tx, scope, claw).await?;
                skills::store_choices::remove_of(&**tx, scope, claw).await?;
                templates::store_links::remove_of(&**tx, scope, claw).await?;
                brain::store::remove_of(&**tx, scope, claw).await?;
                avatar::store::remove_of(&**tx, scope, claw).await?;
                claws::remove(&**tx, scope, claw).await?;
                let fact = Event::changed(ResourceKind::Claw, claw, row.version + 1);
                events::append(tx, scope.workspace(), now, [fact]).await?;
            }
            Ok(Next::Onward)
        }
        .boxed()
    }
}

fn subject(saga: &saga::Model) -> (WorkspaceScope, ClawId) {
    let scope = WorkspaceScope::of_row(saga.workspace_id);
    (scope, ClawId(saga.subject_id))
}
