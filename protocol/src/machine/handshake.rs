//! The gateway's decision about a `hello`.
//!
//! ```text
//!  hello ─▶ deleted? versions? install id? ──no──▶ Refuse
//!             │ yes
//!             ├ no connection yet ───────────────▶ Welcome
//!             ├ same boot, same or newer daemon ─▶ Replace (the older connection is a dead one of this machine)
//!             └ other boot, or an older daemon ──▶ AskFirst: ping the first
//!                                                    ├ it answers ──▶ Refuse(cloned), tell the owner
//!                                                    └ it is silent ▶ Replace (the machine was started anew)
//! ```
use crate::hello::{Hello, Refused, RefusedReason};
use crate::ids::{ConnectionEpoch, InstallId, InstanceId};
use crate::version::{SUPPORTED, Version, VersionRange};

/// How long the first connection may take to answer the ping that decides about a second one, milliseconds.
pub const FIRST_ANSWER_MS: u64 = 3_000;

/// The gateway's facts about the node whose token the connection presented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The installation that redeemed the join code.
    pub install_id: InstallId,
    /// The node was deleted or its token revoked.
    pub revoked: bool,
    /// The gateway is stopping.
    pub stopping: bool,
    /// The present open connection.
    pub first: Option<Open>,
}

/// An open connection of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    pub boot_id: String,
    pub instance_id: InstanceId,
    pub epoch: ConnectionEpoch,
}

/// The first connection's answer to the ping that this `hello` caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    NotAsked,
    Answered,
    Silent,
}

/// What to do with the new connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Assign the next epoch and welcome it.
    Welcome { version: Version },
    /// Close the older connection, then welcome the new one.
    Replace { version: Version },
    /// Ping the first connection, wait up to [`FIRST_ANSWER_MS`], and decide again.
    AskFirst,
    /// Send this and close the connection.
    Refuse(Refused),
}

/// Decides about a connection.
pub fn decide(hello: &Hello, known: &Known, first: First) -> Decision {
    decide_for(SUPPORTED, hello, known, first)
}

/// [`decide`] for a build with the version range `ours`.
pub fn decide_for(ours: VersionRange, hello: &Hello, known: &Known, first: First) -> Decision {
    if known.stopping {
        return refuse(
            RefusedReason::Stopping,
            "the gateway is stopping; it will be back".to_owned(),
        );
    }
    if known.revoked {
        return refuse(
            RefusedReason::Revoked,
            "this machine was removed from its workspace; pair it again with `roostd join`"
                .to_owned(),
        );
    }
    if hello.install_id != known.install_id {
        return refuse(
            RefusedReason::WrongInstall,
            "this token belongs to another installation; pair this machine with `roostd join`"
                .to_owned(),
        );
    }
    let Some(version) = ours.negotiate(hello.versions) else {
        let (low, high) = (ours.lowest, ours.highest);
        return refuse(
            RefusedReason::Version,
            format!(
                "the gateway supports protocol {}.{} to {}.{}, this daemon {}.{} to {}.{}; update the older of the two",
                low.major,
                low.minor,
                high.major,
                high.minor,
                hello.versions.lowest.major,
                hello.versions.lowest.minor,
                hello.versions.highest.major,
                hello.versions.highest.minor
            ),
        );
    };
    let Some(open) = &known.first else {
        return Decision::Welcome { version };
    };
    // Instance ids rise with time, so a newer daemon of the same boot is the successor of the first.
    if open.boot_id == hello.boot_id && hello.instance_id >= open.instance_id {
        return Decision::Replace { version };
    }
    match first {
        First::NotAsked => Decision::AskFirst,
        First::Silent => Decision::Replace { version },
        First::Answered => refuse(
            RefusedReason::Cloned,
            "another machine with this installation is connected and answers; if this one is a copy of its disk, \
             remove the daemon's state here and pair it again with `roostd join`"
                .to_owned(),
        ),
    }
}

fn refuse(reason: RefusedReason, detail: String) -> Decision {
    Decision::Refuse(Refused { reason, detail })
}
