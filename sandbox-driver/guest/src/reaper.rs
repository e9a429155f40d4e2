//! Starts a command under a reaper: a child of the guest that is a subreaper, waits for the whole tree and reports how
//! the command ended. The tree can be found from the reaper whatever its processes do (see [`crate::tree`]).
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use roost_protocol::operation::TtySize;

use crate::stdin::nonblocking;
use crate::sys;

/// When memory is short, the kernel kills processes of a command first; the guest survives.
const COMMAND_OOM_SCORE: &str = "1000";

/// What to start.
pub struct Plan<'a> {
    pub argv: &'a [String],
    pub cwd: &'a str,
    pub env: &'a BTreeMap<String, String>,
    pub stdin: bool,
    pub tty: Option<TtySize>,
}

/// A reaper, and the guest's ends of its command's descriptors.
pub struct Spawned {
    pub reaper: i32,
    /// Closes when the program runs; receives an errno when it cannot run.
    pub started: OwnedFd,
    /// Receives the exit code, once.
    pub status: OwnedFd,
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    /// Absent with a terminal.
    pub stderr: Option<OwnedFd>,
}

/// Everything that the child needs, prepared before the fork.
struct Ready {
    candidates: Vec<CString>,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
}

/// Forks the reaper. [`Spawned::started`] reports whether the program itself could be started.
///
/// # Errors
/// The kernel's error, for example EAGAIN at the pids limit, or EINVAL for a NUL in an argument.
pub fn start(plan: &Plan<'_>) -> io::Result<Spawned> {
    let ready = ready(plan)?;
    let (status, status_there) = pipe()?;
    let (started, started_there) = pipe()?;
    let mut kept_stdin = None;
    let (stdout, stderr, there): (OwnedFd, Option<OwnedFd>, [OwnedFd; 3]) =
        if let Some(size) = plan.tty {
            let (master, slave) = terminal(size)?;
            kept_stdin = Some(master.try_clone()?);
            (
                master,
                None,
                [slave.try_clone()?, slave.try_clone()?, slave],
            )
        } else {
            let (stdout, stdout_there) = pipe()?;
            let (stderr, stderr_there) = pipe()?;
            let stdin_there = if plan.stdin {
                let (there, here) = io::pipe()?;
                let here = OwnedFd::from(here);
                nonblocking(&here)?;
                kept_stdin = Some(here);
                OwnedFd::from(there)
            } else {
                OwnedFd::from(std::fs::File::open("/dev/null")?)
            };
            (
                stdout,
                Some(stderr),
                [stdin_there, stdout_there, stderr_there],
            )
        };
    let reaper = sys::fork()?;
    if reaper == 0 {
        let fds = [
            there[0].as_raw_fd(),
            there[1].as_raw_fd(),
            there[2].as_raw_fd(),
            status_there.as_raw_fd(),
            started_there.as_raw_fd(),
        ];
        run(&fds, &ready, plan.tty.is_some());
    }
    Ok(Spawned {
        reaper,
        started,
        status,
        stdin: kept_stdin,
        stdout,
        stderr,
    })
}

/// A pipe whose reading end, the guest's, does not block.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    let reader = OwnedFd::from(reader);
    nonblocking(&reader)?;
    Ok((reader, writer.into()))
}

fn terminal(size: TtySize) -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = ioctl_tiocgptpeer(
        &master,
        OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
    )?;
    sys::resize(&master, size)?;
    nonblocking(&master)?;
    Ok((master, slave))
}

fn ready(plan: &Plan<'_>) -> io::Result<Ready> {
    let text =
        |bytes: &[u8]| CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL));
    let program = plan.argv.first().map(String::as_str).unwrap_or_default();
    if program.is_empty() || !plan.cwd.starts_with('/') {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let candidates = if program.contains('/') {
        vec![text(program.as_bytes())?]
    } else {
        let path = plan.env.get("PATH").map(String::as_str).unwrap_or_default();
        path.split(':')
            .filter(|folder| folder.starts_with('/'))
            .map(|folder| text(Path::new(folder).join(program).as_os_str().as_bytes()))
            .collect::<io::Result<_>>()?
    };
    Ok(Ready {
        candidates,
        argv: plan
            .argv
            .iter()
            .map(|arg| text(arg.as_bytes()))
            .collect::<io::Result<_>>()?,
        env: plan
            .env
            .iter()
            .map(|(name, value)| text(OsStr::new(&format!("{name}={value}")).as_bytes()))
            .collect::<io::Result<_>>()?,
        cwd: text(plan.cwd.as_bytes())?,
    })
}

