//! The poll loop of a sandbox's first process.
//!
//! Its only children are reapers (see [`crate::reaper`]). Any other child is an orphan whose reaper was killed by a
//! command. The guest kills it at once with its tree, so no process can leave its command's tree and stay alive. The
//! end of that command is reported when no orphan is left.
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use roost_protocol::guest::{ExitCause, FrameReader, FromGuest, ToGuest};
use roost_protocol::ids::{InstanceId, OperationId};
use roost_protocol::text;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::operation::{KILL_AGAIN, Leftover, Operation};
use crate::outbox::Outbox;
use crate::reaper::{self, Plan};
use crate::stdin::nonblocking;
use crate::{sys, tree};

/// Most commands at once; each may hold a ring of one MiB.
const MOST_RUNNING: usize = 64;
/// Most ended commands that are kept until they are forgotten.
const MOST_ENDED: usize = 192;
/// How long an incomplete frame may wait for its rest.
const TORN_AFTER: Duration = Duration::from_secs(2);
/// How long to wait before a closed stdin or stdout is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(100);
/// Longest wait of one poll.
const IDLE: Duration = Duration::from_secs(30);

struct Guest {
    instance: InstanceId,
    env: BTreeMap<String, String>,
    operations: Vec<(OperationId, Operation)>,
    leftovers: Vec<Leftover>,
    /// When to check again whether the orphans of a killed reaper are dead.
    strays_due: Option<Instant>,
    reader: FrameReader,
    /// Since when an incomplete frame waits for its rest.
    torn: Option<Instant>,
    outbox: Outbox,
    /// Until when fd 0 is not polled, because nobody holds its other end.
    stdin_closed_until: Option<Instant>,
    stdout_closed_until: Option<Instant>,
    /// The command that sends first in the next round.
    turn: usize,
}

/// Resets the priority: an engine that runs with a higher priority passes it on to every container.
fn no_precedence() -> io::Result<()> {
    if rustix::process::getpriority_process(None)? < 0 {
        rustix::process::setpriority_process(None, 0)?;
    }
    Ok(())
}

/// Supervises for ever. The engine ends it with SIGKILL.
///
/// # Errors
/// When the descriptors or signals cannot be prepared. The sandbox does not start then.
pub fn run() -> io::Result<()> {
    sys::undumpable()?;
    no_precedence()?;
    let signals = sys::signals()?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let (stdin, stdout) = (io::stdin(), io::stdout());
    nonblocking(&stdout.as_fd().try_clone_to_owned()?)?;
    // If the workspace is full or read-only, the command will see that itself.
    let _ = std::fs::create_dir_all(format!("{}/.tmp", crate::WORKSPACE));
    let mut guest = Guest {
        instance: instance()?,
        env: std::env::vars().collect(),
        operations: Vec::new(),
        leftovers: Vec::new(),
        strays_due: None,
        reader: FrameReader::default(),
        torn: None,
        outbox: Outbox::default(),
        stdin_closed_until: None,
        stdout_closed_until: None,
        turn: 0,
    };
    loop {
        guest.wait(stdin.as_fd(), stdout.as_fd(), &signals)?;
        sys::take_signals(&signals);
        guest.read_frames(stdin.as_fd());
        for (_, operation) in &mut guest.operations {
            operation.advance();
        }
        guest.leftovers.iter_mut().for_each(Leftover::advance);
        guest.reap();
        guest.send(stdout.as_fd());
    }
}

