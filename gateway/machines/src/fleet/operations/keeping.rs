//! Keeping the output of commands. Most of it is here when a command ends, and its row and its output are written
//! together. The rest is read from the machine afterwards.

use super::OperationsHandle;
use super::command_store::{self, CommandFilter};
use super::entity;
use super::error::OperationsError;
use super::kept::{HEAD_BYTES, KeptOutput, TAIL_BYTES};
use super::ring::Part;
use super::stream::OutputItem;
use roost_platform::db::Older;
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

impl OperationsHandle {
    /// The commands in the sandboxes of a workspace, newest first, with the ends that readers have and the rows have not.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn commands(
        &self,
        scope: WorkspaceScope,
        filter: &CommandFilter,
        older: Older<OperationId>,
        limit: u64,
    ) -> Result<Vec<entity::Model>, OperationsError> {
        let told = self.registry().told();
        let db = self.db().read();
        let mut rows = command_store::commands(db, scope, filter, older, limit).await?;
        for row in &mut rows {
            if let Some((ended, at)) = told.get(&row.id) {
                row.show_end(ended, *at);
            }
        }
        Ok(rows)
    }

    /// Whether somebody reads the output of this operation now.
    pub fn is_read(&self, id: OperationId) -> bool {
        let live = self.registry().get(id);
        live.is_some_and(|live| live.is_read())
    }

    /// Keeps the first and the last bytes of the output of a command that ended, unless that was done with its end.
    ///
    /// # Errors
    /// When the operation is unknown, another gateway has its machine, or the store fails.
    pub async fn keep_output(&self, id: OperationId) -> Result<(), OperationsError> {
        if self.registry().get(id).is_some_and(|live| live.is_kept()) {
            return Ok(());
        }
        let row = self.row(id).await?;
        let (Some(ended), Some(workspace)) = (row.ended(), row.workspace_id) else {
            return Ok(());
        };
        let is_recorded = row.owner_kind.is_some() && ended.output_end > 0;
        if !is_recorded
            || command_store::kept_of(self.db().read(), id)
                .await?
                .is_some()
        {
            return Ok(());
        }
        let mut kept = KeptOutput::default();
        let tail = ended.output_end.saturating_sub(TAIL_BYTES).max(HEAD_BYTES);
        self.read_into(&mut kept, id, 0, HEAD_BYTES.min(ended.output_end))
            .await?;
        self.read_into(&mut kept, id, tail, ended.output_end)
            .await?;
        if kept.is_empty() {
            return Ok(());
        }
        let tx = self.db().write().await?;
        command_store::keep(&tx, workspace, id, &kept).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn read_into(
        &self,
        kept: &mut KeptOutput,
        id: OperationId,
        from: u64,
        to: u64,
    ) -> Result<(), OperationsError> {
        if from >= to {
            return Ok(());
        }
        let mut output = self.subscribe(id, from).await?;
        while let Some(OutputItem::Part(part)) = output.next().await {
            kept.add(&part, from, to);
            if Part::end(&part) >= to {
                break;
            }
        }
        Ok(())
    }
}