/// Descriptors of the reaper after [`sys::only_these`].
const STATUS: i32 = 3;
const STARTED: i32 = 4;

/// The main function of the reaper.
fn run(fds: &[i32], ready: &Ready, terminal: bool) -> ! {
    sys::ignore_habitual_signals();
    let prepared = sys::subreaper().and_then(|()| sys::only_these(fds));
    let command = prepared.and_then(|()| sys::fork());
    match command {
        Err(error) => {
            send(STARTED, error.raw_os_error().unwrap_or(libc::EIO));
            sys::exit_now(1);
        }
        Ok(0) => become_command(ready, terminal),
        Ok(command) => {
            // Only the command may hold its own descriptors open.
            close(&[0, 1, 2, STARTED]);
            while let Some((pid, code)) = sys::wait_any(true) {
                if pid == command {
                    send(STATUS, code);
                }
            }
            sys::exit_now(0);
        }
    }
}

fn become_command(ready: &Ready, terminal: bool) -> ! {
    let error = prepare_and_execute(ready, terminal);
    send(STARTED, error.raw_os_error().unwrap_or(libc::EIO));
    sys::exit_now(127);
}

fn prepare_and_execute(ready: &Ready, terminal: bool) -> io::Error {
    sys::default_signals();
    let prepared = rustix::process::setsid()
        .map_err(io::Error::from)
        .and_then(|_| {
            if terminal {
                sys::control_terminal(0)
            } else {
                Ok(())
            }
        })
        .and_then(|()| rustix::process::chdir(&ready.cwd).map_err(io::Error::from))
        .and_then(|()| sys::dumpable());
    if let Err(error) = prepared {
        return error;
    }
    // If the kernel refuses, the container's own score applies. It is high enough to protect the host.
    let _ = std::fs::write("/proc/self/oom_score_adj", COMMAND_OOM_SCORE);
    let ends = |list: &[CString]| -> Vec<*const libc::c_char> {
        list.iter()
            .map(|text| text.as_ptr())
            .chain(std::iter::once(std::ptr::null()))
            .collect()
    };
    let (argv, env) = (ends(&ready.argv), ends(&ready.env));
    let mut last = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in &ready.candidates {
        let error = sys::execute(candidate, &argv, &env);
        // As in a shell: if the program is missing or not executable in one folder, try the next one.
        let next = matches!(
            error.raw_os_error(),
            Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES)
        );
        if error.raw_os_error() != Some(libc::ENOENT) {
            last = error;
        }
        if !next {
            break;
        }
    }
    last
}

/// Writes four bytes. A pipe writes so few at once, so they are never split.
fn send(fd: i32, number: i32) {
    let mut pipe = borrowed(fd);
    // Without a reader the guest is gone, and this process will end too.
    let _ = pipe.write_all(&number.to_le_bytes());
}

fn borrowed(fd: i32) -> impl Write {
    #[allow(unsafe_code)] // A descriptor by number, as `only_these` placed it.
    // SAFETY: `fd` is STATUS or STARTED, open in this process; ManuallyDrop leaves it open.
    let file = unsafe {
        use std::os::fd::FromRawFd;
        std::mem::ManuallyDrop::new(std::fs::File::from_raw_fd(fd))
    };
    WriteThrough(file)
}

struct WriteThrough(std::mem::ManuallyDrop<std::fs::File>);

impl Write for WriteThrough {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn close(fds: &[i32]) {
    for fd in fds {
        #[allow(unsafe_code)] // A descriptor by number, as `only_these` placed it.
        // SAFETY: the reaper no longer uses any of them.
        unsafe {
            libc::close(*fd);
        }
    }
}
