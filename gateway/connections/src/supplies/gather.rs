//! Gathers what the lock files of a commit pin: from the workspace's store, else from the registries.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};
use url::Url;

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
pub(crate) fn needs_python(files: &[(String, Vec<u8>)]) -> bool {
    files
        .iter()
        .any(|(path, _)| locks::kind(path) == Some(Kind::Python))
}

/// Gathers the packages of all lock files. `heard` gets each change of a report.
pub(crate) async fn gather(
    state: &SuppliesContext,
    workspace: WorkspaceId,
    files: &[(String, Vec<u8>)],
    python: &Python,
    heard: &Sender<Report>,
) -> Gathered {
    let mut gathered = Gathered {
        shelf: None,
        pins: BTreeSet::new(),
        by_lock: BTreeMap::new(),
    };
    let mut work = Work {
        state,
        python,
        until: Instant::now() + state.settings.bounds.time,
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
    for (path, content) in files {
        let Some(kind) = locks::kind(path) else {
            continue;
        };
        let report = Report::of(path, kind);
        let report = match locks::read(path, content, state.settings.registries.npm_name()) {
            Err(why) => report.failed(why),
            Ok(parsed) => match refusal(state, kind, gathered.shelf.as_ref()) {
                Err(why) => report.failed(why),
                Ok(shelf) => {
                    let there = gathered.by_lock.entry(path.clone()).or_default();
                    let report = work.of_lock(shelf, report, parsed, there, heard).await;
                    gathered.pins.extend(there.iter().cloned());
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

fn refusal<'a>(
    state: &SuppliesContext,
    kind: Kind,
    shelf: Option<&'a Shelf>,
) -> Result<&'a Shelf, String> {
    let registry = state.settings.registries.of(kind);
    match (state.settings.fetch, registry) {
        (false, _) => Err(
            "The gateway fetches no packages, because its operator has set supplies.fetch to off."
                .to_owned(),
        ),
        (true, None) => Err(format!(
            "The gateway fetches none of these packages, because its operator has left {} empty.",
            kind.setting()
        )),
        (true, Some(_)) => shelf.ok_or_else(|| {
            "The gateway cannot write its store of packages. Its operator sees why in the log."
                .to_owned()
        }),
    }
}

/// What is left of the bounds.
struct Work<'a> {
    state: &'a SuppliesContext,
    python: &'a Python,
    until: Instant,
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
        mut parsed: locks::Parsed,
        there: &mut BTreeSet<Pin>,
        heard: &Sender<Report>,
    ) -> Report {
        let mut wishes = parsed.wishes();
        report.wanted = wishes.len() as u64;
        parsed
            .left_out
            .into_iter()
            .for_each(|left| report.leave_out(left));
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
                    let seconds = state.settings.bounds.time.as_secs();
                    report.again = true;
                    report.why = Some(format!(
                        "The time limit of {seconds} s ended. The packages that came stay in the store, and the next step in \
                         this sandbox gets the rest. An operator can raise supplies.seconds."
                    ));
                    break;
                }
            };
            self.note(&mut report, next, there);
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
        report
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
        there: &mut BTreeSet<Pin>,
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
            Err(FetchError::Refused(why)) => {
                return report.leave_out(LeftOut::new(&shown, why));
            }
        };
        self.bytes -= bytes;
        report.bytes += bytes;
        there.insert(pin);
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
    FetchError::Refused(format!(
        "The gateway's disk refuses: {error}. Its operator can make room."
    ))
}
