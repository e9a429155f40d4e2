//! The table of kill points: one row for each `kill_point!` in the gateway. Rows are grouped by domain; say what
//! has happened when the point is reached and what has not, so that the fault test's case can be read from it.

use super::killpoints::KillPoint;

/// Every kill point there is.
pub const KILL_POINTS: &[KillPoint] = &[
    KillPoint {
        name: "actor.before_handle",
        place: "a message was taken from the mailbox; the actor has not seen it",
    },
    KillPoint {
        name: "actor.after_handle",
        place: "the actor handled a message; it is not counted yet",
    },
    KillPoint {
        name: "supervision.exit_noticed",
        place: "a child ended; the supervisor has not decided yet",
    },
    KillPoint {
        name: "supervision.before_restart",
        place: "a restart is due; the child has not been started yet",
    },
];
