//! System calls that have no safe wrapper elsewhere, each wrapped once.
#![allow(unsafe_code)] // libc: prctl, signalfd, sigprocmask, fork, ioctl; every call says why it is sound.
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use roost_protocol::operation::TtySize;

/// Hides this process's memory, descriptors and environment from commands of the same user.
pub fn undumpable() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// Makes orphaned descendants children of this process.
pub fn subreaper() -> io::Result<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// Lets this process write its own files in `/proc` again.
pub fn dumpable() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 1)
}

fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take one integer and no pointer.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) }).map(drop)
}

/// Blocks SIGCHLD and returns a descriptor that becomes readable when a child ends. No other signal needs handling: the
/// kernel drops signals that a command sends to the first process of its namespace, so a command cannot end the guest.
pub fn signals() -> io::Result<OwnedFd> {
    // SAFETY: an all-zero sigset_t is valid storage for sigemptyset, which initialises it; signalfd gets that set and
    // returns a new descriptor that nothing else owns.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        check(libc::sigprocmask(
            libc::SIG_BLOCK,
            &raw const set,
            std::ptr::null_mut(),
        ))?;
        let fd = check(libc::signalfd(
            -1,
            &raw const set,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Empties the descriptor of [`signals`].
pub fn take_signals(fd: &OwnedFd) {
    let mut buffer = [0u8; size_of::<libc::signalfd_siginfo>()];
    while matches!(rustix::io::read(fd, &mut buffer), Ok(1..)) {}
}

/// Resets every signal to its default and unblocks all, as a new program expects.
pub fn default_signals() {
    // SAFETY: SIG_DFL needs no handler; the set is initialised by sigemptyset. Failures (SIGKILL, SIGSTOP) are harmless.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// Ignores signals that a command may send to its reaper by accident (`kill 0`, `pkill`).
pub fn ignore_habitual_signals() {
    for signal in [
        libc::SIGTERM,
        libc::SIGINT,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGPIPE,
    ] {
        // SAFETY: SIG_IGN needs no handler.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Forks; returns 0 in the child. This is only sound in a process with one thread, such as this program.
pub fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: there is one thread, so the child's copy of every lock and of the allocator is in a consistent state.
    check(unsafe { libc::fork() })
}

/// Ends this process at once, without destructors or exit handlers. For children that never executed a program.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit does not return and runs nothing of this process.
    unsafe { libc::_exit(code) }
}

/// Waits for any child; `None` without children. With `block` false it also returns `None` when none has ended.
pub fn wait_any(block: bool) -> Option<(libc::pid_t, i32)> {
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        let pid =
            unsafe { libc::waitpid(-1, &raw mut status, if block { 0 } else { libc::WNOHANG }) };
        if pid > 0 {
            return Some((pid, code_of(status)));
        }
        if pid == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return None;
        }
    }
}

/// Exit code, or 128 + signal.
fn code_of(status: i32) -> i32 {
    if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        128 + libc::WTERMSIG(status)
    }
}

/// Sends a signal; a process that is gone is not an error.
pub fn kill(pid: libc::pid_t, signal: i32) {
    // SAFETY: no pointers; a stale pid is at worst another process of this sandbox with the same user.
    unsafe {
        libc::kill(pid, signal);
    }
}

/// Makes the terminal on `fd` the controlling terminal of this session.
pub fn control_terminal(fd: RawFd) -> io::Result<()> {
    // SAFETY: TIOCSCTTY takes an integer.
    check(unsafe { libc::ioctl(fd, libc::TIOCSCTTY, 0) }).map(drop)
}

/// Sets a terminal's size; the foreground processes receive SIGWINCH.
pub fn resize(fd: &OwnedFd, size: TtySize) -> io::Result<()> {
    let size = libc::winsize {
        ws_row: size.rows,
        ws_col: size.cols,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCSWINSZ reads one winsize, which outlives the call.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) }).map(drop)
}

/// Moves descriptors to 0..n and closes all others. The first three become stdio; the rest close on exec.
pub fn only_these(fds: &[RawFd]) -> io::Result<()> {
    // First move them to high numbers, so that no descriptor is overwritten before it was moved.
    let mut high = Vec::with_capacity(fds.len());
    for fd in fds {
        // SAFETY: F_DUPFD takes an integer and makes a new descriptor.
        high.push(check(unsafe { libc::fcntl(*fd, libc::F_DUPFD, 100) })?);
    }
    for (target, fd) in high.iter().enumerate() {
        let target = i32::try_from(target).map_err(io::Error::other)?;
        let flags = if target > 2 { libc::O_CLOEXEC } else { 0 };
        // SAFETY: both are descriptors of this process; what was at `target` is closed on purpose.
        check(unsafe { libc::dup3(*fd, target, flags) })?;
    }
    let first = u32::try_from(fds.len()).map_err(io::Error::other)?;
    close_from(first);
    Ok(())
}

/// Closes every descriptor from `first` on.
pub fn close_from(first: u32) {
    // SAFETY: the process that calls this owns no Rust value of a closed descriptor any more that it would use.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, u32::MAX, 0);
    }
}

/// Replaces this process; returns only after an error.
pub fn execute(
    program: &std::ffi::CStr,
    argv: &[*const libc::c_char],
    envp: &[*const libc::c_char],
) -> io::Error {
    // SAFETY: both lists end with a null pointer and point to strings that outlive the call (see `reaper::Plan`).
    unsafe {
        libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr());
    }
    io::Error::last_os_error()
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
