//! What is known about each kind of actor beside what the tree sees: what it holds in memory, and why its end loses
//! nothing. A new kind has no sentence until somebody thought about it: the match is exhaustive.

use crate::supervision::ActorKind;

/// What a kind holds, and why that may be thrown away.
pub struct Lore {
    pub holds: &'static str,
    pub lost: &'static str,
}

/// The sentences of a kind.
pub const fn of(kind: ActorKind) -> Lore {
    use ActorKind as K;
    let (holds, lost) = match kind {
        K::Supervisor => (
            "the books of its children: who lives, who waits to be started again",
            "nothing: its fixed children are in its specification, and those that come and go are found again in the database or come back by themselves",
        ),
        K::Job => (
            "one piece of work that is under way",
            "nothing that was committed; what it had not committed was not done, and whoever wants it done begins it again from its row",
        ),
        K::Worker => (
            "nothing between two activations",
            "nothing: each activation reads the database anew and may be repeated",
        ),
        K::CredentialSweeper => (
            "nothing between two looks",
            "nothing: what the secret broker shall forget is a row until it has, and asking again is harmless",
        ),
        K::DoorKeeper => (
            "requests that are on their way to apps",
            "nothing that was not sent: approved doors are rows; one whose answer was not written down is told as unclear and never sent again",
        ),
        K::EventRelay => (
            "how far it has looked",
            "nothing: events are rows before anybody is woken, and it looks at all of them again",
        ),
        K::EventWakes => (
            "nothing: those whose turn has not come wait in the hub",
            "nothing: it goes on waking where it was",
        ),
        K::StreamWatch => (
            "nothing between two looks",
            "nothing: it compares the open streams with the sessions in the database again",
        ),
        K::EventWriter => (
            "ephemeral events that are not committed yet",
            "no fact: facts are written in the transaction of their change; of ephemeral events at most the group that was not committed, which is counted as dropped",
        ),
        K::AuditChain => (
            "the end of the chain that it appends to",
            "nothing: audit rows are written in the transaction of their change, and the chain goes on after its last row",
        ),
        K::Node => (
            "the connection of one machine, what it said last, and the operations that are under way there",
            "nothing: operations are rows before they are sent, the machine's own ledger says what it did, and output is replayed by offset when it is connected again",
        ),
        K::NodeSocket => (
            "one end of a machine's socket",
            "the connection, nothing else: the machine dials again and both sides compare what they have",
        ),
        K::SecretBroker => (
            "the pipe that tells the secret broker's process that its gateway lives",
            "nothing: the broker's records are on its own disk before they are used, and a new process reads them again; requests that were under way break off and say so",
        ),
        K::RuleEvaluator => (
            "since when thresholds are passed",
            "nothing but the time that a threshold had been passed; rules and firings are rows",
        ),
        K::ToolVersionCheck => ("nothing", "nothing: it looks again at its next round"),
        K::MetricsPoller => (
            "nothing",
            "nothing: it asks the hub again at its next round",
        ),
        K::HealthWriter => (
            "the latest heartbeat of each machine that is not written yet",
            "at most one heartbeat a machine, which the next one replaces",
        ),
        K::LocalEngine => (
            "the operations that are under way on this host",
            "nothing: its ledger is synced before the engine is asked, and containers do not end with it",
        ),
        K::Sandbox => (
            "what one sandbox is doing",
            "nothing: its state is a row, its container lives on, its workspace is stored when it ends",
        ),
        K::OrphanSweeper => ("nothing", "nothing: it compares again at its next round"),
        K::RepoSync => (
            "nothing",
            "nothing: a sync that is wanted stands in its connection's row and is given out again",
        ),
        K::RepoMirror => (
            "nothing",
            "nothing: a mirror that is wanted, or shall go, stands in its row and is given out again",
        ),
        K::SagaDriver => (
            "nothing between two steps",
            "nothing: each step is noted in the saga's row, and a step that was cut off is repeated, which it may be",
        ),
        K::Run => (
            "where a run is",
            "nothing: each step is a row, and the run goes on behind its last one",
        ),
        K::RunSweeper => ("nothing", "nothing: it looks again at its next round"),
        K::Mission => (
            "where a mission is",
            "nothing: phases are rows and only commands change them",
        ),
        K::TaskParser => (
            "nothing",
            "nothing: it reads on behind the last text that it noted",
        ),
        K::PdfRenderer => (
            "one report",
            "nothing: the report stays in its queue and is rendered again",
        ),
        K::Summarizer => (
            "one card",
            "nothing: the phase stays without a card until it is written",
        ),
        K::Agent => (
            "what one agent is doing",
            "nothing: its turns are rows, and what was not committed was not said",
        ),
        K::Room => ("who listens", "nothing: messages are rows"),
        K::Routine => (
            "when it is due",
            "nothing: the schedule and each firing are rows",
        ),
        K::Terminal => (
            "one terminal's connection",
            "the connection, nothing else: the command goes on in its sandbox and its output is replayed",
        ),
        K::Subscriber => (
            "one reader's place and a few frames for its connection",
            "nothing: the reader comes back with the id of its last event and gets what it missed from the database",
        ),
        K::HttpListener | K::OperatorListener => (
            "open connections",
            "requests that were under way; what they had committed stays, and a repeat with the same idempotency key gets the first answer",
        ),
        K::RetentionSweeper => (
            "nothing",
            "nothing: what is left is deleted at its next round",
        ),
    };
    Lore { holds, lost }
}
