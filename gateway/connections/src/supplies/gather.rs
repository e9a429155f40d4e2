//! Gathers what the lock files of a commit pin: from the workspace's store, else from the registries.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};

use super::fetch::{FetchError, load};
use super::locks;
use super::model::{Kind, LeftOut, Pin, Report, State};
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

/// Gathers the packages of all lock files. `heard` gets each change of a report.
pub(crate) async fn gather(
    state: &SuppliesContext,
    workspace: WorkspaceId,
    files: &[(String, Vec<u8>)],
    heard: &Sender<Report>,
) -> Gathered {
    let mut gathered = Gathered {
        shelf: None,
        pins: BTreeSet::new(),
    };
    let mut work = Work {
        state,
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
        let report = match locks::read(kind, content, state.settings.registries.npm_name()) {
            Err(why) => report.failed(why),
            Ok(parsed) => match refusal(state, kind, gathered.shelf.as_ref()) {
                Err(why) => report.failed(why),
                Ok(shelf) => {
                    work.of_lock(shelf, report, parsed, &mut gathered.pins, heard)
                        .await
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
        parsed: locks::Parsed,
        there: &mut BTreeSet<Pin>,
        heard: &Sender<Report>,
    ) -> Report {
        report.wanted = parsed.pins.len() as u64;
        parsed
            .left_out
            .into_iter()
            .for_each(|left| report.leave_out(left));
        tell(heard, &report).await;
        let mut pins = parsed.pins;
        let over = pins.split_off(pins.len().min(self.packages));
        self.packages -= pins.len();
        for pin in over {
            let most = self.state.settings.bounds.packages;
            let why = format!(
                "A run gets at most {most} packages. An operator can raise supplies.packages."
            );
            report.leave_out(LeftOut::new(&pin.shown(), why));
        }
        let state = self.state;
        let mut open = pins.into_iter();
        let mut running = futures::stream::FuturesUnordered::new();
        let mut last = Instant::now();
        loop {
            while running.len() < AT_ONCE
                && !self.is_away(report.kind)
                && let Some(pin) = open.next()
            {
                running.push(came(state, shelf, pin));
            }
            let next = match timeout_at(self.until, running.next()).await {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(_) => {
                    let seconds = state.settings.bounds.time.as_secs();
                    report.why = Some(format!(
                        "The time limit of {seconds} s ended. The packages that came stay in the store; start another run to \
                         get the rest, or ask an operator to raise supplies.seconds."
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
                "The registry cannot be used: {why}. The run goes on without the rest."
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
        (pin, came): (Pin, Result<Came, FetchError>),
        there: &mut BTreeSet<Pin>,
    ) {
        let bytes = match came {
            Ok(Came::Stored(bytes) | Came::Fetched(bytes)) if bytes > self.bytes => {
                let most = self.state.settings.bounds.total >> 20;
                let why = format!(
                    "A run gets at most {most} MiB of packages. An operator can raise supplies.total_mib."
                );
                return report.leave_out(LeftOut::new(&pin.shown(), why));
            }
            Ok(Came::Stored(bytes)) => {
                report.stored += 1;
                bytes
            }
            Ok(Came::Fetched(bytes)) => {
                report.fetched += 1;
                self.away.remove(&pin.kind);
                bytes
            }
            Err(FetchError::Unreachable(error)) => {
                let away = self.away.entry(pin.kind).or_default();
                *away = (away.0 + 1, error.to_string());
                return report.leave_out(LeftOut::new(
                    &pin.shown(),
                    format!("It did not arrive: {error}."),
                ));
            }
            Err(FetchError::Refused(why)) => {
                return report.leave_out(LeftOut::new(&pin.shown(), why));
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

async fn came(state: &SuppliesContext, shelf: &Shelf, pin: Pin) -> (Pin, Result<Came, FetchError>) {
    let came = found_or_loaded(state, shelf, &pin).await;
    (pin, came)
}

async fn found_or_loaded(
    state: &SuppliesContext,
    shelf: &Shelf,
    pin: &Pin,
) -> Result<Came, FetchError> {
    let disk = |error: std::io::Error| {
        FetchError::Refused(format!(
            "The gateway's disk refuses: {error}. Its operator can make room."
        ))
    };
    if let Some(content) = shelf.read(&pin.hash).await.map_err(disk)? {
        return Ok(Came::Stored(content.len() as u64));
    }
    let content = load(state, pin).await?;
    let bytes = content.len() as u64;
    shelf.keep(&pin.hash, content).await.map_err(disk)?;
    Ok(Came::Fetched(bytes))
}
