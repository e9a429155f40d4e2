//! Sweep: removes orphaned sandboxes. Only those with our labels, of this owner, and past the grace period.
use std::collections::HashSet;
use std::time::Duration;

use roost_protocol::ids::SandboxId;

use crate::driver::{Driver, now_s};
use crate::error::DriverError;
use crate::list::{facts, is_probe};
use crate::names;

/// A probe sandbox lives for seconds. An older one belongs to a `verify` that died.
const PROBE_GRACE: Duration = Duration::from_secs(600);

impl Driver {
    /// Removes every sandbox of this owner that is not in `keep` and is older than `grace`, by the engine's creation
    /// time. Returns what was removed. A sandbox that cannot be removed is left for the next sweep.
    ///
    /// # Errors
    /// The engine's error when it cannot list.
    pub async fn sweep(
        &self,
        keep: &HashSet<SandboxId>,
        grace: Duration,
    ) -> Result<Vec<SandboxId>, DriverError> {
        let now = now_s();
        let mut gone = Vec::new();
        for summary in self.ours().await? {
            let Some(facts) = facts(&summary) else {
                continue;
            };
            let probe = is_probe(&summary);
            let name = format!("/{}", names::container(facts.sandbox));
            let named = summary.names.iter().flatten().any(|held| *held == name);
            let grace = if probe { PROBE_GRACE } else { grace };
            let age = now.saturating_sub(summary.created.unwrap_or(now));
            let over = age >= 0 && age.unsigned_abs() >= grace.as_secs();
            if !named || !over || (!probe && keep.contains(&facts.sandbox)) {
                continue;
            }
            match self.remove(facts.sandbox).await {
                Ok(()) => gone.push(facts.sandbox),
                Err(error) => {
                    tracing::warn!(sandbox = %facts.sandbox, %error, "cannot remove an orphan");
                }
            }
        }
        Ok(gone)
    }
}
