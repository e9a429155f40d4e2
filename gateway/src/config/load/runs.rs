//! Reading `[runs]`.

use std::time::Duration;

use super::{DAY, Reader};
use crate::config::Runs;

impl Reader {
    pub(super) fn runs(&mut self) -> Runs {
        Runs {
            at_once: self.number("runs.at_once", 256, 1, 100_000),
            lease: Duration::from_secs(self.number("runs.lease_seconds", 30, 3, 3_600)),
            machine_wait: Duration::from_secs(self.number(
                "runs.machine_wait_seconds",
                1_800,
                1,
                7 * DAY,
            )),
            outputs: Duration::from_secs(
                DAY * self.number::<u64>("runs.retention_days", 30, 1, 3_650),
            ),
            ceiling: match self.number::<i64>("runs.ceiling_usd", 0, 0, 1_000_000) {
                0 => None,
                usd => Some(usd * 1_000_000),
            },
            max_turns: self.number("runs.max_turns", 5_000, 1, 1_000_000),
            script: self.optional("runs.script"),
        }
    }
}
