//! The verbs with one message and one answer.

use roost_secret_broker::wire::{
    Answer, Description, Fault, FaultCode, Inject, RecordKind, RecordName, RecordState, Request,
    Secret, Store,
};

use super::cleaning;
use super::faults::unaudited;
use super::{Broker, Peer, fault_of};
use crate::audit::{self, Entry};
use crate::egress::{chain, check_allow, check_inject};
use crate::record::Record;

/// Carries out the request and records it in the audit log.
pub(super) async fn answer(broker: &Broker, peer: Peer, request: Request) -> Answer {
    let verb = request.verb();
    let (named, done) = match request {
        Request::Status => return Answer::Status(broker.status()),
        Request::VerifyAudit => return verified(broker).await,
        Request::Describe(name) => {
            return describe(broker, &name)
                .await
                .map_or_else(Answer::Failed, Answer::Described);
        }
        // The text goes to no remote, so this is not a use of the credential.
        Request::Clean(asked) => {
            return cleaning::clean(broker, asked)
                .await
                .map_or_else(Answer::Failed, Answer::Cleaned);
        }
        Request::Store(store) => (
            Some(store.name.clone()),
            stored(broker, store).await.map(Answer::Stored),
        ),
        Request::Delete(name) => {
            let deleted = deleted(broker, &name).await;
            (
                Some(name),
                deleted.map(|existed| Answer::Deleted { existed }),
            )
        }
        Request::Begin(begin) => {
            let name = begin.name.clone();
            (
                Some(name),
                broker.oauth.begin(begin).await.map(Answer::Begun),
            )
        }
        Request::Exchange(exchange) => {
            let done = broker.oauth.exchange(exchange).await;
            (
                done.as_ref().ok().map(|described| described.name.clone()),
                done.map(Answer::Exchanged),
            )
        }
        Request::Redeem(redeem) => {
            let name = redeem.name.clone();
            let done = broker.oauth.redeem(redeem).await;
            (Some(name), done.map(Answer::Redeemed))
        }
        Request::Renew(name) => {
            let done = broker.oauth.renew_now(name.clone()).await;
            (Some(name), done.map(Answer::Redeemed))
        }
        Request::Rekey => {
            let done = broker.store.rekey().await.map_err(|error| fault_of(&error));
            (None, done.map(Answer::Saved))
        }
        Request::GitForget(asked) => {
            let forgotten = broker.mirrors.forget(&asked.name, &asked.mirror).await;
            (
                Some(asked.name),
                forgotten.map(|existed| Answer::Forgotten { existed }),
            )
        }
        // Verbs with bodies, or with a long wait, are handled elsewhere.
        Request::Forward(_)
        | Request::GitFetch(_)
        | Request::GitBranches(_)
        | Request::GitBundle(_)
        | Request::GitReceive(_)
        | Request::GitDiff(_)
        | Request::GitFiles(_)
        | Request::GitPush(_)
        | Request::GitImport(_)
        | Request::GitArchive(_)
        | Request::Backup
        | Request::Restore => (
            None,
            Err(Fault::new(
                FaultCode::BadRequest,
                "this verb is more than one message",
            )),
        ),
    };
    let outcome = done
        .as_ref()
        .map_or_else(|fault| fault.code.slug(), |_| "done");
    let noted = broker
        .audit
        .record(entry(peer, verb, named.as_ref(), outcome))
        .await;
    match (done, noted) {
        (Ok(_), Err(error)) => Answer::Failed(unaudited(&error)),
        (Ok(answer), Ok(())) => answer,
        (Err(fault), _) => Answer::Failed(fault),
    }
}

/// Builds a line of the audit log.
pub(super) fn entry(
    peer: Peer,
    verb: &'static str,
    name: Option<&RecordName>,
    outcome: &'static str,
) -> Entry {
    Entry {
        verb,
        tenant: name
            .map(|name| name.tenant().to_owned())
            .unwrap_or_default(),
        connection: name
            .map(|name| name.connection().to_owned())
            .unwrap_or_default(),
        user: peer.user,
        process: peer.process,
        outcome,
        ..Entry::default()
    }
}

async fn stored(broker: &Broker, store: Store) -> Result<Description, Fault> {
    let bad = |detail: &str| Fault::new(FaultCode::BadRequest, detail);
    let length = store.secret.reveal().len();
    if !(Secret::LEAST..=Secret::MOST).contains(&length) {
        return Err(bad(
            "a secret has 8 to 16384 bytes; in an answer, a shorter one would look like ordinary text",
        ));
    }
    if store.name.is_sign_in() {
        return Err(bad("names below `sign-in/` are the broker's own"));
    }
    if store.inject != Inject::Never && !store.secret.reveal().iter().all(u8::is_ascii_graphic) {
        return Err(bad(
            "a secret has visible characters only; check that no line end was pasted with it",
        ));
    }
    check_allow(&store.allow)?;
    check_inject(&store.inject)?;
    let now_ms = broker.store.clock().now_ms();
    let held = broker.store.hold(&store.name).await;
    let record = Record {
        kind: RecordKind::Static,
        state: RecordState::Ready,
        secret: store.secret,
        inject: store.inject,
        allow: store.allow,
        created_ms: now_ms,
        updated_ms: now_ms,
        grant: None,
        sign_in: None,
    };
    broker
        .store
        .put(&held, &record)
        .await
        .map_err(|error| fault_of(&error))
}

async fn deleted(broker: &Broker, name: &RecordName) -> Result<bool, Fault> {
    // Revoke it first: after the deletion nobody could.
    broker.oauth.revoke(name).await;
    let gone = async {
        let held = broker.store.hold(name).await;
        broker.store.delete(&held).await
    };
    // Delete its mirrors too.
    let deleted = broker.mirrors.forget_all(name, gone).await?;
    deleted.map_err(|error| fault_of(&error))
}

/// Shortens a text for the audit log.
pub(super) fn short(text: &str) -> String {
    text.chars()
        .filter(|char| !char.is_control())
        .take(512)
        .collect()
}

async fn describe(broker: &Broker, name: &RecordName) -> Result<Description, Fault> {
    let opened = broker
        .store
        .credential(name)
        .await
        .map_err(|error| fault_of(&error))?;
    Ok(opened.record.describe(name, opened.generation))
}

async fn verified(broker: &Broker) -> Answer {
    let folder = broker.audit_folder.clone();
    let walked = tokio::task::spawn_blocking(move || audit::verify(&folder)).await;
    match walked {
        Ok(Ok(report)) => Answer::Audit(report),
        Ok(Err(error)) => Answer::Failed(Fault::new(
            FaultCode::AuditFailed,
            format!("the audit log cannot be read: {}", chain(&error)),
        )),
        Err(_) => Answer::Failed(Fault::new(
            FaultCode::AuditFailed,
            "the check of the audit log was cancelled",
        )),
    }
}
