//! The table of kill points: one row for each `kill_point!` in the gateway, grouped by domain. Each row states what has
//! happened at the point and what has not, so that the fault test's case follows from it.

use super::killpoints::KillPoint;

/// All kill points.
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
    KillPoint {
        name: "http.idempotency.after_claim",
        place: "a key is claimed and the id of what it creates is fixed; the work has not begun",
    },
    KillPoint {
        name: "http.idempotency.before_answer",
        place: "the work of a key is committed; its answer is neither kept nor sent",
    },
    KillPoint {
        name: "sagas.before_step",
        place: "a saga is due and the lease is held; the step has not begun",
    },
    KillPoint {
        name: "sagas.after_effect",
        place: "the step's outside effect happened; the saga's row does not know it yet",
    },
    KillPoint {
        name: "sagas.after_commit",
        place: "the saga's row says that the step is done; the next one has not been looked for",
    },
    KillPoint {
        name: "runs.claim.after_commit",
        place: "runs are claimed; none of them has an actor yet",
    },
    KillPoint {
        name: "runs.checkpoint.before_commit",
        place: "a step ended or others begin; the transaction that says so is not committed",
    },
    KillPoint {
        name: "runs.checkpoint.after_commit",
        place: "what a step handed over is durable; those that follow are not at work yet",
    },
    KillPoint {
        name: "runs.close.before_commit",
        place: "a run's end is written; its transaction is not committed",
    },
    KillPoint {
        name: "runs.close.after_commit",
        place: "a run is over; nobody who waits for it has been told",
    },
    KillPoint {
        name: "runtime.session.before_model",
        place: "an agent is about to ask its model",
    },
    KillPoint {
        name: "runtime.session.after_model",
        place: "the model answered; the journal does not know it yet",
    },
    KillPoint {
        name: "runtime.session.before_tool",
        place: "the model's turn is in the journal; the tool that it asks for has not been called",
    },
    KillPoint {
        name: "runtime.session.after_tool",
        place: "the tool has done its work; the journal does not know it yet",
    },
    KillPoint {
        name: "audit.chain.before_commit",
        place: "links for entries that waited are appended; their transaction is not committed",
    },
    KillPoint {
        name: "audit.chain.after_commit",
        place: "the links are durable; the writer has not looked for more",
    },
    KillPoint {
        name: "apps.sign_in.after_consume",
        place: "a browser came back and its sign-in is taken; the code was not exchanged",
    },
    KillPoint {
        name: "apps.sign_in.after_exchange",
        place: "the broker holds the token; no row says what it is for",
    },
    KillPoint {
        name: "doors.perform.after_take",
        place: "an approved door is taken; nothing was sent",
    },
    KillPoint {
        name: "doors.perform.after_call",
        place: "the app answered; the door's row does not know it",
    },
    KillPoint {
        name: "fleet.node.after_epoch",
        place: "a machine's connection has its epoch in the store; nothing knows of it in memory and it was not welcomed",
    },
    KillPoint {
        name: "operations.submit.before_row",
        place: "an operation was asked for; nothing is written and nothing was sent",
    },
    KillPoint {
        name: "operations.submit.after_row",
        place: "the operation's row is written; nothing was sent",
    },
    KillPoint {
        name: "operations.submit.after_send",
        place: "the operation is on its way to the machine; the caller does not know yet that it was taken",
    },
    KillPoint {
        name: "operations.finish.before_row",
        place: "the machine reported the end; the row is still open",
    },
    KillPoint {
        name: "operations.finish.after_row",
        place: "the row has its end; who waits was not told and the machine was not acknowledged",
    },
    KillPoint {
        name: "events.writer.before_commit",
        place: "a group of ephemeral events is appended; its transaction is not committed",
    },
    KillPoint {
        name: "events.writer.after_commit",
        place: "a group of ephemeral events is durable and told; the writer still has it in memory",
    },
];
