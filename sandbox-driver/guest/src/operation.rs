//! One command in the guest: its descriptors, its ring, its deadline and its end.
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use roost_protocol::guest::{ExitCause, FromGuest, OUTPUT_RING, Process};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::INITIAL_CREDIT_BYTES;
use roost_protocol::output::StreamName;
use rustix::io::Errno;

use crate::keeper::Kept;
use crate::outbox::Outbox;
use crate::ring::Ring;
use crate::stdin::Stdin;
use crate::{sys, tree};

/// Bytes read at once.
const READ: usize = 64 * 1024;
/// Bytes still read of what a command left in its pipes when it ended; a process that it left behind may write on.
const LAST_READ: usize = 256 * 1024;
/// How often a tree that does not die is killed again, and after how many times its keeper is, too.
pub const KILL_AGAIN: Duration = Duration::from_millis(10);
const KEEPER_TOO_AFTER: u32 = 50;

/// How far a command is.
enum Stage {
    /// Forked; whether its program runs is not known yet.
    Starting {
        started: OwnedFd,
    },
    Running,
    /// Being killed; the end is said when the whole tree is gone.
    Killing {
        cause: ExitCause,
        next: Instant,
        times: u32,
    },
    /// Its keeper was killed; the end is said when nothing lives that lost its keeper.
    Orphaned {
        cause: ExitCause,
    },
    Ended,
}

/// How it ended.
struct End {
    code: i32,
    cause: ExitCause,
    duration_ms: u64,
}

/// See the module.
pub struct Operation {
    id: OperationId,
    stage: Stage,
    keeper: Option<Keeper>,
    ring: Ring,
    pub stdin: Stdin,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    terminal: bool,
    begun: Instant,
    deadline: Instant,
    /// The command's own code, when it ended before its tree did.
    code: Option<i32>,
    end: Option<End>,
    refused: Option<(i32, String)>,
    pub say_started: bool,
    say_end: bool,
}

/// The keeper of a command, also after the command itself ended and left processes behind.
pub struct Keeper {
    pub pid: i32,
    status: OwnedFd,
}

