//! Starts the server of a runtime, pairs with it, and passes on what it prints, without secrets. It ends with the server.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::DirBuilderExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use regex::Regex;
use roost_protocol::guest::runtime::{Asked, Boot, FOLDER, MOST_CODE, Reply, STANDING, Standing};
use serde_json::Value;

use super::screen::Screen;
use super::{LOOK_EVERY, request, write};

/// The most bytes of one line of the server.
const MOST_LINE: u64 = 64 * 1024;
/// How long the server may take to listen after it printed its code.
const LISTENS_WITHIN: Duration = Duration::from_secs(60);
/// The most bytes of its answer to the pairing.
const MOST_ANSWER: u64 = 64 * 1024;

type SharedScreen = Arc<Mutex<Screen>>;

/// Runs the server `command` until it ends. An empty pattern means that it needs no pairing.
pub fn serve(port: &str, pattern: &str, command: &[&str]) -> io::Result<()> {
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let pattern = match pattern {
        "" => None,
        pattern => Some(Regex::new(pattern).map_err(io::Error::other)?),
    };
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| io::Error::other("name the program of the server"))?;
    match fs::remove_dir_all(FOLDER) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    DirBuilder::new().mode(0o700).create(FOLDER)?;
    stand(Boot::Starting, Vec::new())?;
    let (output, input) = io::pipe()?;
    let mut started = Command::new(program);
    started
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(input.try_clone()?)
        .stderr(input);
    let child = started.spawn();
    // Its ends of the pipe: only the server keeps the output open.
    drop(started);
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            stand(Boot::Ended, vec![format!("{program}: {error}")])?;
            return Err(error);
        }
    };
    let needs_pairing = pattern.is_some();
    let screen: SharedScreen = Arc::new(Mutex::new(Screen::new(pattern)));
    if !needs_pairing {
        let waits = move || {
            let boot = match listens(port) {
                true => Boot::Ready,
                false => Boot::Refused,
            };
            stand(boot, Vec::new())
        };
        std::thread::spawn(waits);
    }
    pass_on(port, output, &screen)?;
    let ended = child.wait()?;
    for name in ["code", "token"] {
        let _ = fs::remove_file(super::file(name));
    }
    stand(Boot::Ended, locked(&screen).last())?;
    match ended.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "the server of the runtime: {ended}"
        ))),
    }
}

fn pass_on(port: u16, output: impl Read, screen: &SharedScreen) -> io::Result<()> {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if output
            .by_ref()
            .take(MOST_LINE)
            .read_until(b'\n', &mut bytes)?
            == 0
        {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&bytes);
        let (passed, last) = {
            let mut screen = locked(screen);
            let passed = screen.line(line.trim_end());
            // From the code on, the standing is that of the pairing.
            (passed, screen.seeks_code().then(|| screen.last()))
        };
        if let Some(last) = last {
            stand(Boot::Starting, last)?;
        }
        if let Some(code) = passed.code {
            let screen = screen.clone();
            std::thread::spawn(move || pair(port, &code, &screen));
        }
        if let Some(line) = passed.line {
            writeln!(io::stdout().lock(), "{line}")?;
        }
    }
}

/// Redeems the code, and keeps what the server gives for it.
fn pair(port: u16, code: &str, screen: &SharedScreen) -> io::Result<()> {
    if !listens(port) {
        return stand(
            Boot::Refused,
            vec!["The server printed its code, and does not listen.".to_owned()],
        );
    }
    let asked = Asked {
        method: "POST".to_owned(),
        path: "/pair".to_owned(),
        headers: BTreeMap::from([("X-Pairing-Code".to_owned(), code.to_owned())]),
        body: String::new(),
        timeout_s: 30,
        most: MOST_ANSWER,
    };
    let (status, body) = match request::send(port, asked) {
        Reply::Answered { status, body } => (status, body),
        other => {
            return stand(
                Boot::Refused,
                vec![format!("The pairing failed: {}.", word(&other))],
            );
        }
    };
    let token = serde_json::from_str::<Value>(&body)
        .ok()
        .and_then(|body| Some(body.get("token")?.as_str()?.to_owned()))
        .filter(|token| !token.is_empty());
    match token {
        Some(token) if status == 200 && code.len() <= MOST_CODE => {
            write("token", &token)?;
            write("code", code)?;
            stand(Boot::Ready, Vec::new())?;
            let mut screen = locked(screen);
            let mut out = io::stdout().lock();
            for line in screen.paired(token) {
                writeln!(out, "{line}")?;
            }
            Ok(())
        }
        _ => stand(
            Boot::Refused,
            vec![format!("POST /pair answered {status}, without a token.")],
        ),
    }
}

fn word(reply: &Reply) -> &'static str {
    match reply {
        Reply::Answered { .. } => "an answer",
        Reply::TooLong => "the answer is too long",
        Reply::NotTaken(_) => "nothing listens",
        Reply::Broken(_) => "the answer did not come",
    }
}

fn listens(port: u16) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < LISTENS_WITHIN {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return true;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    false
}

fn stand(boot: Boot, last: Vec<String>) -> io::Result<()> {
    let standing = Standing {
        boot,
        sealed: None,
        last,
    };
    write(STANDING, &serde_json::to_string(&standing)?)
}

fn locked(screen: &SharedScreen) -> std::sync::MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
