//! `roost-guest`: the first process of every sandbox, and the small tools that the driver runs inside it.
//!
//! Without arguments it supervises: it reads frames from fd 0 and writes frames to fd 1, in one poll loop without
//! threads. See [`supervisor`].

mod archive;
mod operation;
mod outbox;
mod reaper;
mod ring;
mod runtime;
mod snapshot;
mod stdin;
mod supervisor;
mod sys;
mod tree;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use roost_protocol::guest::listing::KNOWN_LISTING;

/// The one directory whose content is kept.
const WORKSPACE: &str = "/workspace";
/// Holds the id of the archive of which this sandbox was made. It is outside the workspace, so no archive contains it.
const RESTORED: &str = "/tmp/.roost-restored";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => supervisor::run(),
        ["archive-out", budget] => archive_out(budget),
        ["snapshot-list", budget] => snapshot_list(budget),
        ["snapshot-read"] => snapshot::read(
            Path::new(WORKSPACE),
            io::stdin().lock(),
            io::stdout().lock(),
        ),
        ["snapshot-in"] => snapshot::restore(Path::new(WORKSPACE), io::stdin().lock()),
        ["archive-in"] => archive::unpack(io::stdin().lock(), Path::new(WORKSPACE)),
        ["usage"] => usage(),
        ["mark-restored", digest] => std::fs::write(RESTORED, digest),
        ["restored"] => restored(),
        ["runtime-serve", port, pattern, command @ ..] => runtime::serve(port, pattern, command),
        ["runtime-code", wait_s] => runtime::code(wait_s),
        ["runtime-request", port] => runtime::request(port),
        ["--version"] => {
            let mut out = io::stdout().lock();
            writeln!(out, "roost-guest {}", env!("CARGO_PKG_VERSION"))
        }
        _ => Err(io::Error::other(
            "usage: roost-guest [archive-out <bytes> | snapshot-list <bytes> | snapshot-read | snapshot-in | archive-in | usage | mark-restored <sha256> | restored | runtime-serve <port> <pattern> <program>… | runtime-code <seconds> | runtime-request <port> | --version]",
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The stderr of the first process is discarded; a tool's stderr goes to its caller.
            let _ = writeln!(io::stderr(), "roost-guest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn archive_out(budget: &str) -> io::Result<()> {
    let budget = bytes(budget)?;
    let left_out = archive::pack(Path::new(WORKSPACE), budget, io::stdout().lock())?;
    for line in left_out {
        writeln!(io::stderr(), "left out: {line}")?;
    }
    Ok(())
}

/// The list goes to stdout, and one line for each entry that is left out to stderr. When both have the hash that the host
/// names, stdout is one byte instead.
fn snapshot_list(budget: &str) -> io::Result<()> {
    let budget = bytes(budget)?;
    let known = std::env::var(KNOWN_LISTING).ok();
    let mut out = snapshot::Held::new(io::stdout().lock(), known);
    let mut told = snapshot::list(Path::new(WORKSPACE), budget, &mut out)?.join("\n");
    if !told.is_empty() {
        told.push('\n');
    }
    out.finish(&told)?;
    io::stderr().write_all(told.as_bytes())
}

fn bytes(budget: &str) -> io::Result<u64> {
    budget
        .parse()
        .map_err(|_| io::Error::other("the size of the workspace is a number of bytes"))
}

/// Bytes used of the workspace.
fn usage() -> io::Result<()> {
    let found = rustix::fs::statvfs(WORKSPACE)?;
    let used = (found.f_blocks - found.f_bfree) * found.f_frsize;
    writeln!(io::stdout().lock(), "{used}")
}

fn restored() -> io::Result<()> {
    match std::fs::read_to_string(RESTORED) {
        Ok(digest) => writeln!(io::stdout().lock(), "{digest}"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
