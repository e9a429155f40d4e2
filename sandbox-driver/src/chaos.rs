//! Named kill points: places where a test can end this process at once, like a power cut.
//!
//! They are always compiled in, so that the tested program is the shipped program. They do nothing unless the
//! environment holds `ROOST_CHAOS=allow` and `ROOST_KILL_POINT=<name>` (or `<name>:<n>` for the n-th passage).
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

macro_rules! kill_points {
    ($($point:ident = $name:literal, $gap:literal;)+) => {
        /// A gap between two effects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KillPoint { $(#[doc = $gap] $point,)+ }

        /// Every point with its name and its gap, for tests that enumerate them.
        pub const KILL_POINTS: &[(KillPoint, &str, &str)] = &[$((KillPoint::$point, $name, $gap),)+];
    };
}

kill_points! {
    Asked = "operation.asked", "an operation arrived, nothing is written";
    Accepted = "operation.accepted", "the ledger holds it synced, the engine was not called";
    ProvisionMade = "provision.made", "the engine made the sandbox, no record exists";
    ProvisionEnded = "provision.ended", "the ledger holds the end, no report was sent";
    ExecLinked = "exec.linked", "the guest answers, no start was sent";
    ExecAsked = "exec.asked", "the start was sent, no answer arrived";
    ExecOutput = "exec.output", "output is stored, none of it was sent";
    ExecExited = "exec.exited", "the guest reported the end, the ledger does not hold it";
    ExecEnded = "exec.ended", "the ledger holds the end, no report was sent";
    DestroyArchived = "destroy.archived", "the workspace is stored, the container still runs";
    DestroyRemoved = "destroy.removed", "the container was removed, the ledger does not record the end";
    DestroyEnded = "destroy.ended", "the ledger holds the end, no report was sent";
    SnapshotPacked = "snapshot.packed", "the chunks of a snapshot are on the disk, no record names it";
    SnapshotRecorded = "snapshot.recorded", "the record names a snapshot, the gateway was not told";
    AckTaken = "ack.taken", "the acknowledgement is written, the spool is not trimmed";
    CompactWritten = "compact.written", "the new ledger is written, the old one still has the name";
    CompactRenamed = "compact.renamed", "the new ledger has the name, the folder is not synced";
}

impl KillPoint {
    /// The name with which a test arms it.
    pub fn name(self) -> &'static str {
        KILL_POINTS
            .iter()
            .find(|(point, _, _)| *point == self)
            .map_or("", |(_, name, _)| name)
    }

    /// Ends the process here if this point is armed and this is the chosen passage.
    pub fn pass(self) {
        let Some(armed) = armed() else { return };
        if armed.point == self && armed.passes.fetch_add(1, Ordering::Relaxed) + 1 == armed.on {
            std::process::abort();
        }
    }
}

struct Armed {
    point: KillPoint,
    on: u32,
    passes: AtomicU32,
}

fn armed() -> Option<&'static Armed> {
    static ARMED: OnceLock<Option<Armed>> = OnceLock::new();
    ARMED
        .get_or_init(|| {
            if std::env::var("ROOST_CHAOS").as_deref() != Ok("allow") {
                return None;
            }
            parse(&std::env::var("ROOST_KILL_POINT").ok()?)
        })
        .as_ref()
}

fn parse(text: &str) -> Option<Armed> {
    let (name, on) = match text.split_once(':') {
        Some((name, on)) => (name, on.parse().ok()?),
        None => (text, 1),
    };
    let Some(point) = KILL_POINTS.iter().find(|(_, known, _)| *known == name) else {
        tracing::error!(name, "no kill point has this name; none is armed");
        return None;
    };
    Some(Armed {
        point: point.0,
        on,
        passes: AtomicU32::new(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kill_point_names_are_unique_and_parse_back() {
        for (point, name, _) in KILL_POINTS {
            assert_eq!(parse(name).map(|armed| armed.point), Some(*point));
            assert_eq!(point.name(), *name);
        }
        assert_eq!(parse("exec.output:3").map(|armed| armed.on), Some(3));
        assert!(parse("no.such").is_none());
    }
}
