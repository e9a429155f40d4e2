//! The table of kill points: one row for each `kill_point!` in the gateway, grouped by domain. Each row states what has
//! happened at the point and what has not, so that the fault test's case follows from it.

use super::killpoints::KillPoint;

/// All kill points.
pub const KILL_POINTS: &[KillPoint] = &[
    KillPoint {
        name: "actor.before_handle",
        place: "a message was taken from the mailbox; the actor has not handled it",
    },
    KillPoint {
        name: "actor.after_handle",
        place: "the actor handled a message; the count does not include it yet",
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
        place: "a key is claimed and the id of the new row is fixed; the work has not begun",
    },
    KillPoint {
        name: "http.idempotency.before_answer",
        place: "the work of a key is committed; its answer is neither stored nor sent",
    },
    KillPoint {
        name: "sagas.before_step",
        place: "a saga is due and this gateway has the lease; the step has not begun",
    },
    KillPoint {
        name: "sagas.after_effect",
        place: "the step's outside effect happened; the saga's row does not record it yet",
    },
    KillPoint {
        name: "sagas.after_commit",
        place: "the saga's row records the step as done; the driver has not read the next step yet",
    },
    KillPoint {
        name: "runs.claim.after_commit",
        place: "runs are claimed; none of them has an actor yet",
    },
    KillPoint {
        name: "runs.checkpoint.before_commit",
        place: "a step ended or new steps begin; the committer does not have the write yet",
    },
    KillPoint {
        name: "runs.checkpoint.after_commit",
        place: "a step's output is durable; the next steps have not started",
    },
    KillPoint {
        name: "runs.close.before_commit",
        place: "a run's end is written; its transaction is not committed",
    },
    KillPoint {
        name: "runs.close.after_commit",
        place: "a run's end is durable; it is not announced yet",
    },
    KillPoint {
        name: "runs.hand_over.before_commit",
        place: "a run moves to the gateway that holds its machine; the transaction is not committed",
    },
    KillPoint {
        name: "runs.hand_over.after_commit",
        place: "the run is left to the other gateway; its actor still lives here",
    },
    KillPoint {
        name: "missions.step.before_commit",
        place: "a phase begins or ends, or a mission does; the transaction is not committed",
    },
    KillPoint {
        name: "missions.step.after_commit",
        place: "the begin or the end is durable; the mission's actor has not looked at what follows",
    },
    KillPoint {
        name: "missions.hold.after_mark",
        place: "a paused mission's runs are marked as paused by it; no run is paused yet",
    },
    KillPoint {
        name: "missions.resume.after_runs",
        place: "the runs of a mission are resumed; they are still marked as paused by it",
    },
    KillPoint {
        name: "narratives.write.after_answer",
        place: "a model wrote the narrative of a card; the card does not have it yet",
    },
    KillPoint {
        name: "pdfs.make.after_take",
        place: "a gateway has the lease of a pending PDF; nothing is typeset",
    },
    KillPoint {
        name: "pdfs.make.before_record",
        place: "the PDF is typeset; its artifact is still pending",
    },
    KillPoint {
        name: "routines.fire.before_commit",
        place: "a routine fires and what it starts is made; the transaction is not committed",
    },
    KillPoint {
        name: "routines.fire.after_commit",
        place: "the firing and what it started are durable; the scheduler has not looked at the next routine",
    },
    KillPoint {
        name: "waits.park.before_commit",
        place: "a step waits for something outside, and its run perhaps too; the transaction is not committed",
    },
    KillPoint {
        name: "waits.park.after_commit",
        place: "the run is parked; its actor still lives",
    },
    KillPoint {
        name: "committer.before_commit",
        place: "a batch of writes of runs is written; its transaction is not committed",
    },
    KillPoint {
        name: "committer.after_commit",
        place: "a batch is durable and published; none of its writers has an answer yet",
    },
    KillPoint {
        name: "runtime.session.before_model",
        place: "an agent is about to ask its model",
    },
    KillPoint {
        name: "runtime.session.after_model",
        place: "the model answered; the journal does not record it yet",
    },
    KillPoint {
        name: "runtime.session.before_tool",
        place: "the model's turn is in the journal; the requested tool has not been called",
    },
    KillPoint {
        name: "runtime.session.after_tool",
        place: "the tool has done its work; the journal does not record it yet",
    },
    KillPoint {
        name: "audit.chain.before_commit",
        place: "links for waiting entries are appended; the transaction is not committed",
    },
    KillPoint {
        name: "audit.chain.after_commit",
        place: "the links are durable; the writer has not read the next entries",
    },
    KillPoint {
        name: "apps.sign_in.after_consume",
        place: "a browser returned and its sign-in is consumed; the code is not exchanged yet",
    },
    KillPoint {
        name: "apps.sign_in.after_exchange",
        place: "the broker stores the token; no row refers to it yet",
    },
    KillPoint {
        name: "doors.perform.after_take",
        place: "an approved door is claimed; nothing was sent",
    },
    KillPoint {
        name: "doors.perform.before_send",
        place: "the door's row says that it is being sent; nothing was sent",
    },
    KillPoint {
        name: "doors.perform.after_call",
        place: "the app answered; the door's row does not record it yet",
    },
    KillPoint {
        name: "fleet.node.after_epoch",
        place: "the epoch of a machine's connection is in the store; it is not in memory, and no welcome was sent",
    },
    KillPoint {
        name: "operations.submit.before_row",
        place: "an operation was requested; nothing is written and nothing was sent",
    },
    KillPoint {
        name: "operations.submit.after_row",
        place: "the operation's row is written; nothing was sent",
    },
    KillPoint {
        name: "operations.submit.after_send",
        place: "the operation was sent to the machine; the caller has no answer yet",
    },
    KillPoint {
        name: "operations.finish.told",
        place: "the callers of a command on the gateway's own host have its end; the row is still open",
    },
    KillPoint {
        name: "operations.finish.before_row",
        place: "the machine reported the end; the row is still open",
    },
    KillPoint {
        name: "operations.finish.after_row",
        place: "the row has its end; the callers have no answer, and the machine has no acknowledgement",
    },
    KillPoint {
        name: "events.writer.before_commit",
        place: "a group of ephemeral events is appended; its transaction is not committed",
    },
    KillPoint {
        name: "events.writer.after_commit",
        place: "a group of ephemeral events is durable and delivered; the writer still has it in memory",
    },
    KillPoint {
        name: "levelups.propose.after_answer",
        place: "the model answered; the proposal is not stored yet",
    },
    KillPoint {
        name: "levelups.apply.before_commit",
        place: "the approved items are applied and recorded; the transaction is not committed",
    },
    KillPoint {
        name: "levelups.apply.after_commit",
        place: "the decision is durable; its caller has no answer yet",
    },
];
