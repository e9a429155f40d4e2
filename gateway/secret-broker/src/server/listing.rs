//! `git_branches`: the branches of a repository, read from its host.

use roost_secret_broker::wire::{Answer, FrameError, GitBranches};

use super::answers::entry;
use super::exchange::{answered, while_there};
use super::fetch::{at_host, upstream};
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer};
use crate::audit::Entry;

pub(super) async fn run(
    broker: &Broker,
    peer: Peer,
    asked: GitBranches,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = entry(peer, "git_branches", Some(&asked.name), "begun");
    let line = at_host(line, &asked.url, &asked.on_behalf);
    let work = async {
        let upstream = upstream(broker, &asked.name, &asked.url, &asked.user, line.clone()).await?;
        broker.mirrors.branches(upstream, &asked).await
    };
    let Some(done) = while_there(broker, reader, work).await else {
        let line = Entry {
            outcome: "abandoned",
            ..line
        };
        broker.audit.record_end(line).await;
        return Err(FrameError::CutOff);
    };
    answered(broker, writer, line, done.map(Answer::Branches)).await
}
