//! Gathers what the lock files of a commit pin: from the workspace's store, else from the registries.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::change::Added;
use super::fetch::{FetchError, index, load};
use super::locks;
use super::model::{Hash, Kind, LeftOut, Pin, Release, Report, State, Wish};
use super::python::{Offer, Python};
use super::settings::SuppliesContext;
use super::shelf::Shelf;
use roost_platform::ids::WorkspaceId;

/// Downloads at the same time.
const AT_ONCE: usize = 8;
/// After so many downloads without an answer, the registry counts as away.
const MOST_AWAY: u32 = 3;

/// What is wanted.
pub(crate) struct Asked<'a> {
    /// The lock files of the commit, by path.
    pub files: &'a [(String, Vec<u8>)],
    /// What persons approved during the run, by the path of its lock file.
    pub added: &'a BTreeMap<String, Added>,
    /// For files of Python.
    pub python: Python,
    /// Longest time, where less than the operator's setting is there.
    pub time: Option<Duration>,
}

/// What is there for the sandboxes.
pub(crate) struct Gathered {
    shelf: Option<Shelf>,
    /// Each package once.
    pub pins: BTreeSet<Pin>,
    /// The packages of each lock file, by its path.
    pub(super) by_lock: BTreeMap<String, BTreeSet<Pin>>,
}

impl Gathered {
    /// The content of a package; `None` when the store lost it meanwhile.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn content(&self, pin: &Pin) -> std::io::Result<Option<Vec<u8>>> {
        match &self.shelf {
            Some(shelf) => shelf.read(&pin.hash).await,
            None => Ok(None),
        }
    }
}

/// The report of a lock file that is too large, or one too many.
pub(crate) fn unread(path: &str, bytes: u64) -> Option<Report> {
    Some(Report::of(path, locks::kind(path)?).failed(locks::too_large(bytes)))
}

/// Whether the choice of files depends on the Python of the sandbox.
pub(crate) fn needs_python(files: &[(String, Vec<u8>)], added: &BTreeMap<String, Added>) -> bool {
    let paths = files.iter().map(|(path, _)| path);
    paths
        .chain(added.keys())
        .any(|path| locks::kind(path) == Some(Kind::Python))
}

/// Whether packages of this kind are fetched at all: the registry.
///
/// # Errors
/// Why not, as a sentence.
pub(crate) fn allowed(state: &SuppliesContext, kind: Kind) -> Result<&str, String> {
    if !state.settings.fetch {
        return Err(
            "The gateway fetches no packages, because its operator has set supplies.fetch to off."
                .to_owned(),
        );
    }
    state.settings.registries.of(kind).ok_or_else(|| {
        format!(
            "The gateway fetches none of these packages, because its operator has left {} empty.",
            kind.setting()
        )
    })
}

/// Gathers the packages of all lock files. `heard` gets each change of a report.
pub(crate) async fn gather(
    state: &SuppliesContext,
    workspace: WorkspaceId,
    asked: &Asked<'_>,
    heard: &Sender<Report>,
) -> Gathered {
    let mut gathered = Gathered {
        shelf: None,
        pins: BTreeSet::new(),
        by_lock: BTreeMap::new(),
    };
    let time = state.settings.bounds.time;
    let mut work = Work {
        state,
        python: &asked.python,
        until: Instant::now() + asked.time.map_or(time, |most| most.min(time)),
        is_short: asked.time.is_some_and(|most| most < time),
        bytes: state.settings.bounds.total,
        packages: state.settings.bounds.packages,
        away: BTreeMap::new(),
    };
    if state.settings.fetch {
        match Shelf::of(&state.folder, workspace, state.clock.clone()).await {
            Ok(shelf) => gathered.shelf = Some(shelf),
            Err(error) => {
                tracing::warn!(%error, "the store of supplies cannot be used");
            }
        }
    }
    let of_commit = asked
        .files
        .iter()
        .map(|(path, content)| (path, content.as_slice()));
    let is_new = |path: &&String| !asked.files.iter().any(|(known, _)| known == *path);
    let of_run = asked
        .added
        .keys()
        .filter(is_new)
        .map(|path| (path, &[][..]));
    for (path, content) in of_commit.chain(of_run) {
        let Some(kind) = locks::kind(path) else {
            continue;
        };
        let report = Report::of(path, kind);
        let added = asked.added.get(path);
        let report = match wanted(state, path, content, added) {
            Err(why) => report.failed(why),
            Ok((parsed, wishes)) => match refusal(state, kind, gathered.shelf.as_ref()) {
                Err(why) => report.failed(why),
                Ok(shelf) => {
                    let came = work.of_lock(shelf, report, (parsed, wishes), heard).await;
                    let (report, there) = came;
                    let old: BTreeSet<&Wish> =
                        added.map_or_else(BTreeSet::new, |added| added.without.iter().collect());
                    let listed = there.iter().filter(|(wish, _)| !old.contains(wish));
                    let listed = listed.map(|(_, pin)| pin.clone()).collect();
                    gathered.by_lock.insert(path.clone(), listed);
                    gathered.pins.extend(there.into_iter().map(|(_, pin)| pin));
                    report
                }
            },
        };
        tell(heard, &report).await;
    }
    if let Some(shelf) = &gathered.shelf
        && let Err(error) = shelf.prune(state.settings.bounds.kept).await
    {
        tracing::warn!(%error, "old packages cannot be removed from the store of supplies");
    }
    gathered
}

