//! Messages and their envelope, as MessagePack with field names, so that old and new versions work together.
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

/// The fields of every frame beside its message.
///
/// `epoch` is 0 in `hello` and the connection's epoch afterwards. `seq` counts a sender's frames from 0 within one
/// connection, so that a duplicated or reordered frame is detected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<M> {
    pub epoch: ConnectionEpoch,
    pub seq: u64,
    pub message: M,
}

/// Every message of a gateway. No variant carries a command for the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToNode {
    Welcome(Welcome),
    Refused(Refused),
    Operation(OperationRequest),
    Control(Control),
    /// A message of a newer minor version. It is ignored and counted.
    #[serde(other)]
    Unknown,
}

/// Every message of a node.
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
    /// A message of a newer minor version. It is ignored and counted.
    #[serde(other)]
    Unknown,
}

/// Deepest nesting of a frame. The deepest valid message has 10 levels.
const MAX_DEPTH: usize = 32;

/// Why bytes are not a valid frame.
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
/// Any [`FrameError`] except `Encode`; never panics on hostile input.
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

/// [`decode`] for frames of a node: bounds and cleans everything in it (see [`crate::clean`]).
///
/// # Errors
/// See [`decode`].
pub fn decode_from_node(bytes: &[u8]) -> Result<Envelope<ToGateway>, FrameError> {
    let mut frame = decode::<ToGateway>(bytes)?;
    frame.message.clean();
    Ok(frame)
}
