//! Versions of the installed tools. Each runs with a bound on time and output, and its text is cleaned.
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use roost_protocol::text::clean;
use roost_protocol::vitals::{NodeTools, Tool};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// Tools whose version is reported; each answers `--version`.
const TOOLS: [&str; 5] = ["docker", "claude", "codex", "gemini", "ollama"];
/// How long one tool may take.
const TIME: Duration = Duration::from_secs(10);
/// How much of its output is read, bytes.
const TEXT: u64 = 8 * 1024;

/// Runs every tool; one that is not installed or does not answer is absent.
pub async fn report() -> NodeTools {
    let mut tools = Vec::new();
    for tool in TOOLS {
        let text = run(tool, &["--version"]).await;
        if let Some(version) = text.as_deref().and_then(version_in) {
            tools.push(Tool {
                tool: tool.to_owned(),
                version,
            });
        }
    }
    NodeTools { tools }
}

/// Runs a program with a bound on time and output; `None` when it does not exist or fails.
pub async fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let path = search_path();
    let program = std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", &path)
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1");
    if let Some(home) = std::env::var_os("HOME") {
        command.env("HOME", home);
    }
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let answer = tokio::time::timeout(TIME, async {
        let mut bytes = Vec::new();
        stdout.take(TEXT).read_to_end(&mut bytes).await.ok()?;
        child.wait().await.ok()?.success().then_some(bytes)
    });
    let bytes = answer.await.ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The PATH of a service is short, and people install these tools in their home folders.
fn search_path() -> OsString {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
        folders.extend(
            [".local/bin", ".npm-global/bin", ".bun/bin", ".volta/bin"].map(|name| home.join(name)),
        );
    }
    folders.extend(["/usr/local/bin", "/usr/bin", "/bin", "/snap/bin"].map(PathBuf::from));
    folders.retain(|folder| folder.is_absolute());
    std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
}

/// The first word that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let text = clean(text, 4096);
    let word = text.split([' ', ',', '(', ')']).find_map(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let begins = word.bytes().next().is_some_and(|b| b.is_ascii_digit());
        (begins && word.contains('.')).then_some(word)
    })?;
    let version = word.trim_end_matches(['.', ':', ';']);
    Some(clean(version, 64)).filter(|version| {
        version
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".+-_~".contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_from_tool_output() {
        for (text, version) in [
            (
                "Docker version 20.10.24+dfsg1, build 297e128\n",
                Some("20.10.24+dfsg1"),
            ),
            ("2.1.4 (Claude Code)\n", Some("2.1.4")),
            ("codex-cli 0.44.0\n", Some("0.44.0")),
            ("ollama version is 0.12.6\n", Some("0.12.6")),
            ("v1.2.3", Some("1.2.3")),
            ("\u{1b}[31m1.2.3\u{1b}[0m", None),
            ("no version", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text:?}");
        }
    }

    #[tokio::test]
    async fn missing_program_is_absent() {
        assert_eq!(run("roost-no-such-program", &[]).await, None);
        assert_eq!(run("false", &[]).await, None);
    }
}
