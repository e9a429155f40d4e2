//! A real server of the S3 protocol (tests/python/s3_server.py): PyPI's moto, which checks signatures. `s3s-fs` would be
//! in Rust, but it makes each build of the tests longer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// The bucket of each server.
pub const BUCKET: &str = "roost-tests";

/// A running server with an empty bucket. It ends when dropped.
pub struct S3Server {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub port: u16,
    id: String,
    secret: String,
}

impl S3Server {
    /// Starts one.
    ///
    /// # Panics
    /// When its packages are missing.
    pub fn start() -> Self {
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut child = Command::new(format!("{repository}/target/python/bin/python3"))
            .args(["tests/python/s3_server.py", BUCKET])
            .current_dir(repository)
            // It ends together with this pipe, so it cannot outlive a killed test.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("run `deploy/setup.sh test`, which installs the packages of tests/python");
        let questions = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let ready = line(&mut answers);
        let text = |name: &str| ready[name].as_str().expect("text").to_owned();
        let address = text("address");
        let port = address
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        Self {
            child,
            questions,
            answers,
            port: port.expect("a port"),
            id: text("id"),
            secret: text("secret"),
        }
    }

    /// The names of all objects.
    pub fn names(&mut self) -> Vec<String> {
        self.ask("names")
    }

    /// Removes the bucket and its objects.
    pub fn drop_bucket(&mut self) {
        assert!(self.ask("drop").is_empty());
    }

    fn ask(&mut self, question: &str) -> Vec<String> {
        writeln!(self.questions, "{question}").expect("the server runs");
        serde_json::from_value(line(&mut self.answers)).expect("names")
    }

    /// Writes a file with the server's key, or with another secret.
    pub fn credentials(&self, file: &Path, secret: Option<&str>) {
        let secret = secret.unwrap_or(&self.secret);
        let text = format!(
            "[default]\naws_access_key_id = {}\naws_secret_access_key = {secret}\n",
            self.id
        );
        std::fs::write(file, text).expect("a file");
    }
}

fn line(answers: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    answers.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).expect("the server answers in JSON")
}

impl Drop for S3Server {
    fn drop(&mut self) {
        // A process that has already ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
