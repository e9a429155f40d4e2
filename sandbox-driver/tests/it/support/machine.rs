//! An executor in its own folder, as a daemon has it, driven by the channel's messages.
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::ids::{InstallId, OperationId, SandboxId};
use roost_protocol::operation::{Destroy, Exec, OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::output::Piece;
use roost_protocol::report::{Ended, Outcome, Report};
use roost_protocol::sandbox::SandboxSpec;
use roost_protocol::snapshot::Stored;
use roost_sandbox_driver::Remote;
use roost_sandbox_driver::executor::{
    Event, Events, Executor, ExecutorClock, ExecutorConfig, ExecutorHandle, OwnerPolicy,
    SNAPSHOTS_EVERY,
};

use super::operation;

/// How long a test waits for an expected event.
const PATIENCE: Duration = Duration::from_secs(120);

/// The machine.
pub struct Machine {
    pub executor: ExecutorHandle,
    pub events: Events,
    /// Every snapshot that was reported so far.
    pub snapshots: Vec<Stored>,
    _folder: tempfile::TempDir,
    config: ExecutorConfig,
}

/// Output of a command: its bytes, and how many are missing.
#[derive(Debug, Default)]
pub struct Output {
    pub bytes: u64,
    pub missing: u64,
    pub ended: Option<Ended>,
}

impl Machine {
    pub async fn start(policy: OwnerPolicy) -> Self {
        Self::start_as(|config| config.policy = policy).await
    }

    /// A machine that takes snapshots so often in a long command.
    pub async fn start_snapping(every: Duration) -> Self {
        Self::start_as(|config| config.snapshots_every = every).await
    }

    /// A machine that reaches a store of snapshots.
    pub async fn start_with(policy: OwnerPolicy, remote: Arc<dyn Remote>) -> Self {
        Self::start_as(|config| {
            config.policy = policy;
            config.remote = Some(remote);
        })
        .await
    }

    /// A machine with these changes of what a test usually has.
    pub async fn start_as(change: impl FnOnce(&mut ExecutorConfig)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = ExecutorConfig {
            state_dir: folder.path().join("state"),
            node: None,
            install: InstallId(uuid::Uuid::now_v7()),
            engine: None,
            image: None,
            policy: OwnerPolicy::default(),
            clock: ExecutorClock::system(),
            remote: None,
            images: None,
            snapshots_every: SNAPSHOTS_EVERY,
        };
        change(&mut config);
        let (executor, events) = Executor::start(config.clone()).await.expect("it starts");
        Self {
            executor,
            events,
            snapshots: Vec::new(),
            _folder: folder,
            config,
        }
    }

    /// Stops the executor in order and starts another one on the same state.
    pub async fn again(&mut self) {
        self.executor.shutdown().await;
        let (executor, events) = Executor::start(self.config.clone())
            .await
            .expect("it starts");
        (self.executor, self.events) = (executor, events);
    }

    pub fn state(&self, name: &str) -> PathBuf {
        self.config.state_dir.join(name)
    }

    pub async fn provision(&mut self, spec: &SandboxSpec) -> Outcome {
        self.provision_from(spec, None).await
    }

    /// Provisions a sandbox with a stored workspace.
    pub async fn provision_from(&mut self, spec: &SandboxSpec, restore: Option<&str>) -> Outcome {
        let provision = Provision {
            spec: spec.clone(),
            restore: restore.map(str::to_owned),
        };
        self.done(spec, Operation::SbProvision(provision)).await
    }

    /// Waits for the next snapshot that is reported.
    pub async fn stored(&mut self) -> Stored {
        loop {
            if let Event::Reply(ControlReply::Stored { snapshot }) = self.next().await {
                return snapshot;
            }
        }
    }

    /// Waits until a snapshot could not be taken, and returns why.
    pub async fn not_stored(&mut self) -> String {
        loop {
            if let Event::Reply(ControlReply::NotStored { detail, .. }) = self.next().await {
                return detail;
            }
        }
    }

    /// Waits until a sandbox is gone, and returns which and why.
    pub async fn gone(&mut self) -> (SandboxId, GoneCause) {
        loop {
            if let Event::Reply(ControlReply::SandboxGone { sandbox, cause }) = self.next().await {
                return (sandbox, cause);
            }
        }
    }

    pub async fn destroy(&mut self, spec: &SandboxSpec, archive: bool) -> Outcome {
        let sandbox = spec.sandbox;
        self.done(spec, Operation::SbDestroy(Destroy { sandbox, archive }))
            .await
    }

    async fn done(&mut self, spec: &SandboxSpec, asked: Operation) -> Outcome {
        let id = self.ask(spec, asked);
        let outputs = self.receive(&[id]).await.remove(&id);
        outputs
            .and_then(|outputs| outputs.ended)
            .expect("an end")
            .outcome
    }

    /// Sends an operation and does not wait for it.
    pub fn ask(&self, spec: &SandboxSpec, asked: Operation) -> OperationId {
        let request = OperationRequest {
            purpose: None,
            id: operation(),
            on_behalf: Some(OnBehalf {
                workspace: spec.workspace,
                agent: spec.agent,
            }),
            operation: asked,
        };
        let id = request.id;
        self.executor.operation(request);
        id
    }

    /// Starts a script in a sandbox, with credit for all of its output.
    pub fn run(&self, spec: &SandboxSpec, sandbox: SandboxId, script: &str) -> OperationId {
        let id = self.ask(
            spec,
            Operation::SbExec(Exec {
                sandbox,
                argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
                cwd: None,
                env: Default::default(),
                stdin: false,
                tty: None,
                deadline_s: 300,
            }),
        );
        self.credit(id);
        id
    }

    /// Requests the output of an ended operation again, from the beginning.
    pub async fn replay(&mut self, id: OperationId, until: u64) -> Output {
        self.executor.control(Control::Replay {
            operation: id,
            from: 0,
        });
        self.credit(id);
        let mut outputs = Output::default();
        while outputs.bytes + outputs.missing < until {
            let event = self.next().await;
            if let Event::Output(chunk) = event
                && chunk.operation == id
            {
                outputs.take(&chunk.piece);
            }
        }
        outputs
    }

    fn credit(&self, operation: OperationId) {
        let up_to = 1 << 40;
        self.executor.control(Control::Credit { operation, up_to });
    }

    async fn next(&mut self) -> Event {
        let next = tokio::time::timeout(PATIENCE, self.events.next());
        let event = next.await.expect("an event in time").expect("it works");
        if let Event::Reply(ControlReply::Stored { snapshot }) = &event {
            self.snapshots.push(snapshot.clone());
        }
        event
    }

    /// Reads events until these operations have ended.
    pub async fn receive(&mut self, wanted: &[OperationId]) -> HashMap<OperationId, Output> {
        self.receive_with(wanted, || {}).await
    }

    /// As [`receive`](Self::receive); calls `at_each` at each event.
    pub async fn receive_with(
        &mut self,
        wanted: &[OperationId],
        mut at_each: impl FnMut(),
    ) -> HashMap<OperationId, Output> {
        let mut outputs: HashMap<OperationId, Output> = HashMap::new();
        let over = |outputs: &HashMap<OperationId, Output>| {
            wanted.iter().all(|id| {
                outputs
                    .get(id)
                    .is_some_and(|outputs| outputs.ended.is_some())
            })
        };
        while !over(&outputs) {
            let event = self.next().await;
            at_each();
            match event {
                Event::Output(chunk) => {
                    let outputs = outputs.entry(chunk.operation).or_default();
                    outputs.take(&chunk.piece);
                    self.credit(chunk.operation);
                }
                Event::Report(report) => match report.report {
                    Report::Ended(ended) => {
                        outputs.entry(report.operation).or_default().ended = Some(ended);
                    }
                    Report::Accepted => self.credit(report.operation),
                    _ => {}
                },
                _ => {}
            }
        }
        outputs
    }
}

impl Output {
    fn take(&mut self, piece: &Piece) {
        match piece {
            Piece::Data { data, .. } => self.bytes += data.len() as u64,
            Piece::Gap { from, to } => self.missing += to - from,
        }
    }
}
