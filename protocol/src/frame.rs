//! Messages and the envelope around them, as MessagePack with field names so that old and new can talk.
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::control::{Control, ControlReply};
use crate::hello::{Hello, Refused, Welcome};
use crate::ids::ConnectionEpoch;
use crate::inventory::Inventory;
use crate::limits::MAX_FRAME_BYTES;
use crate::operation::OperationRequest;
use crate::output::OutputChunk;
use crate::report::OperationReport;
use crate::vitals::{Heartbeat, NodeTools};

/// What every frame carries beside its message.
///
/// `epoch` is 0 in `hello` and the connection's afterwards; `seq` counts a sender's frames from 0 within one connection,
/// so that a duplicated or reordered frame is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<M> {
    pub epoch: ConnectionEpoch,
    pub seq: u64,
    pub message: M,
}

/// All that a gateway can say. There is no variant that carries a command for the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToNode {
    Welcome(Welcome),
    Refused(Refused),
    Operation(OperationRequest),
    Control(Control),
    /// A message of a newer minor version: ignored and counted.
    #[serde(other)]
    Unknown,
}

/// All that a node can say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToGateway {
    Hello(Hello),
    Heartbeat(Heartbeat),
    NodeTools(NodeTools),
    Report(OperationReport),
    Output(OutputChunk),
    Inventory(Inventory),
    Reply(ControlReply),
    /// A message of a newer minor version: ignored and counted.
    #[serde(other)]
    Unknown,
}

/// Deepest nesting of a frame; the deepest message of ours has 10.
const MAX_DEPTH: usize = 32;

/// Why bytes are not a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {got} bytes is over the limit of {MAX_FRAME_BYTES}")]
    TooLarge { got: usize },
    #[error("the frame is not MessagePack of the expected shape")]
    Malformed(#[source] rmp_serde::decode::Error),
    #[error("the frame has {0} bytes after its end")]
    Trailing(usize),
    #[error("the frame cannot be encoded")]
    Encode(#[source] rmp_serde::encode::Error),
}

/// Encodes a frame with field names.
///
/// # Errors
/// [`FrameError::TooLarge`] when the result is over the limit; [`FrameError::Encode`] when a value has no MessagePack form.
pub fn encode<M: Serialize>(frame: &Envelope<M>) -> Result<Vec<u8>, FrameError> {
    let bytes = rmp_serde::to_vec_named(frame).map_err(FrameError::Encode)?;
    if bytes.len() > MAX_FRAME_BYTES {
        return Err(FrameError::TooLarge { got: bytes.len() });
    }
    Ok(bytes)
}

/// Decodes exactly one frame from `bytes`.
///
/// # Errors
/// Any of [`FrameError`] but `Encode`; never panics on hostile input.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<Envelope<M>, FrameError> {
    if bytes.len() > MAX_FRAME_BYTES {
        return Err(FrameError::TooLarge { got: bytes.len() });
    }
    let mut reader = rmp_serde::Deserializer::new(std::io::Cursor::new(bytes));
    reader.set_max_depth(MAX_DEPTH);
    let frame = Envelope::deserialize(&mut reader).map_err(FrameError::Malformed)?;
    let read = usize::try_from(reader.position()).unwrap_or(usize::MAX);
    let rest = bytes.len().saturating_sub(read);
    if rest > 0 {
        return Err(FrameError::Trailing(rest));
    }
    Ok(frame)
}

/// [`decode`] for what a node sent: everything in it is bounded and cleaned (see [`crate::clean`]).
///
/// # Errors
/// As [`decode`].
pub fn decode_from_node(bytes: &[u8]) -> Result<Envelope<ToGateway>, FrameError> {
    let mut frame = decode::<ToGateway>(bytes)?;
    frame.message.clean();
    Ok(frame)
}
