//! What a received branch changed: commits and files for people, and the diff as text.

use roost_secret_broker::wire::{CommitLine, Fault, FileLine, GitDiff, Received};

use super::bundle::resolve;
use super::command::Git;
use super::shelf::Place;
use super::{Mirrors, bounded, failed, line, refs};

/// Most commits and files that are listed.
const COMMITS: usize = 50;
const FILES: usize = 200;
/// Characters of a text.
const TEXT: usize = 300;
/// Most bytes of a diff.
const MOST: u64 = 2 << 20;

/// Describes `base..commit`.
pub(super) async fn describe(
    git: &impl Fn() -> Git,
    base: &str,
    commit: &str,
) -> Result<Received, Fault> {
    let range = format!("{base}..{commit}");
    let count = git()
        .run(&["rev-list", "--count", &range], |_| {})
        .await
        .map_err(|error| failed(&error))?;
    let most = format!("--max-count={COMMITS}");
    let log = git()
        .run(
            &[
                "log",
                "-z",
                "--no-show-signature",
                &most,
                "--format=%H%n%an%n%at%n%s",
                &range,
            ],
            |_| {},
        )
        .await
        .map_err(|error| failed(&error))?;
    let log = String::from_utf8_lossy(&log);
    let newest = log.split('\0').filter_map(commit_line).collect();
    let files = git()
        .run(
            &[
                "diff-tree",
                "-r",
                "-z",
                "--no-renames",
                "--numstat",
                "--no-ext-diff",
                "--no-textconv",
                base,
                commit,
            ],
            |_| {},
        )
        .await
        .map_err(|error| failed(&error))?;
    let changed: Vec<&[u8]> = files
        .split(|byte| *byte == 0)
        .filter(|file| !file.is_empty())
        .collect();
    Ok(Received {
        commit: commit.to_owned(),
        commits: line(&count).parse().unwrap_or(0),
        newest,
        files: changed.len() as u64,
        changed: changed
            .into_iter()
            .take(FILES)
            .filter_map(file_line)
            .collect(),
    })
}

fn commit_line(text: &str) -> Option<CommitLine> {
    let mut lines = text.splitn(4, '\n');
    let commit = lines.next().filter(|commit| refs::is_commit(commit))?;
    let (author, at, subject) = (lines.next()?, lines.next()?, lines.next()?);
    Some(CommitLine {
        commit: commit.to_owned(),
        author: shown(author),
        at_s: at.parse().unwrap_or(0),
        subject: shown(subject),
    })
}

/// `<added>\t<removed>\t<path>`; `-` for a binary file.
fn file_line(text: &[u8]) -> Option<FileLine> {
    let text = String::from_utf8_lossy(text);
    let mut parts = text.splitn(3, '\t');
    let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
    Some(FileLine {
        path: shown(path),
        added: added.parse().ok(),
        removed: removed.parse().ok(),
    })
}

fn shown(text: &str) -> String {
    bounded(text).chars().take(TEXT).collect()
}

impl Mirrors {
    /// The difference of two commits as a unified diff, and whether its end is left out.
    ///
    /// # Errors
    /// `FaultCode::BadRequest`, `FaultCode::UnknownCommit`, `FaultCode::GitFailed`.
    pub async fn diff(&self, place: &Place, asked: &GitDiff) -> Result<(Vec<u8>, bool), Fault> {
        let git = || Git::new(place.path(), self.shared.limits.most);
        let base = resolve(&git, refs::commit(&asked.base)?).await?;
        let commit = resolve(&git, refs::commit(&asked.commit)?).await?;
        let _room = self.room_for_branches().await?;
        let most = usize::try_from(asked.most.min(MOST)).unwrap_or(0);
        let mut running = git()
            .stream(
                &[
                    "diff-tree",
                    "-r",
                    "-p",
                    "-M",
                    "--no-color",
                    "--no-ext-diff",
                    "--no-textconv",
                    &base,
                    &commit,
                ],
                Vec::new(),
            )
            .await
            .map_err(|error| failed(&error))?;
        let mut text = Vec::new();
        while let Some(piece) = running.piece().await.map_err(|error| failed(&error))? {
            let room = most - text.len();
            if piece.len() > room {
                text.extend_from_slice(&piece[..room]);
                return Ok((text, true));
            }
            text.extend_from_slice(&piece);
        }
        Ok((text, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_read_and_their_texts_are_cleaned() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let line = commit_line(&format!("{id}\nAnn\u{1b}[31m\n1700000000\nsub\tject")).unwrap();
        assert_eq!(line.commit, id);
        assert_eq!(
            (line.author.as_str(), line.at_s),
            ("Ann[31m", 1_700_000_000)
        );
        assert_eq!(line.subject, "subject");
        assert_eq!(commit_line("short\nAnn\n1\nx"), None);
    }

    #[test]
    fn file_lines_are_read() {
        let text = file_line(b"3\t1\tsrc/a b.rs").unwrap();
        assert_eq!((text.added, text.removed), (Some(3), Some(1)));
        assert_eq!(text.path, "src/a b.rs");
        let binary = file_line(b"-\t-\tlogo.png").unwrap();
        assert_eq!((binary.added, binary.removed), (None, None));
    }
}
