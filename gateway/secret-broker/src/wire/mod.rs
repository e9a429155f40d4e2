//! The contract of the broker's socket.
//!
//! A connection begins with a [`Hello`] and its [`Greeting`]. Then exchanges follow one after another, each a
//! [`Request`] and an [`Answer`]. Body frames and an end frame follow a `forward` with a body and its answer; the bytes
//! of `backup` and `restore`, the bundles of `git_bundle` and `git_receive`, the text of `git_diff`, the entries of
//! `git_import` and the files of `git_archive` travel the same way. `git_fetch` sends progress answers before its last answer. A
//! of `backup` and `restore`, the bundles of `git_bundle` and `git_receive` and the text of `git_diff` and the files of `git_files` travel the same way. `git_fetch` sends progress answers before its last answer. A
//! connection carries one exchange at a time, so a slow reader delays only itself.
//!
//! *Invariant: no [`Answer`] has a field of type [`Secret`].* A secret goes in and is used; it never comes out. Only
//! the identity token of a person's sign-in comes out: it names the person, and the issuer accepts it for nothing.

mod branches;
mod fault;
mod files;
mod frame;
mod git;
mod lock_files;
mod oauth;
mod record;
mod secret;
mod status;
mod verbs;

pub use branches::{
    BRANCHES, Bundled, CommitLine, Diffed, FileLine, GIT_PUSH, GitBundle, GitDiff, GitPush,
    GitReceive, Pushed, Received,
};
pub use fault::{Fault, FaultCode};
pub use files::{
    EntryHead, EntryKind, EntryPart, EntryReader, GitArchive, GitImport, Imported, LONGEST_PATH,
};
pub use frame::{
    Frame, FrameError, FrameReader, FrameWriter, MAX_BODY_FRAME, MAX_MESSAGE, Patience, decode,
    encode,
};
pub use git::{
    Branches, FetchPhase, Fetching, GIT, GitBranches, GitFetch, GitForget, Mirror, MirrorHead,
};
pub use lock_files::{FoundFile, GitFiles, ReadFiles};
pub use oauth::{Begin, Begun, ClientAuth, Exchange, Redeem, Redeemed, TokenClient};
pub use record::{
    Allow, BadName, DEPLOYMENT, Description, Inject, RecordKind, RecordName, RecordState,
};
pub use secret::Secret;
pub use status::{AuditReport, RootKind, Saved, Status};
pub use verbs::{
    Answer, Clean, Cleaned, Forward, Greeting, Head, Hello, Request, Store, VERSION, Welcome,
};
