//! Whether an operation is valid, with a pointer to each wrong field.
//!
//! The gateway checks before it stores the operation, and the daemon before it records it: neither trusts the other.
//! Pointers are JSON pointers into the operation's own body (for a provision: into its spec, except `restore`). They
//! are also the field names of the HTTP routes.
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::limits::{
    MAX_ARGV, MAX_COMMAND_BYTES, MAX_DEADLINE_S, MAX_ENV, MAX_FLUSH_DEADLINE_S,
    MAX_SANDBOX_ENV_BYTES, MAX_TTY_CELLS, MEMORY_BYTES, MIN_LEASE_S, NANO_CPUS, PIDS,
    SANDBOX_LEASE_S, WORKSPACE_BYTES,
};
use crate::operation::{Exec, Flush, OnBehalf, Operation, OperationRequest, Provision, TtySize};
use crate::sandbox::{Limits, SandboxSpec};
use crate::text;

/// One fault of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer, e.g. `/argv/0`.
    pub pointer: String,
    /// What is wrong and what is allowed.
    pub detail: String,
}

/// All faults of a request; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    pub faults: Vec<Fault>,
}

impl std::error::Error for Invalid {}

impl Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let joint = if index == 0 { "" } else { "; " };
            write!(f, "{joint}{}: {}", fault.pointer, fault.detail)?;
        }
        Ok(())
    }
}

/// Most faults in one answer.
const MAX_FAULTS: usize = 16;

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, pointer: impl Into<String>, detail: impl Display) {
        if self.0.len() < MAX_FAULTS {
            self.0.push(Fault {
                pointer: pointer.into(),
                detail: detail.to_string(),
            });
        }
    }

    fn check<E: Display>(&mut self, pointer: impl Into<String>, result: Result<(), E>) {
        if let Err(error) = result {
            self.add(pointer, error);
        }
    }

    fn range<T: PartialOrd + Display>(
        &mut self,
        pointer: &str,
        value: T,
        range: RangeInclusive<T>,
    ) {
        if !range.contains(&value) {
            let (least, most) = (range.start(), range.end());
            self.add(pointer, format_args!("{value} is not in {least} to {most}"));
        }
    }

    fn done(self) -> Result<(), Invalid> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Invalid { faults: self.0 })
        }
    }
}

impl OperationRequest {
    /// Checks the request. An operation of a newer version is not invalid: it is unsupported, which is a different
    /// answer.
    ///
    /// # Errors
    /// [`Invalid`] with every fault (the first 16).
    pub fn validate(&self) -> Result<(), Invalid> {
        let mut faults = Faults::default();
        let tenantless = matches!(
            self.operation,
            Operation::Verify(_) | Operation::SbList(_) | Operation::Unsupported
        );
        if self.on_behalf.is_none() && !tenantless {
            faults.add(
                "/on_behalf",
                "the workspace and agent of the operation are missing",
            );
        }
        match &self.operation {
            Operation::SbProvision(provision) => {
                check_provision(provision, self.on_behalf, &mut faults);
            }
            Operation::SbExec(exec) => check_exec(exec, &mut faults),
            Operation::SbFlush(flush) => check_flush(flush, &mut faults),
            Operation::Verify(_)
            | Operation::SbDestroy(_)
            | Operation::SbHealth(_)
            | Operation::SbList(_)
            | Operation::Unsupported => {}
        }
        faults.done()
    }
}

impl Exec {
    /// Checks a command.
    ///
    /// # Errors
    /// [`Invalid`] with every fault (the first 16).
    pub fn validate(&self) -> Result<(), Invalid> {
        let mut faults = Faults::default();
        check_exec(self, &mut faults);
        faults.done()
    }
}

impl SandboxSpec {
    /// Checks a sandbox spec.
    ///
    /// # Errors
    /// [`Invalid`] with every fault (the first 16).
    pub fn validate(&self) -> Result<(), Invalid> {
        let mut faults = Faults::default();
        check_spec(self, &mut faults);
        faults.done()
    }
}

impl Limits {
    /// Checks resource limits; pointers begin with `/limits`.
    ///
    /// # Errors
    /// [`Invalid`] with every fault.
    pub fn validate(&self) -> Result<(), Invalid> {
        let mut faults = Faults::default();
        check_limits(*self, &mut faults);
        faults.done()
    }
}

impl TtySize {
    /// Checks a terminal's size; pointers begin with `/tty`.
    ///
    /// # Errors
    /// [`Invalid`] with every fault.
    pub fn validate(self) -> Result<(), Invalid> {
        let mut faults = Faults::default();
        check_tty(self, &mut faults);
        faults.done()
    }
}

