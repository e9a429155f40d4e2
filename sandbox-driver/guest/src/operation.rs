//! One command in the guest: its descriptors, its ring, its deadline and its end.
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use roost_protocol::guest::{ExitCause, FromGuest, OUTPUT_RING, Process};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::INITIAL_CREDIT_BYTES;
use roost_protocol::output::StreamName;
use rustix::io::Errno;

use crate::outbox::Outbox;
use crate::reaper::Spawned;
use crate::ring::Ring;
use crate::stdin::Stdin;
use crate::{sys, tree};

/// Most bytes of one read.
const READ: usize = 64 * 1024;
/// Most bytes that are read from a command's pipes after its end; a process that it left behind may still write.
const LAST_READ: usize = 256 * 1024;
/// How often a living tree is killed again, and after how many times its reaper is killed too.
pub const KILL_AGAIN: Duration = Duration::from_millis(10);
const REAPER_TOO_AFTER: u32 = 50;

/// The stage of a command.
enum Stage {
    /// Forked; it is not known yet whether its program runs.
    Starting {
        started: OwnedFd,
    },
    Running,
    /// Being killed; the end is reported when the whole tree is gone.
    Killing {
        cause: ExitCause,
        next: Instant,
        times: u32,
    },
    /// Its reaper was killed. The end is reported when no process without a reaper is alive.
    Orphaned {
        cause: ExitCause,
    },
    Ended,
}

/// How a command ended.
struct End {
    code: i32,
    cause: ExitCause,
    duration_ms: u64,
}

/// One command; see the module.
pub struct Operation {
    id: OperationId,
    stage: Stage,
    reaper: Option<Reaper>,
    ring: Ring,
    pub stdin: Stdin,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    terminal: bool,
    begun: Instant,
    deadline: Instant,
    /// The command's own exit code, if it ended before its tree.
    code: Option<i32>,
    end: Option<End>,
    refused: Option<(i32, String)>,
    pub say_started: bool,
    say_end: bool,
}

/// The reaper of a command. It stays after the command's end while processes are left behind.
pub struct Reaper {
    pub pid: i32,
    status: OwnedFd,
}

impl Operation {
    pub fn new(
        id: OperationId,
        spawned: Spawned,
        terminal: bool,
        lasts: Duration,
        cap: u64,
    ) -> Self {
        let begun = Instant::now();
        Self {
            id,
            stage: Stage::Starting {
                started: spawned.started,
            },
            reaper: Some(Reaper {
                pid: spawned.reaper,
                status: spawned.status,
            }),
            ring: Ring::new(OUTPUT_RING, cap, INITIAL_CREDIT_BYTES),
            stdin: Stdin::new(spawned.stdin, terminal),
            stdout: Some(spawned.stdout),
            stderr: spawned.stderr,
            terminal,
            begun,
            deadline: begun + lasts,
            code: None,
            end: None,
            refused: None,
            say_started: false,
            say_end: false,
        }
    }

    /// An operation that never ran. It is kept so that starting it again gives the same answer.
    pub fn refused(id: OperationId, errno: i32, detail: String) -> Self {
        let begun = Instant::now();
        Self {
            id,
            stage: Stage::Ended,
            reaper: None,
            ring: Ring::new(0, 0, 0),
            stdin: Stdin::new(None, false),
            stdout: None,
            stderr: None,
            terminal: false,
            begun,
            deadline: begun,
            code: None,
            end: None,
            refused: Some((errno, detail)),
            say_started: false,
            say_end: true,
        }
    }

    pub fn process(&self) -> Process {
        Process {
            operation: self.id,
            running: self.is_running(),
            output_end: self.ring.end(),
        }
    }

    pub fn is_running(&self) -> bool {
        !matches!(self.stage, Stage::Ended)
    }

    pub fn reaper(&self) -> Option<i32> {
        self.reaper.as_ref().map(|reaper| reaper.pid)
    }

    /// Reports the present state again: the answer to a start of a known id.
    pub fn report_again(&mut self) {
        self.say_started = self.refused.is_none() && !matches!(self.stage, Stage::Starting { .. });
        self.say_end = true;
    }

    pub fn credit(&mut self, up_to: u64, acked: u64) {
        self.ring.credit(up_to, acked);
    }

    pub fn replay(&mut self, from: u64) {
        self.ring.replay(from);
        self.say_end = true;
    }

