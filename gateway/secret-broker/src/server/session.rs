//! One connection: the greeting, then one exchange after another.

use roost_secret_broker::wire::{
    Answer, Fault, FaultCode, Frame, FrameError, FrameReader, FrameWriter, Greeting, Hello,
    Request, VERSION, Welcome, decode,
};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::sync::CancellationToken;

use super::{Broker, Peer, administration, answers, branches, fetch, files, forward, listing};

pub(super) type Reader = FrameReader<OwnedReadHalf>;
pub(super) type Writer = FrameWriter<OwnedWriteHalf>;

/// Whether a connection is still in step after an exchange.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Exchange,
    Close,
}

/// Serves a peer until it disconnects, breaks the protocol, or the broker stops.
pub(super) async fn run(
    broker: &Broker,
    peer: Peer,
    stream: UnixStream,
    stop: &CancellationToken,
) -> Result<(), FrameError> {
    let (reader, writer) = stream.into_split();
    let (mut reader, mut writer) = (FrameReader::new(reader), FrameWriter::new(writer));
    if !greet(broker, &mut reader, &mut writer).await? {
        return Ok(());
    }
    loop {
        let frame = tokio::select! {
            frame = reader.next(broker.limits.exchange) => frame?,
            () = stop.cancelled() => return Ok(()),
        };
        let message = match frame {
            None => return Ok(()),
            Some(Frame::Message(message)) => message,
            Some(_) => {
                let fault = Fault::new(FaultCode::BadRequest, "a body without its request");
                writer
                    .message(&Answer::Failed(fault), broker.limits.exchange)
                    .await?;
                return Ok(());
            }
        };
        let request: Request = match decode(&message) {
            Ok(request) => request,
            Err(error) => {
                let fault = Fault::new(FaultCode::BadRequest, format!("invalid request: {error}"));
                writer
                    .message(&Answer::Failed(fault), broker.limits.exchange)
                    .await?;
                return Err(error);
            }
        };
        drop(message);
        if exchange(broker, peer, request, &mut reader, &mut writer).await? == Next::Close {
            return Ok(());
        }
    }
}

async fn exchange(
    broker: &Broker,
    peer: Peer,
    request: Request,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    if let Err(fault) = peer.may(&request) {
        tracing::warn!(user = peer.user, verb = request.verb(), "refused");
        writer
            .message(&Answer::Failed(fault), broker.limits.exchange)
            .await?;
        // The server does not wait for a body that may follow.
        return Ok(if matches!(request, Request::Restore) {
            Next::Close
        } else {
            Next::Exchange
        });
    }
    match request {
        Request::Forward(asked) => forward::run(broker, peer, asked, reader, writer).await,
        Request::GitFetch(asked) => fetch::run(broker, peer, asked, reader, writer).await,
        Request::GitBranches(asked) => listing::run(broker, peer, asked, reader, writer).await,
        Request::GitBundle(asked) => branches::bundle(broker, peer, asked, reader, writer).await,
        Request::GitReceive(asked) => branches::receive(broker, peer, asked, reader, writer).await,
        Request::GitDiff(asked) => branches::diff(broker, peer, asked, reader, writer).await,
        Request::GitFiles(asked) => branches::files(broker, peer, asked, reader, writer).await,
        Request::GitPush(asked) => branches::push(broker, peer, asked, reader, writer).await,
        Request::GitImport(asked) => files::import(broker, peer, asked, reader, writer).await,
        Request::GitArchive(asked) => files::archive(broker, peer, asked, reader, writer).await,
        Request::Backup => administration::backup(broker, peer, writer).await,
        Request::Restore => administration::restore(broker, peer, reader, writer).await,
        request => {
            let answer = answers::answer(broker, peer, request).await;
            writer.message(&answer, broker.limits.exchange).await?;
            Ok(Next::Exchange)
        }
    }
}

async fn greet(
    broker: &Broker,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<bool, FrameError> {
    let patience = broker.limits.greeting;
    let Some(Frame::Message(message)) = reader.next(patience).await? else {
        return Ok(false);
    };
    let hello: Hello = decode(&message)?;
    let fits = hello.oldest <= VERSION && VERSION <= hello.newest;
    let greeting = if fits {
        Greeting::Welcome(Welcome {
            version: VERSION,
            build: env!("CARGO_PKG_VERSION").to_owned(),
        })
    } else {
        Greeting::Refused(Fault::new(
            FaultCode::VersionUnknown,
            format!(
                "this broker supports version {VERSION}, the client {} to {}: run the broker of the gateway's release",
                hello.oldest, hello.newest
            ),
        ))
    };
    writer.message(&greeting, patience).await?;
    Ok(fits)
}
