//! Sends a request to the running daemon.
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::message::{Answer, Request};
use crate::state::StateFolder;

/// Sends one request; `None` when no daemon runs with this state folder.
///
/// # Errors
/// The socket's error, or an answer that cannot be parsed.
pub fn ask(state: &StateFolder, request: Request) -> io::Result<Option<Answer>> {
    let mut stream = match UnixStream::connect(state.socket()) {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // Ending many sandboxes takes a while.
    stream.set_read_timeout(Some(Duration::from_secs(600)))?;
    let mut line = serde_json::to_vec(&request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut text = String::new();
    BufReader::new(stream).read_line(&mut text)?;
    Ok(Some(serde_json::from_str(&text)?))
}
