//! `escape-probe`: tries to escape from its sandbox and prints the results as JSON.
//!
//! Every fact has a stable name and one right value. The driver compares the values with a golden file, so a probe that
//! reports wrong expected values changes nothing. Facts that could cause harm run in bounded children.

mod bombs;
mod fact;
mod files;
mod identity;
mod limits;
mod network;
mod syscalls;

use std::io::Write;
use std::process::ExitCode;

use fact::Facts;

/// The sandbox's limits, as given by the caller.
pub struct Given {
    pub memory_bytes: u64,
    pub workspace_bytes: u64,
    pub pids: u64,
}

/// A program that looks dead in `/proc` but is not: its first thread ends, another one stays. The driver's tests run it
/// under a deadline.
fn look_dead() -> ! {
    std::thread::spawn(|| {
        loop {
            std::thread::park();
        }
    });
    #[allow(unsafe_code)] // No safe form ends one thread without its stack's destructors.
    // SAFETY: only this thread ends; nothing borrows from its stack, which stays mapped.
    unsafe {
        libc::syscall(libc::SYS_exit, 0);
    }
    unreachable!("the thread has ended")
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--look-dead") {
        look_dead();
    }
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let [memory_bytes, workspace_bytes, pids] = numbers.as_slice() else {
        let _ = writeln!(
            std::io::stderr(),
            "usage: escape-probe [--quick] <memory bytes> <workspace bytes> <pids>\n       escape-probe --look-dead"
        );
        return ExitCode::FAILURE;
    };
    let given = Given {
        memory_bytes: *memory_bytes,
        workspace_bytes: *workspace_bytes,
        pids: *pids,
    };
    let mut facts = Facts::default();
    identity::probe(&mut facts);
    syscalls::probe(&mut facts);
    network::probe(&mut facts);
    files::probe(&mut facts);
    limits::probe(&mut facts, &given);
    // In an agent's own sandbox the bombs are skipped: they would use the resources of its commands.
    if !std::env::args().any(|word| word == "--quick") {
        bombs::probe(&mut facts, &given);
    }
    let text = serde_json::to_vec(&facts.list).unwrap_or_default();
    match std::io::stdout().lock().write_all(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