    pub fn resize(&self, size: roost_protocol::operation::TtySize) {
        if self.terminal
            && let Some(master) = &self.stdout
        {
            // A terminal that closes at this moment needs no size.
            let _ = sys::resize(master, size);
        }
    }

    /// Descriptors to poll: readable ones, and stdin when bytes wait for the command.
    pub fn interests(&self) -> (Vec<&OwnedFd>, Option<&OwnedFd>) {
        let mut readable = Vec::with_capacity(4);
        if let Stage::Starting { started } = &self.stage {
            readable.push(started);
        }
        readable.extend(self.reaper.as_ref().map(|reaper| &reaper.status));
        if self.ring.room() > 0 {
            readable.extend(&self.stdout);
            readable.extend(&self.stderr);
        }
        (readable, self.stdin.wants_write())
    }

    /// The next deadline, even if no descriptor becomes ready.
    pub fn due(&self) -> Option<Instant> {
        match self.stage {
            Stage::Killing { next, .. } => Some(next),
            _ => self.reaper.as_ref().map(|_| self.deadline),
        }
    }

    /// Stops the command and its whole tree.
    pub fn kill(&mut self, cause: ExitCause) {
        if self.reaper.is_none() || matches!(self.stage, Stage::Killing { .. }) {
            return;
        }
        if matches!(self.stage, Stage::Ended) {
            // Only processes that the command left behind; its own reported end does not change.
            self.kill_tree(0);
            return;
        }
        self.stage = Stage::Killing {
            cause,
            next: Instant::now(),
            times: 0,
        };
        self.advance_killing();
    }

    fn kill_tree(&self, times: u32) {
        if let Some(reaper) = &self.reaper {
            // A command may have stopped its reaper.
            sys::kill(reaper.pid, libc::SIGCONT);
            if tree::kill_descendants(reaper.pid) == 0 && times >= REAPER_TOO_AFTER {
                sys::kill(reaper.pid, libc::SIGKILL);
            }
        }
    }

    fn advance_killing(&mut self) {
        if let Stage::Killing { cause, next, times } = self.stage
            && Instant::now() >= next
        {
            self.kill_tree(times);
            self.stage = Stage::Killing {
                cause,
                next: Instant::now() + KILL_AGAIN,
                times: times + 1,
            };
        }
    }

    /// Reads, writes and advances the state; called after every poll.
    pub fn advance(&mut self) {
        self.stdin_advance();
        self.read_started();
        self.read_output(READ);
        self.read_status();
        if Instant::now() >= self.deadline {
            self.kill(ExitCause::Deadline);
        }
        self.advance_killing();
    }

    fn stdin_advance(&mut self) {
        if self.stdin.wants_write().is_some() {
            self.stdin.write();
        }
    }

