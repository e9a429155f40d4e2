//! Pure rules of checkouts: names of bases, branches and folders, where a checkout begins, and the answer of a sandbox.

use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::text::clean;
use roost_secret_broker::wire::{BRANCHES, CommitLine, FileLine, Received};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::entity::{bound, commits, supply};
use crate::supplies::{self, LeftOut};
use crate::uploads;
use roost_platform::ids::{RunId, SandboxOwnerId};

/// The history is cut when its objects have more bytes than this.
pub const SHALLOW_ABOVE: u64 = 64 << 20;
/// Most bytes of a bundle that goes into a sandbox.
pub const MOST_IN: u64 = 256 << 20;
/// Most bytes of a bundle that comes out of a sandbox: less than a command may print, so that its first line fits too.
pub const MOST_OUT: u64 = MAX_STREAMED_BYTES - (64 << 10);
/// Most bytes of a diff.
pub const MOST_DIFF: u64 = 1 << 20;
/// The longest answer line of a sandbox.
const LONGEST_LINE: usize = 4096;

/// What people see of received commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Newest first.
    pub newest: Vec<CommitLine>,
    /// By path.
    pub changed: Vec<FileLine>,
}

impl From<Received> for Shown {
    fn from(received: Received) -> Self {
        Self {
            newest: received.newest,
            changed: received.changed,
        }
    }
}

/// Whether the text can name a base: a branch as git allows it, or a whole commit id.
pub fn is_base(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !text.starts_with('-')
        && text.len() <= 500
        && !text.contains("..")
        && !text.contains("@{")
        && !text.ends_with('.')
        && !text
            .chars()
            .any(|char| char.is_control() || " ~^:?*[\\".contains(char))
        && text.split('/').all(part)
}

/// Whether the text is a whole commit id.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// What the broker looks up for a base.
fn reference(base: &str) -> String {
    match is_commit(base) {
        true => base.to_owned(),
        false => format!("refs/heads/{base}"),
    }
}

/// The beginning of the names of a run's branches.
pub fn prefix(run: RunId) -> String {
    format!("{BRANCHES}run-{}", short(run.0))
}

/// The branch of a sandbox. Agents that share a sandbox share its branch.
pub fn branch(bound: &bound::Model, owner: SandboxOwnerId) -> String {
    format!("{}/{}", bound.branch, short(owner.0))
}

/// The random end of an id. Its beginning is a time, which many ids share.
pub fn short(id: Uuid) -> String {
    let text = id.simple().to_string();
    text[text.len() - 12..].to_owned()
}

/// The name of the folder of a repository.
pub fn folder(full_name: &str) -> String {
    let name = full_name.rsplit('/').next().unwrap_or_default();
    let kept: String = name
        .chars()
        .filter(|char| char.is_ascii_alphanumeric() || "-_.".contains(*char))
        .take(64)
        .collect();
    match kept.trim_start_matches(['.', '-']) {
        "" => "repository".to_owned(),
        name => name.to_owned(),
    }
}

/// The folders in which the checkout of a run can be: the second one when something else is in the first.
pub fn folders(full_name: &str, run: RunId) -> [String; 2] {
    let plain = format!("/workspace/{}", folder(full_name));
    let other = format!("{plain}-{}", short(run.0));
    [plain, other]
}

/// Where the checkout of a sandbox begins: where its own branch is, else where the run is, else where the run began.
/// `received` has the rows of the run with a head, newest first.
pub fn begins_at(
    bound: &bound::Model,
    branch: &str,
    received: &[commits::Model],
    default_branch: Option<&str>,
) -> Option<String> {
    let heads = || received.iter().filter(|row| row.head.is_some());
    let own = heads().find(|row| row.branch == branch);
    let newest = own.or_else(|| heads().next());
    newest
        .and_then(|row| row.head.clone())
        .or_else(|| bound.start_commit.clone())
        .or_else(|| bound.base_commit.clone())
        .or_else(|| bound.base_ref.as_deref().or(default_branch).map(reference))
}

