//! Deliberate mistakes, one per mutant, that the checker must find.

/// One mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// The caller treats every reported end as the first.
    EndsAgain,
    /// The caller gives up when the connection is lost.
    LostWithTheConnection,
    /// The caller never queries operations that it had sent.
    NeverSendsAgain,
    /// A restored request counts as never sent.
    ForgetsThatItSent,
    /// The node starts a repeated id again.
    StartsARepeatedId,
    /// The node calls the engine before the ledger is synced.
    StartsBeforeTheSync,
    /// After a restart the node starts everything that had not ended.
    StartsAgainAfterARestart,
    /// The node forgets an end once it was reported, acknowledged or not.
    ForgetsWithoutAnAck,
    /// Work that was cancelled before its start begins anyway.
    BeginsWhatWasCancelled,
    /// The receiver accepts output that it already has.
    TakesOutputTwice,
    /// The sender continues instead of replaying.
    IgnoresReplay,
    /// The receiver grants credit without room in its reader.
    GrantsWithoutRoom,
    /// Pieces sent before a replay count as its beginning.
    TakesStrays,
    /// Output of an operation that ended without a connection is not requested.
    LeavesTheOutputOfAnEnd,
    /// Known bytes of stdin are accepted again.
    TakesStdinTwice,
    /// The older connection stays open beside the newer.
    KeepsTheOlderConnection,
    /// Frames are handled with any sequence number.
    IgnoresSequence,
    /// Frames are handled with any epoch.
    IgnoresEpoch,
    /// An answer to an earlier drain counts for the present one.
    IgnoresTurns,
    /// The node does not count running provisions.
    OverlooksProvisions,
    /// A draining node accepts sandboxes.
    PlacesWhileDraining,
    /// Leases count from the creation, not from the last use.
    LeaseFromTheMaking,
    /// The node ends its sandboxes when the gateway is away.
    EndsSandboxesWithTheConnection,
}

impl Mutant {
    pub const ALL: [Self; 23] = [
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
        Self::TakesStrays,
        Self::LeavesTheOutputOfAnEnd,
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

    /// The promises of which at least one must be found broken.
    pub fn breaks(self) -> &'static [&'static str] {
        match self {
            Self::EndsAgain | Self::NeverSendsAgain | Self::ForgetsThatItSent => &["P1"],
            // The node's own report comes later: a second end, or an end that was not true.
            Self::LostWithTheConnection => &["P1"],
            Self::StartsARepeatedId => &["P2"],
            // Repeated work may first be seen after it was reported as never run.
            Self::StartsBeforeTheSync | Self::StartsAgainAfterARestart => &["P1", "P2"],
            Self::ForgetsWithoutAnAck | Self::BeginsWhatWasCancelled => &["P1", "P2"],
            Self::TakesOutputTwice
            | Self::IgnoresReplay
            | Self::GrantsWithoutRoom
            | Self::TakesStrays
            | Self::LeavesTheOutputOfAnEnd
            | Self::TakesStdinTwice => &["P3"],
            Self::KeepsTheOlderConnection | Self::IgnoresSequence | Self::IgnoresEpoch => &["P6"],
            Self::IgnoresTurns | Self::OverlooksProvisions | Self::PlacesWhileDraining => &["P7"],
            Self::LeaseFromTheMaking | Self::EndsSandboxesWithTheConnection => &["P8"],
        }
    }
}
