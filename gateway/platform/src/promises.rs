//! The promises of the node channel, and the places in the code that watch them. Each watch counts one of two findings:
//! a promise was defended (a second end was refused, a fence failed), or it was broken. The second count must stay at
//! zero.
//!
//! The counters belong to the process, like the metrics with the same numbers. The code that defends a promise is deep
//! in an actor and has no handle for them.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use utoipa::ToSchema;

/// The meaning of a watch's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// An event that would have broken the promise was stopped.
    Defended,
    /// The promise was broken, by a fault of Roost or of a machine.
    Broken,
}

/// A guarantee to the users of this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    pub id: &'static str,
    pub text: &'static str,
    /// Whether this version makes the promise. The others are shown as not yet made.
    pub promised: bool,
}

/// All promises.
pub const PROMISES: &[Promise] = &[
    Promise {
        id: "P1",
        promised: true,
        text: "An accepted operation ends in exactly one state that its caller sees: done, failed, cancelled or lost.",
    },
    Promise {
        id: "P2",
        promised: true,
        text: "The same operation starts at most once on a machine, across reconnects and restarts of its daemon.",
    },
    Promise {
        id: "P3",
        promised: true,
        text: "Output can be read again from any offset until its retention ends; a gap is marked, never silent.",
    },
    Promise {
        id: "P4",
        promised: false,
        text: "A sandbox outlives its lease by at most 60 s, also without a gateway; its stored workspace stays.",
    },
    Promise {
        id: "P5",
        promised: false,
        text: "After a reconnect both inventories converge. Roost removes no new container, and touches no container without its labels.",
    },
    Promise {
        id: "P6",
        promised: true,
        text: "A connection with an older epoch can neither receive nor report.",
    },
    Promise {
        id: "P7",
        promised: true,
        text: "A draining machine gets no new work. Roost shows it as drained only after the machine confirms that it is empty.",
    },
    Promise {
        id: "P8",
        promised: true,
        text: "Losing contact for less than the lease destroys nothing.",
    },
    Promise {
        id: "P9",
        promised: false,
        text: "Machines reconnect with jitter, so ten thousand machines do not overload the gateway.",
    },
    Promise {
        id: "P10",
        promised: false,
        text: "Versions one minor apart work together. An end answers “unsupported” to a request that it does not know.",
    },
];

macro_rules! watches {
    ($($variant:ident, $slug:literal, $promise:literal, $finding:ident, $says:literal;)+) => {
        /// A place in the code that watches a promise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Watch { $($variant,)+ }

        impl Watch {
            /// All watches.
            pub const ALL: &'static [Watch] = &[$(Watch::$variant),+];

            /// The name in metrics.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// The id of the promise that it watches.
            pub const fn promise(self) -> &'static str {
                match self { $(Self::$variant => $promise,)+ }
            }

            /// The meaning of its count.
            pub const fn finding(self) -> Finding {
                match self { $(Self::$variant => Finding::$finding,)+ }
            }

            /// The explanation for people.
            pub const fn says(self) -> &'static str {
                match self { $(Self::$variant => $says,)+ }
            }
        }

        static COUNTS: [AtomicU64; Watch::ALL.len()] = [const { AtomicU64::new(0) }; Watch::ALL.len()];
    };
}

watches! {
    SecondEnd, "second_end", "P1", Defended,
        "A machine reported a second end of an operation. The gateway refused it and kept the first end.";
    Disbelieved, "answer_disbelieved", "P1", Defended,
        "A machine's answer did not match the request. The gateway discarded it.";
    EndChanged, "end_changed", "P1", Broken,
        "A caller received one end of an operation, and later another end.";
    RepeatNotSent, "repeat_not_sent", "P2", Defended,
        "A request that was already accepted was repeated. The gateway did not send it a second time.";
    ListedTwice, "listed_twice", "P2", Broken,
        "A machine lists the same operation twice in its ledger.";
    BeyondRefused, "output_beyond", "P3", Defended,
        "Output does not continue the stored output. The gateway discarded it and requests it again.";
    OutputRefused, "output_refused", "P3", Defended,
        "A machine sent an invalid output offset. The gateway closed its connection.";
    GapMarked, "gap_marked", "P3", Defended,
        "A reader received a mark for bytes that are no longer available.";
    SilentHole, "silent_hole", "P3", Broken,
        "A reader would have received output that does not continue at its offset, without a mark.";
    StaleFrame, "stale_frame", "P6", Defended,
        "The gateway ignored a frame of a replaced connection.";
    FenceFell, "fence_fell", "P6", Defended,
        "A write with an older connection's epoch changed nothing, because a newer connection exists or the machine was removed.";
    EpochNotNewer, "epoch_not_newer", "P6", Broken,
        "A new connection of a machine has an epoch that is not newer than the previous epoch.";
    PlacementRefused, "placement_refused", "P7", Defended,
        "The gateway refused to place a new sandbox on a draining machine.";
    DrainedNotEmpty, "drained_not_empty", "P7", Broken,
        "Roost showed a machine as drained while the machine reported sandboxes.";
    ContactLost, "contact_lost", "P8", Defended,
        "Contact with a machine was lost. Roost destroyed nothing.";
    ClaimedRemoved, "claimed_removed", "P8", Broken,
        "A machine removed a sandbox as an orphan, but a row refers to that sandbox.";
}

impl Watch {
    /// Counts once. A broken promise is also logged as an error; `about` names its subject.
    pub fn note(self, about: &dyn std::fmt::Display) {
        COUNTS[self as usize].fetch_add(1, Ordering::Relaxed);
        let finding = match self.finding() {
            Finding::Defended => "defended",
            Finding::Broken => {
                tracing::error!(promise = self.promise(), watch = self.slug(), %about, "a promise was broken: {}", self.says());
                "broken"
            }
        };
        metrics::counter!("roost_promise_watch_total", "promise" => self.promise(), "watch" => self.slug(), "finding" => finding)
            .increment(1);
    }

    /// Its count since the process started.
    pub fn count(self) -> u64 {
        COUNTS[self as usize].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_made_promise_has_a_defended_and_a_broken_watch() {
        for promise in PROMISES {
            let of_it = Watch::ALL
                .iter()
                .filter(|watch| watch.promise() == promise.id);
            let found: HashSet<Finding> = of_it.map(|watch| watch.finding()).collect();
            let expected = if promise.promised { 2 } else { 0 };
            assert_eq!(found.len(), expected, "{}", promise.id);
        }
        let slugs: HashSet<&str> = Watch::ALL.iter().map(|watch| watch.slug()).collect();
        assert_eq!(slugs.len(), Watch::ALL.len());
    }

    #[test]
    fn a_watch_counts_itself_alone() {
        // The counters belong to the process. Only this test notes these two.
        let counts = || (Watch::ListedTwice.count(), Watch::FenceFell.count());
        assert_eq!(counts(), (0, 0));
        Watch::ListedTwice.note(&"a test");
        assert_eq!(counts(), (1, 0));
    }
}