impl Operation {
    pub fn new(id: OperationId, kept: Kept, terminal: bool, lasts: Duration, cap: u64) -> Self {
        let begun = Instant::now();
        Self {
            id,
            stage: Stage::Starting {
                started: kept.started,
            },
            keeper: Some(Keeper {
                pid: kept.keeper,
                status: kept.status,
            }),
            ring: Ring::new(OUTPUT_RING, cap, INITIAL_CREDIT_BYTES),
            stdin: Stdin::new(kept.stdin, terminal),
            stdout: Some(kept.stdout),
            stderr: kept.stderr,
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

    /// An operation that never ran; it is remembered so that starting it again gives the same answer.
    pub fn refused(id: OperationId, errno: i32, detail: String) -> Self {
        let begun = Instant::now();
        Self {
            id,
            stage: Stage::Ended,
            keeper: None,
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

    pub fn keeper(&self) -> Option<i32> {
        self.keeper.as_ref().map(|keeper| keeper.pid)
    }

    /// Says the present state again: the answer to a start of a known id.
    pub fn say_again(&mut self) {
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

    /// Descriptors to wait for: readable ones, and stdin when something waits for the command.
    pub fn interests(&self) -> (Vec<&OwnedFd>, Option<&OwnedFd>) {
        let mut readable = Vec::with_capacity(4);
        if let Stage::Starting { started } = &self.stage {
            readable.push(started);
        }
        readable.extend(self.keeper.as_ref().map(|keeper| &keeper.status));
        if self.ring.room() > 0 {
            readable.extend(&self.stdout);
            readable.extend(&self.stderr);
        }
        (readable, self.stdin.wants_write())
    }

    /// When something is due even if no descriptor speaks.
    pub fn due(&self) -> Option<Instant> {
        match self.stage {
            Stage::Killing { next, .. } => Some(next),
            _ => self.keeper.as_ref().map(|_| self.deadline),
        }
    }

    /// Stops the command and its whole tree.
    pub fn kill(&mut self, cause: ExitCause) {
        if self.keeper.is_none() || matches!(self.stage, Stage::Killing { .. }) {
            return;
        }
        if matches!(self.stage, Stage::Ended) {
            // Only what the command left behind: its own end stays as it was said.
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
        if let Some(keeper) = &self.keeper {
            // A command may have stopped its keeper.
            sys::kill(keeper.pid, libc::SIGCONT);
            if tree::kill_descendants(keeper.pid) == 0 && times >= KEEPER_TOO_AFTER {
                sys::kill(keeper.pid, libc::SIGKILL);
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

    /// Reads, writes, and moves on; called after every poll.
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
                // A terminal says EIO when its last program closed it.
                Err(_) => *slot = None,
            }
        }
        total
    }

    fn read_status(&mut self) {
        let Some(keeper) = &self.keeper else { return };
        let mut number = [0u8; 4];
        if !matches!(rustix::io::read(&keeper.status, &mut number), Ok(4)) {
            return;
        }
        self.code = Some(i32::from_le_bytes(number));
        if matches!(self.stage, Stage::Starting { .. }) {
            // The program ran and ended before we looked.
            self.read_started();
        }
        if matches!(self.stage, Stage::Running) {
            self.end_with(ExitCause::Exited);
        }
    }

    /// A child of ours was waited for. When it was this command's keeper and ended by itself, the whole tree is gone; of one
    /// that was killed the rest became ours.
    pub fn child_ended(&mut self, pid: i32, code: i32) {
        if self.keeper() != Some(pid) {
            return;
        }
        self.read_status();
        self.keeper = None;
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

    /// No process lives that lost its keeper.
    pub fn no_strays(&mut self) {
        if let Stage::Orphaned { cause } = self.stage {
            self.end_with(cause);
        }
    }

    fn end_with(&mut self, cause: ExitCause) {
        if !matches!(self.stage, Stage::Ended) {
            let since = self.begun.elapsed().as_millis();
            self.end = Some(End {
                // Without a code of its own it was killed.
                code: self.code.unwrap_or(128 + libc::SIGKILL),
                cause,
                duration_ms: u64::try_from(since).unwrap_or(u64::MAX),
            });
            self.finish();
        }
    }

    /// Takes the last output and lets go of every descriptor but the keeper's.
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

    /// Queues what is to be said; true when a piece of output was queued, so that the others get their turn.
    pub fn speak(&mut self, outbox: &mut Outbox) -> bool {
        if self.say_started && outbox.put(&FromGuest::Started { operation: self.id }) {
            self.say_started = false;
        }
        if self.stdin.say_taken {
            let offset = self.stdin.taken();
            let taken = FromGuest::StdinTaken {
                operation: self.id,
                offset,
            };
            if outbox.put(&taken) {
                self.stdin.say_taken = false;
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
            self.speak_end(outbox);
        }
        false
    }

    /// The end comes after the last byte of output.
    fn speak_end(&mut self, outbox: &mut Outbox) {
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

    /// Lets the ring go. What the command left behind is still killed at its deadline.
    pub fn forget(self) -> Option<Leftover> {
        Some(Leftover {
            keeper: self.keeper?,
            deadline: self.deadline,
        })
    }
}

/// Processes of a forgotten command; nothing is left of it when its keeper has ended.
pub struct Leftover {
    pub keeper: Keeper,
    pub deadline: Instant,
}

impl Leftover {
    pub fn advance(&mut self) {
        if Instant::now() >= self.deadline {
            sys::kill(self.keeper.pid, libc::SIGCONT);
            if tree::kill_descendants(self.keeper.pid) == 0 {
                sys::kill(self.keeper.pid, libc::SIGKILL);
            }
            self.deadline = Instant::now() + KILL_AGAIN;
        }
    }
}
