//! Bombs, each in a bounded child. The sandbox's limits must stop them before the child's own bound does.
#![allow(unsafe_code)] // libc: fork, kill and waitpid for the fork bomb.
use std::fs::{self, File};
use std::io::{self, Write};

use super::Given;
use super::fact::{Ended, Facts, in_child};

pub fn probe(facts: &mut Facts, given: &Given) {
    facts.add(
        "bomb.disk",
        "A full workspace is an error and no more",
        "disk full",
        disk("/workspace/.probe-bomb", given.workspace_bytes * 2),
    );
    facts.add(
        "bomb.tmp",
        "A full /tmp is an error and no more",
        "disk full",
        disk("/tmp/.probe-bomb", 128 << 20),
    );
    facts.add(
        "bomb.shm",
        "Full shared memory is an error and no more",
        "disk full",
        disk("/dev/shm/.probe-bomb", 128 << 20),
    );
    facts.add(
        "bomb.fork",
        "A fork bomb is stopped by the limit of processes",
        "stopped",
        forks(given.pids * 2),
    );
    facts.add(
        "bomb.memory",
        "A memory bomb is killed",
        "killed",
        memory(given.memory_bytes * 2),
    );
    facts.add(
        "bomb.survived",
        "The guest lives on after all that",
        "alive",
        if fs::metadata("/proc/1").is_ok() {
            "alive"
        } else {
            "dead"
        },
    );
}

fn disk(path: &str, bound: u64) -> String {
    let chunk = vec![0x5a; 1 << 20];
    let filled: io::Result<()> = (|| {
        let mut file = File::create(path)?;
        for _ in 0..bound / chunk.len() as u64 {
            file.write_all(&chunk)?;
        }
        Ok(())
    })();
    let _ = fs::remove_file(path);
    match filled {
        Ok(()) => "no limit".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => "disk full".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Forks children that only wait; all are killed and waited for.
fn forks(bound: u64) -> String {
    let mut children = Vec::new();
    let mut stopped = false;
    for _ in 0..bound {
        // SAFETY: this program has one thread; the child only waits for its end.
        let pid = unsafe { libc::fork() };
        match pid {
            0 => loop {
                // SAFETY: waits for a signal.
                unsafe { libc::pause() };
            },
            pid if pid < 0 => {
                stopped = true;
                break;
            }
            pid => children.push(pid),
        }
    }
    for pid in children {
        // SAFETY: our own children, not yet waited for, so the numbers are theirs.
        unsafe {
            libc::kill(pid, libc::SIGKILL);
            libc::waitpid(pid, std::ptr::null_mut(), 0);
        }
    }
    if stopped {
        "stopped".to_owned()
    } else {
        "no limit".to_owned()
    }
}

fn memory(bound: u64) -> String {
    let ended = in_child(|| {
        const BLOCK: usize = 1 << 20;
        let mut held: Vec<Vec<u8>> = Vec::new();
        for n in 0..bound / BLOCK as u64 {
            let mut block = vec![0u8; BLOCK];
            // Writes every page, each with different content.
            for (at, byte) in block.iter_mut().enumerate().step_by(512) {
                *byte = (at as u64 ^ n) as u8 | 1;
            }
            held.push(block);
        }
        i32::from(held.is_empty())
    });
    match ended {
        Ok(Ended::Killed(libc::SIGKILL)) => "killed".to_owned(),
        Ok(Ended::Killed(signal)) => format!("signal {signal}"),
        Ok(Ended::Exited(_)) => "no limit".to_owned(),
        Err(error) => error.to_string(),
    }
}
