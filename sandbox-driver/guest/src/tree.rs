//! Kills a whole process tree, descendants that left session and parent included.
//!
//! Every command runs under a keeper that is a subreaper, so whatever a descendant does, it stays a descendant of the
//! keeper: a daemon that forks twice becomes the keeper's child, not ours. A tree is first stopped, pass by pass, until no
//! new process shows up (a fork bomb cannot outrun that: stopped processes keep their places under the pids limit), and
//! then killed.
use std::collections::HashMap;
use std::fs;

use crate::sys;

/// Passes of stopping before killing what was found.
const PASSES: usize = 32;
/// Where the number of threads stands in a stat line, counted from behind the parent.
const THREADS: usize = 15;

/// One process as `/proc` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    parent: i32,
    /// Only not waited for. A process whose first thread has left while others run looks like a zombie and lives.
    dead: bool,
}

/// Kills every living descendant of `root`, not `root` itself. Gives how many there were; 0 means that the tree is dead.
pub fn kill_descendants(root: i32) -> usize {
    kill_all(|all| descendants(root, all))
}

/// Kills what lost its keeper, with everything below it, and says whether any of it may still be there. `keepers` are those
/// at work.
///
/// What is killed dies a moment later, and what it started in between becomes a child of ours: ask again until it says no.
pub fn kill_strays(keepers: &[i32]) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or(1);
    let all = processes();
    let kinds = || all.keys().map(|pid| kind(*pid, own, keepers, &all));
    if all.contains_key(&own) && !kinds().any(|kind| kind != Kind::Kept) {
        return false;
    }
    kill_all(|all| {
        all.iter()
            .filter(|(_, seen)| !seen.dead)
            .map(|(pid, _)| *pid)
            .filter(|pid| kind(*pid, own, keepers, all) == Kind::Stray)
            .collect()
    });
    true
}

/// Stops, pass by pass, whatever `which` finds until it finds nothing new, and then kills it. Gives how many there were.
fn kill_all(which: impl Fn(&HashMap<i32, Seen>) -> Vec<i32>) -> usize {
    let mut stopped: Vec<i32> = Vec::new();
    for _ in 0..PASSES {
        let new: Vec<i32> = which(&processes())
            .into_iter()
            .filter(|pid| !stopped.contains(pid))
            .collect();
        if new.is_empty() {
            break;
        }
        for pid in &new {
            sys::kill(*pid, libc::SIGSTOP);
        }
        stopped.extend(new);
    }
    for pid in &stopped {
        sys::kill(*pid, libc::SIGKILL);
    }
    stopped.len()
}

/// To whom a process belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Under a keeper at work; or we ourselves; or from outside, by the engine, and then it has no parent here.
    Kept,
    /// Ours, and under no keeper. Also one that is dead: what it started just before may be missing in the snapshot.
    Stray,
    /// Its parent left while the snapshot was taken.
    Unknown,
}

fn kind(pid: i32, own: i32, keepers: &[i32], all: &HashMap<i32, Seen>) -> Kind {
    let mut at = pid;
    // No tree is deeper than the snapshot has members; more steps are a circle of one taken while processes moved.
    for _ in 0..=all.len() {
        if keepers.contains(&at) || at == 0 || pid == own {
            return Kind::Kept;
        }
        if at == own {
            return Kind::Stray;
        }
        match all.get(&at) {
            Some(seen) => at = seen.parent,
            None => return Kind::Unknown,
        }
    }
    Kind::Unknown
}

fn processes() -> HashMap<i32, Seen> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return HashMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, parse_stat(&stat)?))
        })
        .collect()
}

/// The name in a stat line may hold anything, parentheses and newlines too: what counts begins after the last `)`.
fn parse_stat(stat: &[u8]) -> Option<Seen> {
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(stat.get(after..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let threads = fields.nth(THREADS).and_then(|count| count.parse().ok());
    Some(Seen {
        parent,
        dead: matches!(state, "Z" | "X") && threads.unwrap_or(1) <= 1,
    })
}

fn descendants(root: i32, all: &HashMap<i32, Seen>) -> Vec<i32> {
    all.iter()
        .filter(|(_, seen)| !seen.dead)
        .filter(|(_, seen)| {
            let mut parent = seen.parent;
            // A snapshot taken while processes move may hold a circle; no tree is deeper than it has members.
            for _ in 0..=all.len() {
                if parent == root {
                    return true;
                }
                match all.get(&parent) {
                    Some(above) => parent = above.parent,
                    None => return false,
                }
            }
            false
        })
        .map(|(pid, _)| *pid)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_confuse() {
        let seen = parse_stat(b"17 (a) R 1 (b)\n) S 5 17 17 0 -1").unwrap();
        assert_eq!(
            seen,
            Seen {
                parent: 5,
                dead: false
            }
        );
        assert_eq!(parse_stat(b"garbage"), None);
    }

    #[test]
    fn a_zombie_with_threads_that_run_is_alive() {
        let line =
            |threads| format!("9 (a) Z 1 1 1 0 -1 4227340 8 0 7 0 0 0 0 0 20 0 {threads} 0 27 0 0");
        let dead = |threads| parse_stat(line(threads).as_bytes()).map(|seen| seen.dead);
        assert_eq!(
            (dead(2), dead(1), dead(0)),
            (Some(false), Some(true), Some(true))
        );
        assert_eq!(parse_stat(b"9 (a) Z 1").map(|seen| seen.dead), Some(true));
    }

    #[test]
    fn a_stray_is_ours_and_under_no_keeper() {
        let seen = |parent| Seen {
            parent,
            dead: false,
        };
        let dead = |parent| Seen { parent, dead: true };
        let all = HashMap::from([
            (1, seen(0)),
            (2, seen(1)),
            (3, seen(2)),
            (4, seen(1)),
            (5, seen(4)),
            (6, seen(0)),
            (7, seen(6)),
            (8, seen(99)),
            (9, dead(1)),
        ]);
        let kind = |pid| kind(pid, 1, &[2], &all);
        for kept in [1, 2, 3] {
            assert_eq!(kind(kept), Kind::Kept);
        }
        for from_outside in [6, 7] {
            assert_eq!(kind(from_outside), Kind::Kept);
        }
        for stray in [4, 5, 9] {
            assert_eq!(kind(stray), Kind::Stray);
        }
        assert_eq!(kind(8), Kind::Unknown);
    }

    #[test]
    fn descendants_of_any_depth_are_found_and_others_are_not() {
        let seen = |parent| Seen {
            parent,
            dead: false,
        };
        let all = HashMap::from([
            (2, seen(1)),
            (3, seen(2)),
            (4, seen(3)),
            (5, seen(1)),
            (
                6,
                Seen {
                    parent: 2,
                    dead: true,
                },
            ),
            (7, seen(8)),
            (8, seen(7)),
        ]);
        let mut found = descendants(2, &all);
        found.sort_unstable();
        assert_eq!(found, [3, 4]);
    }
}