    fn read_started(&mut self) {
        let Stage::Starting { started } = &self.stage else {
            return;
        };
        let mut number = [0u8; 4];
        match rustix::io::read(started, &mut number) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => {
                self.stage = Stage::Running;
                self.say_started = true;
            }
            Ok(_) => {
                let errno = i32::from_le_bytes(number);
                let detail = std::io::Error::from_raw_os_error(errno).to_string();
                self.refused = Some((errno, detail));
                self.finish();
            }
        }
    }

    fn read_output(&mut self, most: usize) -> usize {
        let mut buffer = [0u8; READ];
        let mut total = 0;
        for (name, slot) in [
            (StreamName::Stdout, &mut self.stdout),
            (StreamName::Stderr, &mut self.stderr),
        ] {
            let Some(fd) = slot else { continue };
            let room = self.ring.room().min(READ).min(most);
            if room == 0 {
                continue;
            }
            match rustix::io::read(&*fd, &mut buffer[..room]) {
                Ok(0) => *slot = None,
                Ok(got) => {
                    self.ring.push(name, &buffer[..got]);
                    total += got;
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                // A terminal returns EIO after its last program closed it.
                Err(_) => *slot = None,
            }
        }
        total
    }

    fn read_status(&mut self) {
        let Some(reaper) = &self.reaper else { return };
        let mut number = [0u8; 4];
        if !matches!(rustix::io::read(&reaper.status, &mut number), Ok(4)) {
            return;
        }
        self.code = Some(i32::from_le_bytes(number));
        if matches!(self.stage, Stage::Starting { .. }) {
            // The program started and ended before this check.
            self.read_started();
        }
        if matches!(self.stage, Stage::Running) {
            self.end_with(ExitCause::Exited);
        }
    }

    /// Handles a child that was waited for. If it was this command's reaper and ended by itself, the whole tree is
    /// gone. If the reaper was killed, the remaining processes became children of the guest.
    pub fn child_ended(&mut self, pid: i32, code: i32) {
        if self.reaper() != Some(pid) {
            return;
        }
        self.read_status();
        self.reaper = None;
        self.read_started();
        let cause = match self.stage {
            Stage::Killing { cause, .. } => cause,
            Stage::Running | Stage::Starting { .. } => ExitCause::Exited,
            Stage::Orphaned { .. } | Stage::Ended => return,
        };
        if code == 0 {
            self.end_with(cause);
        } else {
            self.stage = Stage::Orphaned { cause };
        }
    }

    /// Handles the fact that no process without a reaper is alive.
    pub fn no_strays(&mut self) {
        if let Stage::Orphaned { cause } = self.stage {
            self.end_with(cause);
        }
    }

    fn end_with(&mut self, cause: ExitCause) {
        if !matches!(self.stage, Stage::Ended) {
            let since = self.begun.elapsed().as_millis();
            self.end = Some(End {
                // Without an exit code of its own, it was killed.
                code: self.code.unwrap_or(128 + libc::SIGKILL),
                cause,
                duration_ms: u64::try_from(since).unwrap_or(u64::MAX),
            });
            self.finish();
        }
    }

    /// Reads the last output and closes every descriptor except the reaper's.
    fn finish(&mut self) {
        let mut left = LAST_READ;
        self.ring.overdraw(LAST_READ);
        while left > 0 {
            let got = self.read_output(left);
            if got == 0 {
                break;
            }
            left = left.saturating_sub(got);
        }
        self.stdout = None;
        self.stderr = None;
        self.stdin.close();
        self.stage = Stage::Ended;
        self.say_end = true;
    }

    /// Queues messages that are due; returns true after a piece of output, so that other commands get their turn.
    pub fn send(&mut self, outbox: &mut Outbox) -> bool {
        if self.say_started && outbox.put(&FromGuest::Started { operation: self.id }) {
            self.say_started = false;
        }
        if self.stdin.report_taken {
            let offset = self.stdin.taken();
            let taken = FromGuest::StdinTaken {
                operation: self.id,
                offset,
            };
            if outbox.put(&taken) {
                self.stdin.report_taken = false;
            }
        }
        if outbox.has_room()
            && let Some(piece) = self.ring.next_piece()
        {
            outbox.put(&FromGuest::Output {
                operation: self.id,
                piece,
            });
            return true;
        }
        if self.say_end && self.ring.is_drained() {
            self.send_end(outbox);
        }
        false
    }

    /// The end follows the last byte of output.
    fn send_end(&mut self, outbox: &mut Outbox) {
        let message = if let Some((errno, detail)) = &self.refused {
            FromGuest::NotStarted {
                operation: self.id,
                errno: *errno,
                detail: detail.clone(),
            }
        } else if let Some(end) = &self.end {
            FromGuest::Exited {
                operation: self.id,
                code: end.code,
                cause: end.cause,
                output_end: self.ring.end(),
                output_dropped: self.ring.dropped(),
                duration_ms: end.duration_ms,
            }
        } else {
            self.say_end = false;
            return;
        };
        if outbox.put(&message) {
            self.say_end = false;
        }
    }

    /// Drops the ring. Processes that the command left behind are still killed at its deadline.
    pub fn forget(self) -> Option<Leftover> {
        Some(Leftover {
            reaper: self.reaper?,
            deadline: self.deadline,
        })
    }
}

/// Processes of a forgotten command. None is left when its reaper has ended.
pub struct Leftover {
    pub reaper: Reaper,
    pub deadline: Instant,
}

impl Leftover {
    pub fn advance(&mut self) {
        if Instant::now() >= self.deadline {
            sys::kill(self.reaper.pid, libc::SIGCONT);
            if tree::kill_descendants(self.reaper.pid) == 0 {
                sys::kill(self.reaper.pid, libc::SIGKILL);
            }
            self.deadline = Instant::now() + KILL_AGAIN;
        }
    }
}
