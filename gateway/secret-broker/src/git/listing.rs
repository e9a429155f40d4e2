//! The branches of a repository, read from its host. No mirror is needed, and none changes.

use std::path::Path;
use std::time::Duration;

use roost_secret_broker::wire::{Branches, Fault, FaultCode, GitBranches};
use tokio::time::{Instant, timeout_at};

use super::command::Git;
use super::git_proxy::{GitProxy, Passing};
use super::{Mirrors, Upstream, unfetched, unkept};

/// Longest wait for the host. A caller cannot ask for more.
const LONGEST: Duration = Duration::from_secs(30);
/// Most bytes of the host's list. git prints less.
const MOST_BYTES: u64 = 32 << 20;
/// Most names of an answer, and most bytes of them. An answer is one message.
const MOST_NAMES: usize = 1_000;
const MOST_TEXT: usize = 100 << 10;

impl Mirrors {
    /// Reads the names of the host's branches.
    ///
    /// # Errors
    /// The error of the host or of git.
    pub async fn branches(
        &self,
        upstream: Upstream,
        asked: &GitBranches,
    ) -> Result<Branches, Fault> {
        let longest = asked.deadline_ms.map_or(LONGEST, Duration::from_millis);
        let deadline = Instant::now() + longest.min(LONGEST);
        let listing = timeout_at(deadline, self.listed(upstream, asked, deadline));
        listing.await.unwrap_or_else(|_| {
            Err(Fault::new(
                FaultCode::RemoteTimeout,
                "the branches could not be read before the deadline",
            ))
        })
    }

    async fn listed(
        &self,
        upstream: Upstream,
        asked: &GitBranches,
        deadline: Instant,
    ) -> Result<Branches, Fault> {
        let shared = &*self.shared;
        let room = shared.listings.acquire().await;
        let _room = room.map_err(|_| Fault::new(FaultCode::Stopping, "the broker is stopping"))?;
        let proxy = GitProxy::open(
            upstream,
            shared.http_client.clone(),
            MOST_BYTES,
            deadline,
            Passing::Read,
        )
        .await
        .map_err(|error| unkept(&error))?;
        let url = proxy.url();
        let git =
            Git::new(Path::new("/nonexistent"), MOST_BYTES).with("http.extraHeader", &proxy.pass());
        let list = ["ls-remote", "--quiet", "--heads", url.as_str()];
        match git.run(&list, |_| {}).await {
            Ok(output) => Ok(names(&output, asked)),
            Err(error) => Err(proxy.fault().unwrap_or_else(|| unfetched(&error, &proxy))),
        }
    }
}

/// The names in the output of `git ls-remote`, a line for each: `<commit>\trefs/heads/<name>`.
fn names(output: &[u8], asked: &GitBranches) -> Branches {
    let containing = asked.containing.to_lowercase();
    let most = usize::try_from(asked.most).map_or(MOST_NAMES, |most| most.min(MOST_NAMES));
    let mut found = Branches {
        names: Vec::new(),
        more: false,
    };
    let mut bytes = 0;
    for line in output.split(|byte| *byte == b'\n') {
        let name = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.split_once("\trefs/heads/"));
        let Some((_, name)) = name else {
            continue;
        };
        if !name.to_lowercase().contains(&containing) {
            continue;
        }
        bytes += name.len();
        if found.names.len() == most || bytes > MOST_TEXT {
            found.more = true;
            break;
        }
        found.names.push(name.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use roost_secret_broker::wire::RecordName;

    use super::*;

    fn asked(containing: &str, most: u32) -> GitBranches {
        GitBranches {
            name: RecordName::new("w1", "repos/c1").unwrap(),
            url: "https://git.example/acme/tools.git".to_owned(),
            user: "oauth2".to_owned(),
            containing: containing.to_owned(),
            most,
            deadline_ms: None,
            on_behalf: String::new(),
        }
    }

    fn output(names: &[&str]) -> Vec<u8> {
        names
            .iter()
            .map(|name| format!("{}\trefs/heads/{name}\n", "0a".repeat(20)))
            .collect::<String>()
            .into_bytes()
    }

    #[test]
    fn names_are_found_by_a_part_of_them_in_either_case() {
        let output = output(&["Fix/login", "fix/logout", "main"]);
        let all = names(&output, &asked("", 10));
        assert_eq!(all.names, ["Fix/login", "fix/logout", "main"]);
        assert_eq!(names(&output, &asked("LOGI", 10)).names, ["Fix/login"]);
        assert!(names(&output, &asked("nothing", 10)).names.is_empty());
        assert!(!all.more);
    }

    #[test]
    fn list_that_is_cut_says_so() {
        let output = output(&["a", "b", "c"]);
        let cut = names(&output, &asked("", 2));
        assert_eq!((cut.names.len(), cut.more), (2, true));
        let whole = names(&output, &asked("", 3));
        assert_eq!((whole.names.len(), whole.more), (3, false));
    }

    #[test]
    fn names_fit_into_one_message() {
        let long = "x".repeat(250);
        let output = output(&vec![long.as_str(); 900]);
        let cut = names(&output, &asked("", 1_000));
        assert!(cut.more);
        assert!(cut.names.iter().map(String::len).sum::<usize>() <= MOST_TEXT);
    }

    #[test]
    fn other_lines_are_left_out() {
        let mut output = output(&["main"]);
        output.extend_from_slice(b"nonsense\n0a\trefs/tags/v1\n\xff\trefs/heads/bad\n");
        assert_eq!(names(&output, &asked("", 10)).names, ["main"]);
    }
}