/// What the lock file of the commit leaves out, and what is wanted: its packages, and those that a person approved.
fn wanted(
    state: &SuppliesContext,
    path: &str,
    content: &[u8],
    added: Option<&Added>,
) -> Result<(Vec<LeftOut>, Vec<Wish>), String> {
    let read = locks::read(path, content, state.settings.registries.npm_name());
    let Some(added) = added else {
        let mut parsed = read?;
        return Ok((std::mem::take(&mut parsed.left_out), parsed.wishes()));
    };
    // The commit may have no such lock file, or a damaged one.
    let mut parsed = read.unwrap_or_default();
    let mut wishes = parsed.wishes();
    let known: BTreeSet<Wish> = wishes.iter().cloned().collect();
    let new = added.wishes.iter().filter(|wish| !known.contains(wish));
    wishes.extend(new.cloned());
    Ok((parsed.left_out, wishes))
}

fn refusal<'a>(
    state: &SuppliesContext,
    kind: Kind,
    shelf: Option<&'a Shelf>,
) -> Result<&'a Shelf, String> {
    allowed(state, kind)?;
    shelf.ok_or_else(|| {
        "The gateway cannot write its store of packages. Its operator sees why in the log."
            .to_owned()
    })
}

/// What is left of the bounds.
struct Work<'a> {
    state: &'a SuppliesContext,
    python: &'a Python,
    until: Instant,
    /// It has less time than the operator's setting.
    is_short: bool,
    bytes: u64,
    packages: usize,
    /// Downloads without an answer, and the last reason.
    away: BTreeMap<Kind, (u32, String)>,
}

/// How a package came.
enum Came {
    Stored(u64),
    Fetched(u64),
}

impl Work<'_> {
    async fn of_lock(
        &mut self,
        shelf: &Shelf,
        mut report: Report,
        (left_out, mut wishes): (Vec<LeftOut>, Vec<Wish>),
        heard: &Sender<Report>,
    ) -> (Report, Vec<(Wish, Pin)>) {
        let mut there = Vec::new();
        report.wanted = wishes.len() as u64;
        left_out.into_iter().for_each(|left| report.leave_out(left));
        tell(heard, &report).await;
        let over = wishes.split_off(wishes.len().min(self.packages));
        self.packages -= wishes.len();
        for wish in over {
            let most = self.state.settings.bounds.packages;
            let why = format!(
                "A run gets at most {most} packages. An operator can raise supplies.packages."
            );
            report.leave_out(LeftOut::new(&wish.shown(), why));
        }
        let (state, python) = (self.state, self.python);
        let mut open = wishes.into_iter();
        let mut running = futures::stream::FuturesUnordered::new();
        let mut last = Instant::now();
        loop {
            while running.len() < AT_ONCE
                && !self.is_away(report.kind)
                && let Some(wish) = open.next()
            {
                running.push(came(state, shelf, python, wish));
            }
            let next = match timeout_at(self.until, running.next()).await {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(_) => {
                    report.again = true;
                    report.why = Some(self.over_time());
                    break;
                }
            };
            self.note(&mut report, next, &mut there);
            if last.elapsed().as_secs() >= 1 {
                last = Instant::now();
                tell(heard, &report).await;
            }
        }
        let came = report.fetched + report.stored;
        if let Some((_, why)) = self
            .away
            .get(&report.kind)
            .filter(|_| self.is_away(report.kind))
        {
            report.why = Some(format!(
                "The registry cannot be used: {why}. The run goes on without the rest, and the next step in this sandbox tries \
                 again."
            ));
        }
        report.state = match came == 0 && report.why.is_some() {
            true => State::Failed,
            false => State::Done,
        };
        (report, there)
    }

    fn over_time(&self) -> String {
        let seconds = self.state.settings.bounds.time.as_secs();
        let (limit, more) = match self.is_short {
            true => ("The time for an approved request".to_owned(), ""),
            false => (
                format!("The time limit of {seconds} s"),
                " An operator can raise supplies.seconds.",
            ),
        };
        format!(
            "{limit} ended. The packages that came stay in the store, and the next step in this sandbox gets the rest.{more}"
        )
    }

    fn is_away(&self, kind: Kind) -> bool {
        self.away
            .get(&kind)
            .is_some_and(|(times, _)| *times >= MOST_AWAY)
    }

    fn note(
        &mut self,
        report: &mut Report,
        (wish, came): (Wish, Result<(Pin, Came), FetchError>),
        there: &mut Vec<(Wish, Pin)>,
    ) {
        let shown = wish.shown();
        let (pin, bytes) = match came {
            Ok((_, Came::Stored(bytes) | Came::Fetched(bytes))) if bytes > self.bytes => {
                let most = self.state.settings.bounds.total >> 20;
                let why = format!(
                    "A run gets at most {most} MiB of packages. An operator can raise supplies.total_mib."
                );
                return report.leave_out(LeftOut::new(&shown, why));
            }
            Ok((pin, Came::Stored(bytes))) => {
                report.stored += 1;
                (pin, bytes)
            }
            Ok((pin, Came::Fetched(bytes))) => {
                report.fetched += 1;
                self.away.remove(&pin.kind);
                (pin, bytes)
            }
            Err(FetchError::Unreachable(error)) => {
                let away = self.away.entry(report.kind).or_default();
                *away = (away.0 + 1, error.to_string());
                let why = format!("It did not arrive: {error}.");
                report.again = true;
                return report.leave_out(LeftOut::new(&shown, why));
            }
            Err(FetchError::Disk(why)) => {
                report.again = true;
                return report.leave_out(LeftOut::new(&shown, why));
            }
            Err(FetchError::Refused(why)) => {
                return report.leave_out(LeftOut::new(&shown, why));
            }
        };
        self.bytes -= bytes;
        report.bytes += bytes;
        there.push((wish, pin));
    }
}

