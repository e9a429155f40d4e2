//! A real mail server (tests/python/smtp_server.py): PyPI's aiosmtpd. It takes mail from one user only.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;

/// A mail that the server took.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TakenMail {
    pub sender: String,
    pub recipients: Vec<String>,
    pub from: String,
    pub subject: String,
    pub text: String,
}

/// A running server. It ends when dropped.
pub struct SmtpServer {
    child: Child,
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    pub port: u16,
}

impl SmtpServer {
    /// Starts one; with TLS from the first byte where there is a certificate and its key.
    ///
    /// # Panics
    /// When its packages are missing.
    pub fn start(tls: Option<(&Path, &Path)>) -> Self {
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut command = Command::new(format!("{repository}/target/python/bin/python3"));
        command.arg("tests/python/smtp_server.py");
        if let Some((certificate, key)) = tls {
            command.args([certificate, key]);
        }
        let mut child = command
            .current_dir(repository)
            // It ends together with this pipe, so it cannot outlive a killed test.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("run `deploy/setup.sh test`, which installs the packages of tests/python");
        let questions = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let port = line(&mut answers)["port"].as_u64();
        let port = port.and_then(|port| u16::try_from(port).ok());
        Self {
            child,
            pipes: Mutex::new((questions, answers)),
            port: port.expect("a port"),
        }
    }

    /// The setting `smtp_url` of the user that may send.
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://roost:mail%3Asecret@127.0.0.1:{}", self.port)
    }

    /// All mails that the server took.
    pub fn mails(&self) -> Vec<TakenMail> {
        serde_json::from_value(self.ask("mails")).expect("mails")
    }

    /// Answers each recipient with this code from now on; 250 takes mail again.
    pub fn answer(&self, code: u16) {
        self.ask(&format!("answer {code}"));
    }

    fn ask(&self, question: &str) -> Value {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(pipes.0, "{question}").expect("the server runs");
        line(&mut pipes.1)
    }
}

fn line(answers: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    answers.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).expect("the server answers in JSON")
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        // A process that has already ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
