//! Packages that an agent added to a lock file of its checkout. The gateway reads the file itself, a person approves exactly
//! these packages, and the gateway fetches no others.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};

use super::check_out::StepPlace;
use super::supply::{self, Came};
use crate::checkouts::dto::{OfferedPackages, RunLeftOut};
use crate::checkouts::entity::{bound, checkout, supply as row};
use crate::checkouts::guest::{self, Program};
use crate::checkouts::model::{self, LockRead};
use crate::checkouts::{CheckoutError, CheckoutsContext, source, store};
use crate::supplies::{self, Added, Compared, LeftOut, MOST_LOCK, State, Wish};
use roost_machines::sandboxes::{self, SandboxOwner};
use roost_platform::events::{About, Event, ResourceKind};
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The longest time of the downloads. It ends before the door counts as cut off.
const FETCHING: Duration = Duration::from_secs(60);
/// The longest time of the whole request.
const WHOLE: Duration = Duration::from_secs(100);

/// What an agent may ask for, and from where it would come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagesOffer {
    pub packages: OfferedPackages,
    /// The registry's host.
    pub registry: String,
}

/// What an approved request brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagesAdded {
    /// Packages that a person approved.
    pub wanted: usize,
    /// Of these: in the sandbox.
    pub there: usize,
    /// What came and what did not, for the agent and for people.
    pub words: String,
}

/// The packages that the lock file at this path of the agent's checkout has more than the sandbox.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::NotAdded`], [`CheckoutError::Guest`], and when the sandbox or the broker
/// cannot be reached.
pub async fn offer_packages(
    state: &CheckoutsContext,
    at: StepPlace,
    path: &str,
) -> Result<PackagesOffer, CheckoutError> {
    let path = model::lock_path(path).map_err(CheckoutError::NotAdded)?;
    let kind = supplies::kind(&path).ok_or(CheckoutError::NoBinding)?;
    let registry = supplies::allowed(&state.supplies, kind).map_err(CheckoutError::NotAdded)?;
    let registry = supplies::host(registry);
    let place = Place::of(state, at).await?;
    let content = read(state, at, &place, &path).await?;
    let Compared { change, .. } = compared(state, at, &place, &path, &content).await?;
    let few = |count: usize| count as u64;
    let (removed, left_out) = (change.removed.len(), change.left_out.len());
    let first = |left: LeftOut| RunLeftOut::from(left);
    let packages = OfferedPackages {
        run_id: at.root,
        owner_kind: at.sandbox_of.kind(),
        owner_id: at.sandbox_of.id(),
        kind: kind.as_str().to_owned(),
        sha256: hex::encode(Sha256::digest(&content)),
        bytes: content.len() as u64,
        added: change.added,
        changed: change.changed,
        removed_count: few(removed),
        removed: change
            .removed
            .into_iter()
            .take(supplies::MOST_NAMED)
            .collect(),
        left_out_count: few(left_out),
        left_out: change
            .left_out
            .into_iter()
            .take(supplies::MOST_NAMED)
            .map(first)
            .collect(),
        path,
    };
    Ok(PackagesOffer { packages, registry })
}

/// Fetches the packages that a person approved, and lays them into the sandbox. `run` has the step that asked.
///
/// # Errors
/// As [`offer_packages`]. [`CheckoutError::NotAdded`] when the lock file is another one now.
pub async fn add_packages(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    by: UserId,
    run: Option<RunId>,
    offered: &OfferedPackages,
) -> Result<PackagesAdded, CheckoutError> {
    let at = StepPlace {
        scope,
        root: offered.run_id,
        run: run.unwrap_or(offered.run_id),
        sandbox_of: SandboxOwner::of(offered.owner_kind, offered.owner_id),
        about: About {
            run: Some(run.unwrap_or(offered.run_id).0),
            ..About::default()
        },
    };
    match tokio::time::timeout(WHOLE, added(state, at, by, offered)).await {
        Ok(done) => done,
        Err(_) => Err(CheckoutError::NotAdded(format!(
            "The packages did not arrive within {} s. What came stays in the store, and the next step in this sandbox brings \
             the rest.",
            WHOLE.as_secs()
        ))),
    }
}