/// The caller may be gone; then nobody needs the report.
async fn tell(heard: &Sender<Report>, report: &Report) {
    let _ = heard.send(report.clone()).await;
}

async fn came(
    state: &SuppliesContext,
    shelf: &Shelf,
    python: &Python,
    wish: Wish,
) -> (Wish, Result<(Pin, Came), FetchError>) {
    let came = match &wish {
        Wish::Pin(pin) => found_or_loaded(state, shelf, pin.clone(), None).await,
        Wish::Release(release) => of_release(state, shelf, python, release).await,
    };
    (wish, came)
}

/// The file of a release that fits the sandbox. The store answers without the index when the lock file names the files.
async fn of_release(
    state: &SuppliesContext,
    shelf: &Shelf,
    python: &Python,
    release: &Release,
) -> Result<(Pin, Came), FetchError> {
    let pin = |file: String, hash: &Hash| Pin {
        kind: Kind::Python,
        name: release.name.clone(),
        version: release.version.clone(),
        hash: hash.clone(),
        file: Some(file),
    };
    let fits_none = || FetchError::Refused(format!("None of its files is for {}.", python.shown()));
    let named = release.files.iter();
    let named: Vec<(String, &Hash)> = named
        .filter_map(|(hash, file)| Some((file.clone()?, hash)))
        .collect();
    if named.len() == release.files.len() {
        let (file, hash) = python.best(named.into_iter()).ok_or_else(fits_none)?;
        let content = shelf.read(hash).await.map_err(disk)?;
        if let Some(content) = content {
            return Ok((pin(file, hash), Came::Stored(content.len() as u64)));
        }
    }
    let offers = index(state, &release.name).await?;
    let is_pinned = |offer: &Offer| release.files.iter().any(|(hash, _)| *hash == offer.hash);
    let pinned: Vec<Offer> = offers.into_iter().filter(is_pinned).collect();
    if pinned.is_empty() {
        return Err(FetchError::Refused(
            "The index has no file of it with a hash of the lock file. Look into this before you change the lock file."
                .to_owned(),
        ));
    }
    let pinned = pinned.into_iter().map(|offer| (offer.file.clone(), offer));
    let (file, offer) = python.best(pinned).ok_or_else(fits_none)?;
    found_or_loaded(state, shelf, pin(file, &offer.hash), Some(offer.url)).await
}

async fn found_or_loaded(
    state: &SuppliesContext,
    shelf: &Shelf,
    pin: Pin,
    from: Option<Url>,
) -> Result<(Pin, Came), FetchError> {
    if let Some(content) = shelf.read(&pin.hash).await.map_err(disk)? {
        return Ok((pin, Came::Stored(content.len() as u64)));
    }
    let content = load(state, &pin, from).await?;
    let bytes = content.len() as u64;
    shelf.keep(&pin.hash, content).await.map_err(disk)?;
    Ok((pin, Came::Fetched(bytes)))
}

fn disk(error: std::io::Error) -> FetchError {
    let full = [
        std::io::ErrorKind::StorageFull,
        std::io::ErrorKind::QuotaExceeded,
    ];
    FetchError::Disk(match full.contains(&error.kind()) {
        true => "The gateway's disk is full. Its operator makes room; then start another step."
            .to_owned(),
        false => format!(
            "The gateway's disk refuses: {error}. Its operator sees to it; then start another step."
        ),
    })
}
