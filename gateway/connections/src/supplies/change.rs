//! What an agent's lock file has more than the packages that were supplied. Pure functions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::locks;
use super::model::{Hash, Kind, LeftOut, Wish};

/// Most packages that a person decides about at once: all of them are shown.
const MOST_NEW: usize = 1_000;
/// Most packages that a run may have in addition to those of its commit.
const MOST_ADDED: usize = 4_000;
/// Most removed or left out packages that are named. The rest is counted.
pub(crate) const MOST_NAMED: usize = 50;

/// A package, for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = OfferedPackage)]
pub struct Package {
    pub name: String,
    pub version: String,
}

/// A package with another version, or with other files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = OfferedReplacement)]
pub struct Replaced {
    pub name: String,
    pub from: String,
    /// The same as `from` when the lock file pins this version to another hash.
    pub to: String,
}

/// What a lock file has more, and less, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub added: Vec<Package>,
    pub changed: Vec<Replaced>,
    pub removed: Vec<Package>,
    /// New entries that cannot be supplied.
    pub left_out: Vec<LeftOut>,
}

/// The packages of a lock file that a person approved during a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Added {
    pub wishes: Vec<Wish>,
    /// Packages of Python that the approved lock file does not have any more: pip gets no second version of a package.
    pub without: Vec<Wish>,
}

impl Added {
    /// From a row; what cannot be read counts as nothing, so nothing is fetched for it.
    pub fn from_stored(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    /// With the packages that were approved later.
    fn and(&self, new: &[Wish], without: Vec<Wish>) -> Self {
        let mut wishes = self.wishes.clone();
        wishes.extend(new.iter().cloned());
        wishes.sort();
        wishes.dedup();
        Self { wishes, without }
    }
}

/// A lock file, compared with what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compared {
    pub change: Change,
    /// What would be fetched.
    pub new: Vec<Wish>,
    /// What the run has in addition afterwards.
    pub added: Added,
}

/// Compares the lock file `after` with that of the commit, and with the packages that were approved before. `npm` is how
/// lock files name the npm registry.
///
/// # Errors
/// Why nothing can be added, as a sentence that says what to do.
pub(crate) fn compared(
    path: &str,
    npm: &str,
    before: Option<&[u8]>,
    approved: &Added,
    after: &[u8],
) -> Result<Compared, String> {
    // A lock file that cannot be read supplied nothing.
    let mut before = before
        .and_then(|content| locks::read(path, content, npm).ok())
        .unwrap_or_default();
    let mut after = locks::read(path, after, npm)?;
    let mut known = before.wishes();
    known.extend(approved.wishes.iter().cloned());
    let wanted = after.wishes();
    let (change, new) = difference(&known, &wanted);
    let was_left_out: BTreeSet<String> = before.left_out.into_iter().map(named).collect();
    let left_out = after.left_out.into_iter();
    let left_out: Vec<LeftOut> = left_out
        .filter(|left| !was_left_out.contains(&left.name))
        .collect();
    if new.is_empty() {
        return Err(nothing_new(path, &left_out));
    }
    if new.len() > MOST_NEW || approved.wishes.len() + new.len() > MOST_ADDED {
        return Err(format!(
            "The lock file {path} has {} packages that are not in the sandbox. A person can approve {MOST_NEW} at once, and {MOST_ADDED} in a \
             run. Commit the lock file and end your work; the next run begins with its packages.",
            new.len()
        ));
    }
    let is_python = locks::kind(path) == Some(Kind::Python);
    let kept: BTreeSet<&Wish> = wanted.iter().collect();
    known.retain(|wish| is_python && !kept.contains(wish));
    let added = approved.and(&new, known);
    Ok(Compared {
        change: Change { left_out, ..change },
        new,
        added,
    })
}

fn named(left: LeftOut) -> String {
    left.name
}

fn nothing_new(path: &str, left_out: &[LeftOut]) -> String {
    match left_out {
        [] => format!(
            "The lock file {path} has no package besides those that were supplied or approved already, so there is nothing to approve."
        ),
        some => {
            let few: Vec<String> = some
                .iter()
                .take(5)
                .map(|left| format!("{}: {}", left.name, left.why))
                .collect();
            format!("Nothing new in {path} can be supplied. {}", few.join(" "))
        }
    }
}

/// What `wanted` has more than `known`, for people and as packages.
fn difference(known: &[Wish], wanted: &[Wish]) -> (Change, Vec<Wish>) {
    let mut there: BTreeMap<(&str, &str), BTreeSet<&Hash>> = BTreeMap::new();
    for wish in known {
        there
            .entry(wish.package())
            .or_default()
            .extend(wish.hashes());
    }
    let is_there = |wish: &&Wish| {
        let hashes = there.get(&wish.package());
        hashes.is_some_and(|known| wish.hashes().all(|hash| known.contains(hash)))
    };
    let new: Vec<&Wish> = wanted.iter().filter(|wish| !is_there(wish)).collect();
    let stays: BTreeSet<(&str, &str)> = wanted.iter().map(Wish::package).collect();
    let mut gone: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, version) in there.keys() {
        if !stays.contains(&(name, version)) {
            gone.entry(name).or_default().insert(version);
        }
    }
    let mut change = Change::default();
    for (name, version) in new
        .iter()
        .map(|wish| wish.package())
        .collect::<BTreeSet<_>>()
    {
        let same = there.contains_key(&(name, version)).then_some(version);
        let from = same.or_else(|| gone.get_mut(name)?.pop_first());
        match from {
            Some(from) => change.changed.push(Replaced {
                name: name.to_owned(),
                from: from.to_owned(),
                to: version.to_owned(),
            }),
            None => change.added.push(package(name, version)),
        }
    }
    for (name, versions) in gone {
        let left = versions.into_iter().map(|version| package(name, version));
        change.removed.extend(left);
    }
    (change, new.into_iter().cloned().collect())
}

fn package(name: &str, version: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

#[cfg(test)]
mod tests;