async fn added(
    state: &CheckoutsContext,
    at: StepPlace,
    by: UserId,
    offered: &OfferedPackages,
) -> Result<PackagesAdded, CheckoutError> {
    let path = &offered.path;
    let place = Place::of(state, at).await?;
    let content = read(state, at, &place, path).await?;
    let changed = || {
        CheckoutError::NotAdded(format!(
            "The lock file {path} changed after the request, so nothing was fetched. Ask again."
        ))
    };
    if hex::encode(Sha256::digest(&content)) != offered.sha256 {
        return Err(changed());
    }
    let compared = compared(state, at, &place, path, &content).await?;
    // The settings of the operator may read the same file in another way now.
    if !is_within(&compared.new, offered) {
        return Err(changed());
    }
    approve(state, at, by, &place, (path, &compared.added)).await?;
    let base = place.base()?;
    let upstream = source::of(state.db.read(), at.scope, &place.bound).await?;
    let done = supply::supply(state, at, &place.bound, (&upstream, base), Some(FETCHING)).await?;
    if !done.again {
        let change = Change::begin(state, at.scope, UserId::SYSTEM).await?;
        let checkout = checkout::Model {
            supply_again: false,
            ..place.checkout
        };
        store::put_checkout(&change, checkout).await?;
        change.commit().await?;
    }
    Ok(said(path, &compared.new, &done))
}

/// Writes down what a person approved, before anything is fetched: a sandbox that is made later gets it too.
async fn approve(
    state: &CheckoutsContext,
    at: StepPlace,
    by: UserId,
    place: &Place,
    (path, added): (&str, &Added),
) -> Result<(), CheckoutError> {
    let kind = supplies::kind(path).ok_or(CheckoutError::NoBinding)?;
    let mut change = Change::begin(state, at.scope, by).await?;
    let row = row::Model {
        run_id: at.root,
        path: path.to_owned(),
        workspace_id: at.scope.workspace(),
        kind: kind.as_str().to_owned(),
        state: State::Fetching.as_str().to_owned(),
        wanted: 0,
        fetched: 0,
        stored: 0,
        bytes: 0,
        left_out: "[]".to_owned(),
        left_out_count: 0,
        why: None,
        added: serde_json::to_string(added).ok(),
        at: change.now(),
    };
    store::put_added(&change, row).await?;
    // When the gateway dies now, the next step in the sandbox goes on.
    let checkout = checkout::Model {
        supply_again: true,
        ..place.checkout.clone()
    };
    store::put_checkout(&change, checkout).await?;
    if let Some(bound) = store::touch(&change, at.scope, at.root, None).await? {
        let event = Event::changed(ResourceKind::RunRepo, at.root, bound.version);
        change.event(event.about(at.about));
    }
    change.commit().await?;
    Ok(())
}

/// Where the agent works.
struct Place {
    bound: bound::Model,
    checkout: checkout::Model,
}

impl Place {
    async fn of(state: &CheckoutsContext, at: StepPlace) -> Result<Self, CheckoutError> {
        let db = state.db.read();
        let bound = store::bound(db, at.scope, at.root).await?;
        let bound = bound.ok_or(CheckoutError::NoBinding)?;
        let gone = || {
            CheckoutError::NotAdded(format!(
                "The sandbox with the checkout of {} is gone. Ask again in the next step.",
                bound.full_name
            ))
        };
        let sandbox = sandboxes::current(db, at.scope, at.sandbox_of.id()).await?;
        let sandbox = sandbox.ok_or_else(gone)?;
        let checkout = store::checkout(db, at.scope, at.root, sandbox.id).await?;
        let checkout = checkout.ok_or_else(gone)?;
        Ok(Self { bound, checkout })
    }

    fn base(&self) -> Result<&str, CheckoutError> {
        let base = self.bound.base_commit.as_deref();
        base.ok_or_else(|| CheckoutError::Empty(self.bound.full_name.clone()))
    }
}

