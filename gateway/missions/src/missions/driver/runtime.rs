//! The runtime of the mission: whether it still stands, and its start.

use super::{Done, Driver, Ready};
use crate::missions::decide::Next;
use crate::missions::facts::Loaded;
use crate::missions::model::{RuntimeState, Status};
use crate::missions::touch::touch;
use crate::missions::{runtime, store};
use roost_platform::supervision::{Failure, JobContext};

impl Driver {
    /// Announces a start. The next look starts the job, so a gateway that dies in between loses nothing.
    pub(super) async fn boot(&mut self, cx: &JobContext, next: Next) -> Result<Done, Failure> {
        let (mut change, loaded) = match self.change_for(&next).await? {
            Ready::Now(change, loaded) => (*change, *loaded),
            Ready::Otherwise => return Ok(Done::Changed),
            Ready::Lost => return Ok(Done::Lost),
        };
        let mut row = loaded.mission;
        row.runtime_state = Some(RuntimeState::Starting.as_str().to_owned());
        row.runtime_detail = None;
        touch(&mut change, row).await?;
        self.commit(cx, change).await
    }

    /// Follows a start, and finds a server that has ended. Returns false when another gateway has the lease.
    pub(super) async fn watch_runtime(&mut self, loaded: &Loaded) -> Result<bool, Failure> {
        if loaded.status() != Status::Running {
            return Ok(true);
        }
        match loaded.runtime {
            None | Some(RuntimeState::Gone) => Ok(true),
            Some(RuntimeState::Starting) => {
                if !self.keep().await? {
                    return Ok(false);
                }
                runtime::ensure(&self.state, self.scope, self.user, self.id).await?;
                Ok(true)
            }
            Some(RuntimeState::Ready) => {
                if runtime::stands(&self.state, self.scope, &loaded.mission).await? {
                    return Ok(true);
                }
                let Some(mut change) = self.change().await? else {
                    return Ok(false);
                };
                let row = store::locked(&change, self.scope, self.id).await?;
                if let Some(mut row) = row
                    && row.runtime_endpoint == loaded.mission.runtime_endpoint
                    && row.runtime_state.as_deref() == Some(RuntimeState::Ready.as_str())
                {
                    row.runtime_state = Some(RuntimeState::Gone.as_str().to_owned());
                    row.runtime_detail = Some("Its server or its sandbox ended.".to_owned());
                    touch(&mut change, row).await?;
                    change.commit().await?;
                }
                Ok(true)
            }
        }
    }
}
