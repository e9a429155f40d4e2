//! Deliberate mistakes, one in each machine's place, that the checker has to find.

/// One broken place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// The caller takes every reported end for the first.
    EndsAgain,
    /// The caller gives up when the connection is lost.
    LostWithTheConnection,
    /// The caller never asks about what it had sent.
    NeverSendsAgain,
    /// A restored request counts as never sent.
    ForgetsThatItSent,
    /// The node starts a repeated id again.
    StartsARepeatedId,
    /// The engine is called before the ledger is synced.
    StartsBeforeTheSync,
    /// After a restart the node starts whatever had not ended.
    StartsAgainAfterARestart,
    /// The node forgets an end once it was reported, acknowledged or not.
    ForgetsWithoutAnAck,
    /// What was cancelled before it began begins all the same.
    BeginsWhatWasCancelled,
    /// The receiver of output takes what it knows already.
    TakesOutputTwice,
    /// The sender goes on where it was instead of replaying.
    IgnoresReplay,
    /// The receiver grants credit without looking at its reader.
    GrantsWithoutRoom,
    /// Bytes of stdin that were seen are taken again.
    TakesStdinTwice,
    /// The older connection stays open beside the newer.
    KeepsTheOlderConnection,
    /// Frames are handled whatever their sequence says.
    IgnoresSequence,
    /// Frames are handled whatever their epoch says.
    IgnoresEpoch,
    /// An answer to an earlier drain counts for the present one.
    IgnoresTurns,
    /// The node does not count provisions under way.
    OverlooksProvisions,
    /// A draining node takes sandboxes.
    PlacesWhileDraining,
    /// Leases count from the making, not from the last use.
    LeaseFromTheMaking,
    /// The node ends its sandboxes when the gateway is away.
    EndsSandboxesWithTheConnection,
}

impl Mutant {
    pub const ALL: [Self; 21] = [
        Self::EndsAgain,
        Self::LostWithTheConnection,
        Self::NeverSendsAgain,
        Self::ForgetsThatItSent,
        Self::StartsARepeatedId,
        Self::StartsBeforeTheSync,
        Self::StartsAgainAfterARestart,
        Self::ForgetsWithoutAnAck,
        Self::BeginsWhatWasCancelled,
        Self::TakesOutputTwice,
        Self::IgnoresReplay,
        Self::GrantsWithoutRoom,
        Self::TakesStdinTwice,
        Self::KeepsTheOlderConnection,
        Self::IgnoresSequence,
        Self::IgnoresEpoch,
        Self::IgnoresTurns,
        Self::OverlooksProvisions,
        Self::PlacesWhileDraining,
        Self::LeaseFromTheMaking,
        Self::EndsSandboxesWithTheConnection,
    ];

    /// The promises of which at least one has to be found broken.
    pub fn breaks(self) -> &'static [&'static str] {
        match self {
            Self::EndsAgain | Self::NeverSendsAgain | Self::ForgetsThatItSent => &["P1"],
            // The node's own word comes later: a second end, or an end that was not true.
            Self::LostWithTheConnection => &["P1"],
            Self::StartsARepeatedId => &["P2"],
            // What runs again may first be seen to run after it was said that it never did.
            Self::StartsBeforeTheSync | Self::StartsAgainAfterARestart => &["P1", "P2"],
            Self::ForgetsWithoutAnAck | Self::BeginsWhatWasCancelled => &["P1", "P2"],
            Self::TakesOutputTwice
            | Self::IgnoresReplay
            | Self::GrantsWithoutRoom
            | Self::TakesStdinTwice => &["P3"],
            Self::KeepsTheOlderConnection | Self::IgnoresSequence | Self::IgnoresEpoch => &["P6"],
            Self::IgnoresTurns | Self::OverlooksProvisions | Self::PlacesWhileDraining => &["P7"],
            Self::LeaseFromTheMaking | Self::EndsSandboxesWithTheConnection => &["P8"],
        }
    }
}