/// A random id, new at each start.
fn instance() -> io::Result<InstanceId> {
    use std::io::Read;
    let mut bytes = [0u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(InstanceId(
        uuid::Builder::from_random_bytes(bytes).into_uuid(),
    ))
}

impl Guest {
    fn wait(
        &self,
        stdin: BorrowedFd<'_>,
        stdout: BorrowedFd<'_>,
        signals: &OwnedFd,
    ) -> io::Result<()> {
        let now = Instant::now();
        let mut due = now + IDLE;
        let mut fds = vec![PollFd::new(signals, PollFlags::IN)];
        match self.stdin_closed_until {
            Some(until) => due = due.min(until),
            None => fds.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN)),
        }
        if !self.outbox.is_empty() {
            match self.stdout_closed_until {
                Some(until) => due = due.min(until),
                None => fds.push(PollFd::from_borrowed_fd(stdout, PollFlags::OUT)),
            }
        }
        due = self.strays_due.map_or(due, |at| due.min(at));
        if let Some(since) = self.torn {
            due = due.min(since + TORN_AFTER);
        }
        for (_, operation) in &self.operations {
            let (readable, writable) = operation.interests();
            fds.extend(
                readable
                    .into_iter()
                    .map(|fd| PollFd::new(fd, PollFlags::IN)),
            );
            fds.extend(writable.map(|fd| PollFd::new(fd, PollFlags::OUT)));
            due = operation.due().map_or(due, |at| due.min(at));
        }
        for leftover in &self.leftovers {
            // A signal reports its end.
            due = due.min(leftover.deadline);
        }
        let timeout = due.saturating_duration_since(now);
        let timeout = Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(timeout.subsec_nanos()),
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads frames once per round. If more are left, the next poll returns at once.
    fn read_frames(&mut self, stdin: BorrowedFd<'_>) {
        let now = Instant::now();
        if self.stdin_closed_until.is_some_and(|until| now < until) {
            return;
        }
        self.stdin_closed_until = None;
        let mut ready = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        if matches!(poll(&mut ready, Some(&none)), Ok(1..)) {
            let mut buffer = [0u8; 64 * 1024];
            match rustix::io::read(stdin, &mut buffer) {
                Ok(got) if got > 0 => {
                    self.reader.push(&buffer[..got]);
                    self.torn = Some(now);
                }
                _ => {
                    self.stdin_closed_until = Some(now + RETRY_AFTER);
                    self.give_up_half_a_frame();
                }
            }
        } else if self.torn.is_some_and(|since| now >= since + TORN_AFTER) {
            self.reader.resync();
            self.torn = Some(now);
        }
        while let Some(message) = self.reader.next_message::<ToGuest>() {
            self.obey(message);
        }
        if !self.reader.is_partial() {
            self.torn = None;
        }
    }

    /// The writer is gone, so the rest of an incomplete frame will not come. The next writer begins with a whole frame.
    fn give_up_half_a_frame(&mut self) {
        while self.reader.is_partial() {
            self.reader.resync();
            while let Some(message) = self.reader.next_message::<ToGuest>() {
                self.obey(message);
            }
        }
        self.torn = None;
    }

    fn obey(&mut self, message: ToGuest) {
        let operation = match &message {
            ToGuest::Hello { nonce } => {
                let processes = self
                    .operations
                    .iter()
                    .map(|(_, held)| held.process())
                    .collect();
                // Dropped when nobody reads: a client that asks again gets another answer.
                self.outbox.put(&FromGuest::Hello {
                    nonce: *nonce,
                    instance: self.instance,
                    processes,
                });
                return;
            }
            ToGuest::Start { .. } => {
                self.start(message);
                return;
            }
            ToGuest::Forget { operation } => {
                self.forget(*operation);
                return;
            }
            ToGuest::Stdin { operation, .. }
            | ToGuest::Credit { operation, .. }
            | ToGuest::Replay { operation, .. }
            | ToGuest::Resize { operation, .. }
            | ToGuest::Cancel { operation } => *operation,
            ToGuest::Unknown => return,
        };
        let Some(held) = self.find(operation) else {
            self.outbox.put(&FromGuest::NoSuch { operation });
            return;
        };
        match message {
            ToGuest::Stdin {
                offset, data, eof, ..
            } => held.stdin.offer(offset, &data, eof),
            ToGuest::Credit { up_to, acked, .. } => held.credit(up_to, acked),
            ToGuest::Replay { from, .. } => held.replay(from),
            ToGuest::Resize { size, .. } => held.resize(size),
            ToGuest::Cancel { .. } => held.kill(ExitCause::Cancelled),
            _ => {}
        }
    }

    fn find(&mut self, operation: OperationId) -> Option<&mut Operation> {
        self.operations
            .iter_mut()
            .find(|(id, _)| *id == operation)
            .map(|(_, held)| held)
    }

    fn start(&mut self, message: ToGuest) {
        let ToGuest::Start {
            operation: id,
            argv,
            cwd,
            env,
            stdin,
            tty,
            deadline_ms,
            stream_cap,
        } = message
        else {
            return;
        };
        if let Some(held) = self.find(id) {
            held.report_again();
            return;
        }
        let running = self
            .operations
            .iter()
            .filter(|(_, held)| held.is_running())
            .count();
        let made = if running >= MOST_RUNNING {
            Operation::refused(
                id,
                libc::EAGAIN,
                format!("{MOST_RUNNING} commands run already: wait until one ends"),
            )
        } else if let Err(error) = text::argv(&argv).and_then(|()| text::environment(env.iter())) {
            Operation::refused(id, libc::EINVAL, error.to_string())
        } else {
            let mut all = self.env.clone();
            if tty.is_some() {
                all.entry("TERM".to_owned())
                    .or_insert_with(|| "xterm-256color".to_owned());
            }
            all.extend(env);
            let plan = Plan {
                argv: &argv,
                cwd: &cwd,
                env: &all,
                stdin,
                tty,
            };
            match reaper::start(&plan) {
                Ok(spawned) => Operation::new(
                    id,
                    spawned,
                    tty.is_some(),
                    Duration::from_millis(deadline_ms.min(10 * 365 * 86_400_000)),
                    stream_cap,
                ),
                Err(error) => {
                    let errno = error.raw_os_error().unwrap_or(libc::EIO);
                    Operation::refused(id, errno, error.to_string())
                }
            }
        };
        self.operations.push((id, made));
        self.forget_the_oldest();
    }

    fn forget_the_oldest(&mut self) {
        let ended = self
            .operations
            .iter()
            .filter(|(_, held)| !held.is_running())
            .count();
        if ended > MOST_ENDED
            && let Some((id, _)) = self.operations.iter().find(|(_, held)| !held.is_running())
        {
            let id = *id;
            self.forget(id);
        }
    }

    fn forget(&mut self, operation: OperationId) {
        if let Some(at) = self.operations.iter().position(|(id, _)| *id == operation) {
            let (_, mut held) = self.operations.remove(at);
            // Nobody can receive its result any more, so it must stop. Processes that it left behind may run until its
            // deadline.
            if held.is_running() {
                held.kill(ExitCause::Cancelled);
            }
            let running = held.is_running();
            if let Some(mut leftover) = held.forget() {
                if running {
                    leftover.deadline = Instant::now();
                }
                self.leftovers.push(leftover);
            }
        }
    }

    /// Waits for reapers that ended, and kills orphans of killed reapers.
    fn reap(&mut self) {
        let now = Instant::now();
        let mut look = self.strays_due.is_some_and(|at| now >= at);
        while let Some((pid, code)) = sys::wait_any(false) {
            look = true;
            for (_, operation) in &mut self.operations {
                operation.child_ended(pid, code);
            }
            self.leftovers.retain(|left| left.reaper.pid != pid);
        }
        if !look {
            return;
        }
        let reapers: Vec<i32> = self
            .operations
            .iter()
            .filter_map(|(_, held)| held.reaper())
            .chain(self.leftovers.iter().map(|left| left.reaper.pid))
            .collect();
        // Check this after waiting: children of a dead reaper become ours before it can be waited for.
        self.strays_due = tree::kill_strays(&reapers).then(|| now + KILL_AGAIN);
        if self.strays_due.is_none() {
            for (_, operation) in &mut self.operations {
                operation.no_strays();
            }
        }
    }

    /// Lets the commands send in turns, one piece each, until nothing is left or there is no room.
    fn send(&mut self, stdout: BorrowedFd<'_>) {
        let now = Instant::now();
        if self.stdout_closed_until.is_some_and(|until| now < until) {
            return;
        }
        self.stdout_closed_until = None;
        loop {
            let mut sent_any = false;
            let count = self.operations.len();
            for step in 0..count {
                let at = (self.turn + step) % count;
                if let Some((_, held)) = self.operations.get_mut(at) {
                    sent_any |= held.send(&mut self.outbox);
                }
            }
            self.turn = self.turn.wrapping_add(1);
            if !self.outbox.flush(stdout) {
                self.stdout_closed_until = Some(now + RETRY_AFTER);
                return;
            }
            if !sent_any {
                return;
            }
        }
    }
}
