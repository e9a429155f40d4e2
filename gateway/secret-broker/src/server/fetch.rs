//! `git_fetch`: updates a mirror and sends progress to the peer.

use std::sync::Arc;
use std::time::Duration;

use roost_secret_broker::wire::{
    Answer, Fault, FetchPhase, Fetching, FrameError, GitFetch, Inject, Mirror, Patience, RecordName,
};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use url::Url;
use zeroize::Zeroizing;

use super::answers::{entry, short};
use super::faults::unaudited;
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer};
use crate::audit::Entry;
use crate::egress::{Redactor, Target, inject, outgoing};
use crate::git::Upstream;
use crate::record::Record;

/// Shortest time between two progress messages.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);
/// Longest time between two progress messages, as a number of those steps.
const AGAIN: u32 = 40;

pub(super) async fn run(
    broker: &Broker,
    peer: Peer,
    asked: GitFetch,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let waiting = Fetching {
        phase: FetchPhase::Waiting,
        percent: 0,
        bytes: 0,
    };
    let (progress, mut updates) = watch::channel(waiting);
    let patience = broker.limits.body;
    let silence = Patience {
        idle: None,
        ..patience
    };
    let done = {
        let mut fetching = std::pin::pin!(fetch(broker, peer, &asked, &progress));
        let mut gone = std::pin::pin!(reader.next(silence));
        let mut tick = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent = 0;
        loop {
            tokio::select! {
                biased;
                done = &mut fetching => break Some(done),
                // Any input during the wait means that the peer left or broke the protocol.
                _ = &mut gone => break None,
                _ = tick.tick() => {
                    silent += 1;
                    if updates.has_changed().unwrap_or(false) || silent >= AGAIN {
                        silent = 0;
                        let now = *updates.borrow_and_update();
                        writer.message(&Answer::Fetching(now), patience).await?;
                    }
                }
            }
        }
    };
    let bytes = progress.borrow().bytes;
    let outcome = match &done {
        Some(Ok(_)) => "done",
        Some(Err(fault)) => fault.code.slug(),
        None => "abandoned",
    };
    let audit_entry = Entry {
        bytes: Some(bytes),
        outcome,
        ..audit_entry(peer, &asked)
    };
    broker.audit.record_end(audit_entry).await;
    let Some(done) = done else {
        return Err(FrameError::CutOff);
    };
    let answer = done.map_or_else(Answer::Failed, Answer::Fetched);
    writer.message(&answer, patience).await?;
    Ok(Next::Exchange)
}

async fn fetch(
    broker: &Broker,
    peer: Peer,
    asked: &GitFetch,
    progress: &watch::Sender<Fetching>,
) -> Result<Mirror, Fault> {
    // Reserve before reading the credential, so that its deletion waits for this fetch or is seen here.
    let place = broker.mirrors.reserve(&asked.name, &asked.mirror).await?;
    let line = audit_entry(peer, asked);
    let upstream = upstream(broker, &asked.name, &asked.url, &asked.user, line).await?;
    let deadline = asked.deadline_ms.map(Duration::from_millis);
    broker
        .mirrors
        .fetch(&place, upstream, asked.head.as_deref(), deadline, progress)
        .await
}

/// The repository with its credential, after all checks that need no request to the host. The use is in the audit log when
/// this returns.
pub(super) async fn upstream(
    broker: &Broker,
    name: &RecordName,
    url: &str,
    user: &str,
    line: Entry,
) -> Result<Upstream, Fault> {
    let policy = &broker.http_client.settings().policy;
    let opened = broker.oauth.usable(name).await?;
    let record = &opened.record;
    let url = Target::check_repository(url, &record.allow, policy)?;
    let upstream = dressed(url, user, record)?;
    let noted = broker.audit.record(line).await;
    noted.map_err(|error| unaudited(&error))?;
    Ok(upstream)
}

/// The requests of git with the credential, which git itself never has.
pub(super) fn dressed(mut url: Url, user: &str, record: &Record) -> Result<Upstream, Fault> {
    let basic = match record.inject {
        Inject::Never => Inject::Never,
        _ => Inject::Basic {
            user: user.to_owned(),
        },
    };
    crate::egress::check_inject(&basic)?;
    let secret = record.secret.reveal();
    let mut headers = outgoing(&[])?;
    inject(&basic, secret, &mut headers, &mut url)?;
    let pair = Zeroizing::new([user.as_bytes(), b":", secret].concat());
    let redactor = Arc::new(Redactor::new(&[secret, &pair]));
    Ok(Upstream {
        url,
        headers,
        redactor,
    })
}

fn audit_entry(peer: Peer, asked: &GitFetch) -> Entry {
    let line = entry(peer, "git_fetch", Some(&asked.name), "begun");
    at_host(line, &asked.url, &asked.on_behalf)
}

/// The line of an exchange with the host of a repository.
pub(super) fn at_host(line: Entry, url: &str, on_behalf: &str) -> Entry {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    Entry {
        on_behalf: short(on_behalf),
        host: host.map(short).unwrap_or_default(),
        path: url
            .as_ref()
            .map(|url| short(url.path()))
            .unwrap_or_default(),
        ..line
    }
}
