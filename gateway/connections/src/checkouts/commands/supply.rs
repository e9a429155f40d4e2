//! Brings the packages of the bound commit's lock files into a sandbox, before an agent works there. A failure is a row that
//! people and agents see; the step itself goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::wire::GitFiles;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use super::check_out::StepPlace;
use crate::checkouts::entity::{bound, supply};
use crate::checkouts::guest::{self, Program, Target};
use crate::checkouts::source::Source;
use crate::checkouts::{CheckoutError, CheckoutsContext, model, store};
use crate::supplies::{self, Added, Asked, Gathered, Layout, Pin, Python, Report};
use roost_platform::broker::BrokerError;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RunId, UserId, WorkspaceId};
use roost_tenancy::change::Change;

/// Most bytes of all lock files.
const MOST_LOCKS: usize = 32 << 20;
/// Most bytes of the answer.
const ANSWER: usize = 16 << 10;
/// Bytes of a piece that is sent into the sandbox.
const PIECE: usize = 64 << 10;

/// The answer of the sandbox.
#[derive(Debug, Deserialize)]
struct Supplied {
    /// Files with settings that are not Roost's, below the home folder. They stay as they are.
    kept: Vec<String>,
}

/// What became of a try to supply a sandbox.
#[derive(Debug, Default)]
pub(super) struct Came {
    /// A later try can bring more.
    pub again: bool,
    /// The packages that are there.
    pub pins: BTreeSet<Pin>,
    /// Of each lock file.
    pub reports: Vec<Report>,
    /// What a person or an agent should know about all of them.
    pub why: Option<String>,
}

