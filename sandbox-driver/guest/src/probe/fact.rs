//! The list of facts, and the bounded child process for dangerous tests.
use std::fmt::Display;
use std::io;

use roost_protocol::verify::ProbedFact;

/// Facts in the order they were read.
#[derive(Default)]
pub struct Facts {
    pub list: Vec<ProbedFact>,
}

impl Facts {
    /// Adds a fact; it is true when both values are the same text.
    pub fn add(&mut self, fact: &str, title: &str, expected: impl Display, actual: impl Display) {
        let (expected, actual) = (expected.to_string(), actual.to_string());
        self.list.push(ProbedFact {
            fact: fact.to_owned(),
            title: title.to_owned(),
            ok: expected == actual,
            expected,
            actual,
        });
    }
}

/// A name for the kernel's answer.
pub fn answer(result: io::Result<()>) -> String {
    match result {
        Ok(()) => "allowed".to_owned(),
        Err(error) => match error.raw_os_error() {
            Some(libc::EPERM) => "refused".to_owned(),
            Some(libc::ENOSYS) => "absent".to_owned(),
            Some(number) => format!("errno {number}"),
            None => error.to_string(),
        },
    }
}

/// As [`answer`], for calls where the kernel has several error codes for a refusal.
pub fn denied(result: io::Result<()>) -> String {
    match result {
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EPERM | libc::EACCES | libc::EROFS)
            ) =>
        {
            "refused".to_owned()
        }
        result => answer(result),
    }
}

/// How a child ended.
pub enum Ended {
    Exited(i32),
    Killed(i32),
}

/// Runs a closure in a child process; its result is the exit code. All its effects on itself end with the child.
#[allow(unsafe_code)] // libc: fork and waitpid, in a program with one thread.
pub fn in_child(work: impl FnOnce() -> i32) -> io::Result<Ended> {
    // SAFETY: this program has one thread, so the child's memory is consistent.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    if pid == 0 {
        let code = work();
        // SAFETY: ends the child without running anything of the parent's.
        unsafe { libc::_exit(code) }
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        let got = unsafe { libc::waitpid(pid, &raw mut status, 0) };
        if got == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINTR) {
            return Err(error);
        }
    }
    Ok(if libc::WIFSIGNALED(status) {
        Ended::Killed(libc::WTERMSIG(status))
    } else {
        Ended::Exited(libc::WEXITSTATUS(status))
    })
}

/// Tries a call in a child, so that a call that succeeds changes nothing here.
pub fn tried(call: impl FnOnce() -> io::Result<()>) -> String {
    let ended = in_child(|| match call() {
        Ok(()) => 0,
        Err(error) => error.raw_os_error().unwrap_or(255),
    });
    match ended {
        Ok(Ended::Exited(0)) => "allowed".to_owned(),
        Ok(Ended::Exited(number)) => answer(Err(io::Error::from_raw_os_error(number))),
        Ok(Ended::Killed(signal)) => format!("signal {signal}"),
        Err(error) => format!("no child: {error}"),
    }
}