/// The branch that a pull request of the run goes into: the one that the run began at, else the default branch.
pub fn pull_target(bound: &bound::Model, default_branch: Option<&str>) -> Option<String> {
    let base = bound.base_ref.as_deref().filter(|base| !is_commit(base));
    base.or(default_branch).map(str::to_owned)
}

/// The newest head of each branch, newest first, in the row with which it came. `received` has the rows of the run,
/// newest first.
pub fn heads(received: &[commits::Model]) -> Vec<&commits::Model> {
    let mut found: Vec<&commits::Model> = Vec::new();
    for row in received.iter().filter(|row| row.head.is_some()) {
        match found.iter_mut().find(|known| known.branch == row.branch) {
            // A later step without new commits has the head of the step before.
            Some(known) if known.head == row.head => *known = row,
            Some(_) => {}
            None => found.push(row),
        }
    }
    found
}

/// The newest commit of the steps that a fork keeps.
pub fn start_of_fork(received: &[commits::Model], of: RunId, kept: &[String]) -> Option<String> {
    let is_kept = |row: &&commits::Model| row.step_run_id == of && kept.contains(&row.step);
    let newest = received
        .iter()
        .filter(is_kept)
        .find(|row| row.head.is_some());
    newest.and_then(|row| row.head.clone())
}

/// The first line of a sandbox's answer about its checkout.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CheckedOut {
    pub path: String,
    pub commit: String,
}

/// The first line of a sandbox's answer about its commits. The bundle follows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Offered {
    pub head: String,
    /// Bytes of the bundle; 0 when nothing is new.
    pub bundle: u64,
    pub uncommitted: u32,
}

/// The first line of a sandbox's answer about a lock file. The file follows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LockRead {
    pub bytes: u64,
}

/// The path of a lock file that an agent named, in its one spelling. It has the rules of uploaded files.
///
/// # Errors
/// The rule that it breaks, as a sentence.
pub fn lock_path(named: &str) -> Result<String, String> {
    let path = uploads::path(named.as_bytes()).map_err(|_| {
        format!(
            "The path {} cannot be used. It begins in the folder of the checkout, without `..`, `.git`, backslashes and \
             control characters.",
            clean(named, 200)
        )
    })?;
    let path = path.unwrap_or_default();
    match supplies::kind(&path) {
        Some(_) => Ok(path),
        None => Err(format!(
            "The file {} is not a lock file that Roost can read. Roost reads {}.",
            clean(named, 200),
            supplies::readable()
        )),
    }
}

/// The first line of an answer, and what follows.
///
/// # Errors
/// Why the answer is not understood. Everything in it comes from the sandbox.
pub fn parted<T: serde::de::DeserializeOwned>(answer: &[u8]) -> Result<(T, &[u8]), String> {
    let strange = |why: &str| format!("The sandbox answered something else than was asked: {why}.");
    let end = answer
        .iter()
        .take(LONGEST_LINE)
        .position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| strange("its first line has no end"))?;
    let head = serde_json::from_slice(&answer[..end])
        .map_err(|error| strange(&clean(&error.to_string(), 200)))?;
    Ok((head, &answer[end + 1..]))
}

/// What became of a lock file, for the agent.
pub fn supply_words(row: &supply::Model) -> String {
    let there = row.fetched + row.stored;
    let mut words = format!(
        "{}: {there} of {} packages are there",
        row.path,
        row.wanted.max(there)
    );
    if row.left_out_count > 0 {
        let left: Vec<LeftOut> = serde_json::from_str(&row.left_out).unwrap_or_default();
        let names: Vec<String> = left.into_iter().take(10).map(|left| left.name).collect();
        let more = match row.left_out_count > 10 {
            true => " and more",
            false => "",
        };
        words.push_str(&format!(", without {}{more}", names.join(", ")));
    }
    words.push('.');
    let how = supplies::use_words(&row.path);
    if there > 0 && !how.is_empty() {
        words.push_str(&format!(" {how}"));
    }
    if let Some(why) = &row.why {
        words.push_str(&format!(" {why}"));
    }
    clean(&words, 1_500)
}

/// Text of a sandbox, for people.
pub fn said(text: &[u8]) -> String {
    clean(String::from_utf8_lossy(text).trim(), 1_000)
}

#[cfg(test)]
mod tests;