/// The lock file, as the sandbox has it now.
async fn read(
    state: &CheckoutsContext,
    at: StepPlace,
    place: &Place,
    path: &str,
) -> Result<Vec<u8>, CheckoutError> {
    let asked = json!({ "folder": place.checkout.path, "path": path, "most": MOST_LOCK });
    let target = supply::target(at);
    let purpose = ("supplies", place.bound.full_name.as_str());
    let program = Program::start(state, target, purpose, guest::READ_LOCK, &asked).await?;
    let most = usize::try_from(MOST_LOCK).unwrap_or(usize::MAX) + (4 << 10);
    let answer = program.finish(most).await?;
    let (head, content): (LockRead, _) = model::parted(&answer).map_err(CheckoutError::Guest)?;
    match content.len() as u64 == head.bytes && head.bytes <= MOST_LOCK {
        true => Ok(content.to_vec()),
        false => Err(CheckoutError::Lost(
            "a part of the lock file is missing".to_owned(),
        )),
    }
}

/// Compares it with the lock file of the commit, and with what was approved before and came.
async fn compared(
    state: &CheckoutsContext,
    at: StepPlace,
    place: &Place,
    path: &str,
    content: &[u8],
) -> Result<Compared, CheckoutError> {
    let upstream = source::of(state.db.read(), at.scope, &place.bound).await?;
    let (files, _) = supply::locks(state, at, &upstream, place.base()?).await?;
    let before = files.into_iter().find(|(known, _)| known == path);
    let rows = store::supplies(state.db.read(), at.scope, at.root).await?;
    let row = rows.into_iter().find(|row| row.path == path);
    // What did not arrive because a registry was away may be asked for again.
    let row = row.filter(|_| !place.checkout.supply_again);
    let approved = Added::from_stored(row.and_then(|row| row.added).as_deref());
    let npm = state.supplies.settings.registries.npm_name();
    let (path, content, npm) = (path.to_owned(), content.to_owned(), npm.to_owned());
    let compared = tokio::task::spawn_blocking(move || {
        let before = before.as_ref().map(|(_, content)| content.as_slice());
        supplies::compared(&path, &npm, before, &approved, &content)
    });
    let compared = compared
        .await
        .map_err(|error| CheckoutError::Lost(error.to_string()))?;
    compared.map_err(CheckoutError::NotAdded)
}

/// Whether a person saw each of these packages.
fn is_within(new: &[Wish], offered: &OfferedPackages) -> bool {
    let added = offered.added.iter().map(|of| (&*of.name, &*of.version));
    let changed = offered.changed.iter().map(|of| (&*of.name, &*of.to));
    let seen: BTreeSet<(&str, &str)> = added.chain(changed).collect();
    new.iter().all(|wish| seen.contains(&wish.package()))
}

/// What came of the approved packages.
fn said(path: &str, new: &[Wish], done: &Came) -> PackagesAdded {
    let pins = done.pins.iter();
    let pins: BTreeSet<(&str, &str)> = pins.map(|pin| (&*pin.name, &*pin.version)).collect();
    let missing = new.iter().filter(|wish| !pins.contains(&wish.package()));
    let missing: Vec<String> = missing.map(Wish::shown).collect();
    let there = new.len() - missing.len();
    let mut words = format!(
        "{there} of {} approved packages of {path} are in the sandbox.",
        new.len()
    );
    let report = done.reports.iter().find(|report| report.path == path);
    for name in missing.iter().take(10) {
        let mut left = report.into_iter().flat_map(|report| &report.left_out);
        let why = left.find(|left| left.name == *name);
        let why = why.map_or("It did not come.", |left| left.why.as_str());
        words.push_str(&format!(" {name}: {why}"));
    }
    if missing.len() > 10 {
        words.push_str(&format!(" And {} more did not come.", missing.len() - 10));
    }
    let of_lock = report.and_then(|report| report.why.as_deref());
    if let Some(why) = of_lock.or(done.why.as_deref()) {
        words.push_str(&format!(" {why}"));
    }
    let how = supplies::use_words(path);
    if there > 0 && !how.is_empty() {
        words.push_str(&format!(" {how}"));
    }
    PackagesAdded {
        wanted: new.len(),
        there,
        words,
    }
}