fn check_provision(provision: &Provision, on_behalf: Option<OnBehalf>, faults: &mut Faults) {
    let spec = &provision.spec;
    if on_behalf.is_some_and(|who| who.workspace != spec.workspace) {
        faults.add("/workspace", "is not the workspace of the operation");
    }
    if on_behalf.is_some_and(|who| who.agent != spec.agent) {
        faults.add("/agent", "is not the agent of the operation");
    }
    if let Some(restore) = &provision.restore {
        faults.check("/restore", text::sha256_hex(restore));
    }
    check_spec(spec, faults);
}

fn check_spec(spec: &SandboxSpec, faults: &mut Faults) {
    faults.check("/image", text::image_reference(&spec.image));
    if let Some(digest) = &spec.image_digest {
        faults.check("/image_digest", text::digest(digest));
    }
    check_limits(spec.limits, faults);
    check_env(&spec.env, MAX_SANDBOX_ENV_BYTES, faults);
    faults.range("/lease_s", spec.lease_s, MIN_LEASE_S..=SANDBOX_LEASE_S);
}

fn check_limits(limits: Limits, faults: &mut Faults) {
    faults.range("/limits/memory_bytes", limits.memory_bytes, MEMORY_BYTES);
    faults.range(
        "/limits/workspace_bytes",
        limits.workspace_bytes,
        WORKSPACE_BYTES,
    );
    faults.range("/limits/nano_cpus", limits.nano_cpus, NANO_CPUS);
    faults.range("/limits/pids", limits.pids, PIDS);
    if limits.workspace_bytes > limits.memory_bytes {
        faults.add(
            "/limits/workspace_bytes",
            "the workspace is part of the memory and cannot be larger",
        );
    }
}

fn check_flush(flush: &Flush, faults: &mut Faults) {
    if !(1..=MAX_FLUSH_DEADLINE_S).contains(&flush.deadline_s) {
        faults.add(
            "/deadline_s",
            format_args!("must be between 1 and {MAX_FLUSH_DEADLINE_S}"),
        );
    }
}

fn check_exec(exec: &Exec, faults: &mut Faults) {
    if exec.argv.first().is_none_or(String::is_empty) {
        faults.add("/argv", "must name a program");
    }
    if exec.argv.len() > MAX_ARGV {
        faults.add(
            "/argv",
            format_args!(
                "has {} entries; at most {MAX_ARGV} are allowed",
                exec.argv.len()
            ),
        );
    }
    for (index, arg) in exec.argv.iter().enumerate() {
        faults.check(format!("/argv/{index}"), text::argument(arg));
    }
    if let Some(cwd) = &exec.cwd {
        faults.check("/cwd", text::sandbox_path(cwd));
    }
    check_env(&exec.env, MAX_COMMAND_BYTES, faults);
    let arguments = exec.argv.iter().chain(&exec.cwd);
    let bytes = total(arguments.map(String::len)).saturating_add(env_bytes(&exec.env));
    if bytes > MAX_COMMAND_BYTES {
        faults.add(
            "/argv",
            format_args!(
                "arguments and environment are {bytes} bytes; at most {MAX_COMMAND_BYTES} are allowed, \
                 send larger data by stdin or a file"
            ),
        );
    }
    if let Some(size) = exec.tty {
        check_tty(size, faults);
    }
    if !(exec.is_endless() && exec.tty.is_some()) {
        faults.range("/deadline_s", exec.deadline_s, 1..=MAX_DEADLINE_S);
    }
}

fn check_tty(size: TtySize, faults: &mut Faults) {
    faults.range("/tty/rows", size.rows, 1..=MAX_TTY_CELLS);
    faults.range("/tty/cols", size.cols, 1..=MAX_TTY_CELLS);
}

fn check_env(env: &BTreeMap<String, String>, most_bytes: usize, faults: &mut Faults) {
    if env.len() > MAX_ENV {
        faults.add(
            "/env",
            format_args!("has {} entries; at most {MAX_ENV} are allowed", env.len()),
        );
    }
    for (name, value) in env {
        let shown = text::clean(name, 256).replace('~', "~0").replace('/', "~1");
        faults.check(format!("/env/{shown}"), text::variable(name, value));
    }
    let bytes = env_bytes(env);
    if bytes > most_bytes {
        faults.add(
            "/env",
            format_args!("is {bytes} bytes long; at most {most_bytes} are allowed"),
        );
    }
}

fn env_bytes(env: &BTreeMap<String, String>) -> usize {
    total(
        env.iter()
            .flat_map(|(name, value)| [name.len(), value.len()]),
    )
}

fn total(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}
