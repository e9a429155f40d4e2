//! Runs operations, one kind a file. Each returns its end; [`Shared::finish`] writes and reports it.
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, ErrorKind, OperationError, Outcome, Report, Terminal};

use super::chaos::KillPoint;
use super::shared::Shared;

mod destroy;
pub mod exec;
mod flush;
mod health;
mod list;
mod provision;
mod verify;

/// How long resumed work waits for an engine that does not answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// Begins an operation that was just recorded.
pub async fn begin(shared: &Arc<Shared>, request: &Arc<OperationRequest>) {
    execute(shared, request, false).await;
}

/// Resumes an operation that an earlier process recorded and did not end.
pub async fn resume(shared: &Arc<Shared>, request: &Arc<OperationRequest>) {
    tracing::info!(operation = %request.id, kind = request.operation.name(), "resuming an operation of an earlier run");
    execute(shared, request, true).await;
}

async fn execute(shared: &Arc<Shared>, request: &Arc<OperationRequest>, resumed: bool) {
    let began = shared.clock.monotonic();
    shared.used(request);
    if let Operation::SbExec(exec) = &request.operation {
        exec::run(shared, request, exec, resumed).await;
        return;
    }
    // Interrupted work has no end in the ledger. The next start repeats it with the same effect.
    let work = shared
        .cut
        .run_until_cancelled(work(shared, request, resumed));
    let Some(Some((outcome, point))) = work.await else {
        return;
    };
    let ended = Ended {
        duration_ms: elapsed_ms(shared, began),
        ..ended(outcome)
    };
    shared.finish(request.id, ended, point).await;
}

/// Every operation except commands; `None` for one that this daemon does not know.
async fn work(
    shared: &Arc<Shared>,
    request: &Arc<OperationRequest>,
    resumed: bool,
) -> Option<(Result<Outcome, OperationError>, Option<KillPoint>)> {
    Some(match &request.operation {
        Operation::SbProvision(provision) => (
            provision::run(shared, request, provision, resumed).await,
            Some(KillPoint::ProvisionEnded),
        ),
        Operation::SbDestroy(destroy) => (
            destroy::run(shared, request, destroy, resumed).await,
            Some(KillPoint::DestroyEnded),
        ),
        Operation::SbHealth(health) => (health::run(shared, health).await, None),
        Operation::SbFlush(flush) => (flush::run(shared, request, flush).await, None),
        Operation::SbList(_) => (list::run(shared).await, None),
        Operation::Verify(verify) => (verify::run(shared, verify).await, None),
        Operation::SbExec(_) | Operation::Unsupported => return None,
    })
}

fn ended(outcome: Result<Outcome, OperationError>) -> Ended {
    match outcome {
        Ok(outcome) => Ended {
            state: Terminal::Done,
            outcome,
            output_end: 0,
            output_dropped: 0,
            duration_ms: 0,
        },
        Err(error) if error.kind == ErrorKind::Cancelled => {
            Ended::without_result(Terminal::Cancelled, error.kind, error.detail)
        }
        Err(error) => Ended::from(error),
    }
}

fn elapsed_ms(shared: &Shared, began: Duration) -> u64 {
    let elapsed = shared.clock.monotonic().saturating_sub(began);
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// Sends human-readable progress.
async fn progress(shared: &Shared, request: &OperationRequest, detail: String) {
    shared.report(request.id, Report::Progress { detail }).await;
}

/// Retries while the engine is away: after a restart of the machine it may start later than the daemon.
async fn patiently<T, F: Future<Output = Result<T, OperationError>>>(
    resumed: bool,
    mut work: impl FnMut() -> F,
) -> Result<T, OperationError> {
    let begun = tokio::time::Instant::now();
    let mut pause = Duration::from_millis(200);
    loop {
        match work().await {
            Err(error) if resumed && is_silence(error.kind) && begun.elapsed() < PATIENCE => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            outcome => return outcome,
        }
    }
}

fn is_silence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::EngineUnavailable | ErrorKind::Interrupted)
}
