//! The server of a mission's runtime: it is started, paired with and asked from here, on the sandbox's own loopback.
//!
//! The pairing code and the bearer stay in a folder outside the workspace, which only the sandbox's user can read, so no
//! archive and no output has them.

mod request;
mod screen;
mod serve;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use roost_protocol::guest::runtime::{Boot, FOLDER, STANDING, Standing, seal};

pub use request::request;
pub use serve::serve;

/// How often the standing is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

fn file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// What a file of the folder has; `None` when there is none.
fn read(name: &str) -> io::Result<Option<String>> {
    match fs::read_to_string(file(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a file of the folder. A reader sees the old one or the new one.
fn write(name: &str, text: &str) -> io::Result<()> {
    let new = file(&format!("{name}.new"));
    fs::write(&new, text)?;
    fs::rename(new, file(name))
}

/// Waits until the server is ready or has failed, for at most so many seconds, and writes its standing. Stdin has the pad.
pub fn code(wait_s: &str) -> io::Result<()> {
    let wait: u64 = wait_s.parse().map_err(io::Error::other)?;
    let mut pad = String::new();
    io::stdin().lock().read_to_string(&mut pad)?;
    let pad: Vec<u8> = serde_json::from_str(&pad)?;
    let begun = Instant::now();
    let mut standing = loop {
        let standing = standing()?;
        if standing.boot != Boot::Starting || begun.elapsed() >= Duration::from_secs(wait) {
            break standing;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    if standing.boot == Boot::Ready
        && let Some(code) = read("code")?
    {
        let sealed = seal(&code, &pad).ok_or_else(|| io::Error::other("the pad is wrong"))?;
        standing.sealed = Some(sealed);
    }
    let text = serde_json::to_string(&standing)?;
    writeln!(io::stdout().lock(), "{text}")
}

fn standing() -> io::Result<Standing> {
    match read(STANDING)? {
        Some(text) => Ok(serde_json::from_str(&text)?),
        None => Ok(Standing {
            boot: Boot::Starting,
            sealed: None,
            last: Vec::new(),
        }),
    }
}