/// Supplies a sandbox that has the checkout. `time` is the longest time, where the operator's setting is too long.
///
/// # Errors
/// When the database fails, or the sandbox is away.
pub(super) async fn supply(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    (upstream, base): (&Source, &str),
    time: Option<Duration>,
) -> Result<Came, CheckoutError> {
    let added = added(state, at).await?;
    let done = match locks(state, at, upstream, base).await {
        Ok((files, unread)) if files.is_empty() && unread.is_empty() && added.is_empty() => {
            return Ok(Came::default());
        }
        Ok((files, unread)) => {
            for report in &unread {
                write(state, at, report).await?;
            }
            match python(state, at, bound, (&files, &added)).await {
                Ok(python) => {
                    let asked = Asked {
                        files: &files,
                        added: &added,
                        python,
                        time,
                    };
                    let (gathered, reports) = gathered(state, at, &asked).await?;
                    let kept = brought(state, at, bound, &gathered).await;
                    kept.map(|kept| (kept, reports, gathered.pins))
                }
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    };
    let (kept, mut reports, pins) = match done {
        Ok(done) => done,
        Err(CheckoutError::Db(error)) => return Err(error.into()),
        Err(error @ CheckoutError::Sandbox(_)) => return Err(error),
        Err(error) => {
            let words = format!("The packages are not in the sandbox. {}", error.words());
            tracing::warn!(why = words, run = %at.root, "a run goes on without packages");
            let rows = store::supplies(state.db.read(), at.scope, at.root).await?;
            marked(state, at, rows, &words).await?;
            return Ok(Came {
                again: true,
                why: Some(words),
                ..Came::default()
            });
        }
    };
    let said = (!kept.is_empty()).then(|| kept_words(&kept));
    if let Some(said) = &said {
        for report in &mut reports {
            let before = report.why.take();
            let why = before.map_or_else(|| said.clone(), |why| format!("{why} {said}"));
            report.why = Some(why);
            write(state, at, report).await?;
        }
    }
    Ok(Came {
        again: reports.iter().any(|report| report.again),
        pins,
        reports,
        why: said,
    })
}

/// What persons approved during the run, by the path of its lock file.
async fn added(
    state: &CheckoutsContext,
    at: StepPlace,
) -> Result<BTreeMap<String, Added>, CheckoutError> {
    let rows = store::supplies(state.db.read(), at.scope, at.root).await?;
    let has = rows.into_iter().filter(|row| row.added.is_some());
    Ok(has
        .map(|row| (row.path, Added::from_stored(row.added.as_deref())))
        .collect())
}

fn kept_words(kept: &[String]) -> String {
    let files: Vec<String> = kept
        .iter()
        .take(8)
        .map(|path| format!("/workspace/{}", roost_protocol::text::clean(path, 100)))
        .collect();
    format!(
        "These settings are not Roost's and stay as they are: {}. Remove them, and fork the run, to use the packages.",
        files.join(", ")
    )
}

/// A lock file and its content.
pub(super) type Lock = (String, Vec<u8>);

/// The lock files of the commit, and the reports of those that are not read.
pub(super) async fn locks(
    state: &CheckoutsContext,
    at: StepPlace,
    upstream: &Source,
    base: &str,
) -> Result<(Vec<Lock>, Vec<Report>), CheckoutError> {
    let asked = GitFiles {
        name: upstream.name.clone(),
        mirror: upstream.mirror.clone(),
        commit: base.to_owned(),
        names: supplies::NAMES.map(str::to_owned).to_vec(),
        most_files: supplies::MOST_FILES,
        most_bytes: supplies::MOST_LOCK,
        on_behalf: format!("run {}", at.root),
    };
    let (head, mut pieces) = state.broker.git_files(asked).await?;
    let bytes = pieces.whole(MOST_LOCKS).await.map_err(BrokerError::from)?;
    let (mut rest, mut files) = (bytes.as_slice(), Vec::new());
    for file in head.files {
        let length = usize::try_from(file.bytes).unwrap_or(usize::MAX);
        let Some((content, after)) = rest.split_at_checked(length) else {
            return Err(CheckoutError::Lost(
                "a part of the lock files is missing".to_owned(),
            ));
        };
        files.push((file.path, content.to_vec()));
        rest = after;
    }
    let unread = head.unread.iter();
    let unread = unread.filter_map(|file| supplies::unread(&file.path, file.bytes));
    Ok((files, unread.collect()))
}

/// The Python of the sandbox, where a lock file depends on it.
async fn python(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    (files, added): (&[Lock], &BTreeMap<String, Added>),
) -> Result<Python, CheckoutError> {
    if !supplies::needs_python(files, added) {
        return Ok(Python::default());
    }
    let target = target(at);
    let purpose = ("supplies", bound.full_name.as_str());
    let program = Program::start(state, target, purpose, guest::PYTHON, &json!({})).await?;
    let answer = program.finish(ANSWER).await?;
    let (python, _) = model::parted(&answer).map_err(CheckoutError::Guest)?;
    Ok(python)
}

pub(super) fn target(at: StepPlace) -> Target {
    Target {
        scope: at.scope,
        owner: at.sandbox_of,
        about: at.about,
    }
}

/// Gathers, and writes down how far it is.
async fn gathered(
    state: &CheckoutsContext,
    at: StepPlace,
    asked: &Asked<'_>,
) -> Result<(Gathered, Vec<Report>), CheckoutError> {
    let (heard, mut reports) = mpsc::channel(16);
    let gathering = async move {
        let workspace = at.scope.workspace();
        supplies::gather(&state.supplies, workspace, asked, &heard).await
    };
    // It drops its end of the channel when it fails, so that the other side does not wait.
    let writing = async move {
        let mut newest: Vec<Report> = Vec::new();
        while let Some(report) = reports.recv().await {
            write(state, at, &report).await?;
            newest.retain(|known| known.path != report.path);
            newest.push(report);
        }
        Ok::<_, CheckoutError>(newest)
    };
    let (gathered, newest) = tokio::join!(gathering, writing);
    Ok((gathered, newest?))
}

/// Streams the packages into the sandbox. Returns the settings that were not written.
async fn brought(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    gathered: &Gathered,
) -> Result<Vec<String>, CheckoutError> {
    let laid = supplies::laid_out(gathered).await;
    let laid =
        laid.map_err(|error| CheckoutError::Guest(format!("the gateway's disk refuses: {error}")))?;
    let Some(Layout {
        stamp,
        head,
        contents,
    }) = laid
    else {
        return Ok(Vec::new());
    };
    let target = target(at);
    let purpose = ("supplies", bound.full_name.as_str());
    let request = json!({ "stamp": stamp });
    let mut program = Program::start(state, target, purpose, guest::SUPPLY, &request).await?;
    'sending: for content in std::iter::once(head).chain(contents) {
        let content = Bytes::from(content);
        for start in (0..content.len()).step_by(PIECE) {
            let piece = content.slice(start..content.len().min(start + PIECE));
            if !program.send(piece).await {
                break 'sending;
            }
        }
    }
    let answer = program.finish(ANSWER).await?;
    let (done, _): (Supplied, _) = model::parted(&answer).map_err(CheckoutError::Guest)?;
    Ok(done.kept)
}

async fn marked(
    state: &CheckoutsContext,
    at: StepPlace,
    rows: Vec<supply::Model>,
    words: &str,
) -> Result<(), CheckoutError> {
    for row in rows {
        let row = supply::Model {
            state: supplies::State::Failed.as_str().to_owned(),
            why: Some(words.to_owned()),
            ..row
        };
        put(state, at, row).await?;
    }
    Ok(())
}

async fn write(
    state: &CheckoutsContext,
    at: StepPlace,
    report: &Report,
) -> Result<(), CheckoutError> {
    let row = row(at.root, at.scope.workspace(), report, state.clock.now());
    put(state, at, row).await
}

fn row(
    run: RunId,
    workspace: WorkspaceId,
    report: &Report,
    at: chrono::DateTime<chrono::Utc>,
) -> supply::Model {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    supply::Model {
        run_id: run,
        path: report.path.clone(),
        workspace_id: workspace,
        kind: report.kind.as_str().to_owned(),
        state: report.state.as_str().to_owned(),
        wanted: count(report.wanted),
        fetched: count(report.fetched),
        stored: count(report.stored),
        bytes: count(report.bytes),
        left_out: serde_json::to_string(&report.left_out).unwrap_or_default(),
        left_out_count: count(report.left_out_count),
        why: report.why.clone(),
        added: None,
        at,
    }
}

async fn put(
    state: &CheckoutsContext,
    at: StepPlace,
    row: supply::Model,
) -> Result<(), CheckoutError> {
    let mut change = Change::begin(state, at.scope, UserId::SYSTEM).await?;
    store::put_supply(&change, row).await?;
    if let Some(bound) = store::touch(&change, at.scope, at.root, None).await? {
        let event = Event::changed(ResourceKind::RunRepo, at.root, bound.version);
        change.event(event.about(at.about));
    }
    change.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests;
