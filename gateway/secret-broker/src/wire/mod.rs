//! The contract of the broker's socket.
//!
//! A connection begins with a [`Hello`] and its [`Greeting`]; then one exchange after another, each a [`Request`] and
//! an [`Answer`]. `forward` with a body is followed by body frames and an end frame, its answer likewise; so are the
//! bytes of `backup` and `restore`. `git_fetch` says how far it is in answers before its last. One exchange at a time a connection, so that a slow reader holds up only itself.
//!
//! *Invariant: no [`Answer`] has a field of type [`Secret`].* A secret goes in and is used; it never comes out.

mod fault;
mod frame;
mod git;
mod oauth;
mod record;
mod secret;
mod status;
mod verbs;

pub use fault::{Fault, FaultCode};
pub use frame::{
    Frame, FrameError, FrameReader, FrameWriter, MAX_BODY_FRAME, MAX_MESSAGE, Patience, decode,
    encode,
};
pub use git::{FetchPhase, Fetching, GIT, GitFetch, GitForget, Mirror, MirrorHead};
pub use oauth::{Begin, Begun, ClientAuth, Exchange};
pub use record::{
    Allow, BadName, DEPLOYMENT, Description, Inject, RecordKind, RecordName, RecordState,
};
pub use secret::Secret;
pub use status::{AuditReport, RootKind, Saved, Status};
pub use verbs::{Answer, Forward, Greeting, Head, Hello, Request, Store, VERSION, Welcome};
