//! `claw.retire` (after a soft delete) and `claw.purge`. Later features add their steps between sandbox and rows:
//! volumes, drives, the runtime agent.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use roost_agents::claws::{self, avatar, brain, runtime_record};
use roost_connections::apps::{self, Which};
use roost_connections::doors::{self, AskingRuns};
use roost_execution::runs::{self, RunsHandle};
use roost_execution::tools::tokens;
use roost_machines::sandboxes::{self, SandboxOwner, SandboxesHandle};
use roost_missions::levelups;
use roost_organisation::skills;
use roost_organisation::teams;
use roost_organisation::templates;
use roost_platform::db::WriteTx;
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::ClawId;
use roost_platform::sagas::{Kind, Next, SagaHandler, Step, saga};
use roost_tenancy::auth::WorkspaceScope;

/// The end of an agent.
pub(super) struct ClawEnd {
    pub(super) sandboxes: SandboxesHandle,
    pub(super) runs: RunsHandle,
    /// The runs that request doors.
    pub(super) asking_runs: Arc<dyn AskingRuns>,
}

impl SagaHandler for ClawEnd {
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
            let said = |error: sandboxes::SandboxError| error.to_string();
            // Before its sandbox: a run at work would make another one.
            runs::cancel_of_agent(&self.runs, scope, saga.requested_by, claw)
                .await
                .map_err(|error| error.to_string())?;
            sandboxes::destroy_for_good(&self.sandboxes, scope, claw.into())
                .await
                .map_err(said)?;
            if saga.kind == Kind::ClawPurge.as_str() {
                sandboxes::forget_archives(&self.sandboxes, scope, claw.into())
                    .await
                    .map_err(said)?;
            }
            Ok(())
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
            // After a soft delete too: a connection that ended can do no harm.
            apps::end_connections(tx, scope, Which::Of(claw), now).await?;
            doors::withdraw_of(tx, &*self.asking_runs, scope, claw, now).await?;
            // A proposal's decision locks the agent first, too.
            claws::lock(tx, [claw]).await?;
            // Nobody can apply its pending proposals any more.
            let withdrawn = levelups::withdraw_of(&**tx, scope, claw).await?;
            let mut facts: Vec<Event> = withdrawn
                .into_iter()
                .map(|id| Event::changed(ResourceKind::LevelUp, id, 2))
                .collect();
            if step == Step::Rows
                && let Some(row) = claws::find(&**tx, scope, claw).await?
            {
                // In foreign-key order.
                levelups::remove_of(&**tx, scope, claw).await?;
                teams::forget_seats(&**tx, claw).await?;
                runtime_record::remove_of(&**tx, scope, claw).await?;
                sandboxes::remove_of(tx, scope, SandboxOwner::Claw(claw), now).await?;
                tokens::remove_of(&**tx, scope, claw).await?;
                skills::remove_choices_of(&**tx, scope, claw).await?;
                templates::remove_link_of(&**tx, scope, claw).await?;
                brain::remove_of(&**tx, scope, claw).await?;
                avatar::remove_of(&**tx, scope, claw).await?;
                claws::remove(&**tx, scope, claw).await?;
                facts.push(Event::changed(ResourceKind::Claw, claw, row.version + 1));
            }
            if !facts.is_empty() {
                events::append(tx, scope.workspace(), now, facts).await?;
            }
            Ok(Next::Advance)
        }
        .boxed()
    }
}

fn subject(saga: &saga::Model) -> (WorkspaceScope, ClawId) {
    let scope = WorkspaceScope::of_row(saga.workspace_id);
    (scope, ClawId(saga.subject_id))
}
