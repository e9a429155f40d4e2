//! A machine's engine and the guests in its sandboxes. They continue when the daemon dies.
use std::collections::BTreeMap;

use crate::dice::Dice;
use rand::Rng;
use roost_protocol::ids::{InstanceId, OperationId, SandboxId};
use roost_protocol::machine::stdin::Taker;

/// A command inside a guest. It has no memory of earlier ids: starting twice runs twice.
#[derive(Debug)]
pub struct Process {
    pub emitted: u64,
    pub total: u64,
    /// Stdin must close before it exits.
    pub wants_stdin: bool,
    pub stdin: Taker,
    pub code: Option<i32>,
    pub killed: bool,
}

/// A container and its guest.
#[derive(Debug)]
pub struct Container {
    pub guest: InstanceId,
    pub lease_s: u64,
    pub made_ms: u64,
    pub used_ms: u64,
    pub processes: BTreeMap<OperationId, Process>,
}

/// The engine.
#[derive(Debug, Default)]
pub struct Engine {
    pub containers: BTreeMap<SandboxId, Container>,
}

impl Engine {
    /// Lets commands continue, attached or not.
    pub fn work(&mut self, now_ms: u64, rng: &mut Dice) {
        for container in self.containers.values_mut() {
            for process in container.processes.values_mut() {
                if process.code.is_some() {
                    continue;
                }
                container.used_ms = now_ms;
                let left = process.total - process.emitted;
                let piece = if process.total > 10_000 { 60_000 } else { 40 };
                process.emitted += rng.random_range(0..=piece).min(left);
                let fed = !process.wants_stdin || process.stdin.closed();
                if process.emitted == process.total && fed && rng.random_bool(0.3) {
                    process.code = Some(i32::from(rng.random_bool(0.2)));
                }
            }
        }
    }

    /// Kills the whole tree.
    pub fn kill(&mut self, sandbox: SandboxId, operation: OperationId) {
        let container = self.containers.get_mut(&sandbox);
        let process = container.and_then(|container| container.processes.get_mut(&operation));
        if let Some(process) = process.filter(|process| process.code.is_none()) {
            process.code = Some(137);
            process.killed = true;
        }
    }

    /// The guest drops what it kept of a command.
    pub fn forget(&mut self, sandbox: SandboxId, operation: OperationId) {
        if let Some(container) = self.containers.get_mut(&sandbox) {
            container.processes.remove(&operation);
        }
    }

    pub fn process(&mut self, sandbox: SandboxId, operation: OperationId) -> Option<&mut Process> {
        self.containers
            .get_mut(&sandbox)?
            .processes
            .get_mut(&operation)
    }
}
