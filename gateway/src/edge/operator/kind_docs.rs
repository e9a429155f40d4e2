//! Descriptions of each kind of actor that the tree itself does not have: what the actor holds in memory, and why its
//! end loses nothing. The match is exhaustive, so a new kind needs a description.

use roost_platform::supervision::ActorKind;

/// What a kind holds, and why its loss does no harm.
pub struct KindDoc {
    pub holds: &'static str,
    pub lost: &'static str,
}

/// The sentences of a kind.
pub const fn of(kind: ActorKind) -> KindDoc {
    use ActorKind as K;
    let (holds, lost) = match kind {
        K::Supervisor => (
            "the state of its children: which ones run, and which ones wait for a restart",
            "nothing: its specification lists its fixed children; the others are in the database or connect again",
        ),
        K::Job => (
            "one task in progress",
            "no committed change; uncommitted work did not happen, and the task starts again from its row",
        ),
        K::Worker => (
            "nothing between two runs",
            "nothing: each run reads the database again and may be repeated",
        ),
        K::CredentialSweeper => (
            "nothing between two checks",
            "nothing: each credential to delete is a row until the secret broker has deleted it, and a repeated request is harmless",
        ),
        K::RefusedSignIns => (
            "nothing between two checks",
            "nothing: each refused sign-in is a row until the audit log has it",
        ),
        K::MailSender => (
            "a conversation with the mail server in progress",
            "nothing: mails are rows until they are sent or given up. A mail that was sent just before may be sent again",
        ),
        K::MailNotices => (
            "nothing between two checks",
            "nothing: it compares runs and approvals with the queued mails again",
        ),
        K::DoorExecutor => (
            "requests in progress to apps",
            "no unsent request: approved doors are rows; a door without a recorded answer is shown as unclear and never sent again",
        ),
        K::EventRelay => (
            "the position of its last read",
            "nothing: events are rows before a subscriber wakes up, and it reads all of them again",
        ),
        K::WakeBatches => (
            "nothing: subscribers that wait are in the hub",
            "nothing: it continues where it stopped",
        ),
        K::StreamWatch => (
            "nothing between two checks",
            "nothing: it compares the open streams with the sessions in the database again",
        ),
        K::StreamClock => (
            "when each open stream gets its next heartbeat, and when it ends",
            "nothing: the streams stay registered, and the next one continues",
        ),
        K::StreamSender => (
            "the connections of open streams, and the bytes that they have not taken",
            "no event: events are rows; these connections close, and the clients reconnect where they were",
        ),
        K::Committer => (
            "the writes of runs that wait for their batch",
            "nothing that was answered: a batch is committed as a whole or not at all, and a run whose write got no answer reads its rows again",
        ),
        K::EventWriter => (
            "uncommitted ephemeral events",
            "no fact: facts are written in the transaction of their change; at most one group of uncommitted ephemeral events, which is counted as dropped",
        ),
        K::AuditChain => (
            "the end of the chain that it appends to",
            "nothing: audit rows are written in the transaction of their change, and the chain continues after its last row",
        ),
        K::Node => (
            "the connection of one machine, its last report, and the operations in progress there",
            "nothing: operations are rows before they are sent, the machine's ledger records what it did, and output is read again by offset after it reconnects",
        ),
        K::SecretBroker => (
            "the pipe that keeps the secret broker's process running",
            "no record: the broker stores a record before it uses it, and a new process reads it again; requests in progress end with an error",
        ),
        K::HealthWriter => (
            "the latest unwritten heartbeat of each machine",
            "at most one heartbeat for each machine; the next one replaces it",
        ),
        K::LocalEngine => (
            "the operations in progress on this host",
            "nothing: its ledger is synced before each call of the engine, and containers continue without it",
        ),
        K::OrphanSweeper => ("nothing", "nothing: it compares again in its next round"),
        K::RepoSync => (
            "nothing",
            "nothing: a requested sync is in its connection's row and starts again",
        ),
        K::RepoMirror => (
            "nothing",
            "nothing: a mirror to fetch or to delete is a row, and the work starts again",
        ),
        K::SagaDriver => (
            "nothing between two steps",
            "nothing: each step is recorded in the saga's row, and an interrupted step is safe to repeat",
        ),
        K::Mission => (
            "the places of the markers that it read",
            "nothing: what comes next follows from the rows of the mission and its runs; it reads the markers again, and each counts once",
        ),
        K::PdfRenderer => (
            "the documents that it typesets, and their processes, which end with it",
            "nothing: a PDF that is not ready is a pending artifact, and a gateway makes it again",
        ),
        K::RoutineScheduler => (
            "nothing",
            "nothing: a firing and what it starts are one transaction, and a due time that was not handled stays in the routine's row",
        ),
        K::Summarizer => (
            "the questions to the model",
            "nothing: a card without its narrative stays due, and a model is asked again",
        ),
        K::Run => (
            "the position of a run",
            "nothing: each step is a row, and the run continues after its last one",
        ),
        K::RunSweeper => ("nothing", "nothing: it checks again in its next round"),
        K::Subscriber => (
            "the position of one reader, and a few frames for its connection",
            "nothing: the reader reconnects with the id of its last event, and reads the missed events from the database",
        ),
        K::HttpListener | K::OperatorListener => (
            "open connections",
            "requests in progress; their committed changes stay, and a repeat with the same idempotency key gets the first answer",
        ),
        K::MemoryTrimmer => (
            "nothing",
            "nothing: the process uses more memory until its next check",
        ),
        K::RetentionSweeper => ("nothing", "nothing: its next round deletes the rest"),
    };
    KindDoc { holds, lost }
}
