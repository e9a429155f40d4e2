//! The life of one stream as a pure state machine: catching up, live, behind and catching up again, ending. The actor
//! (`actor.rs`) does what it decides.

/// Where a stream is. Before its actor starts it is being opened; after the actor has stopped it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The stream's work runs: it reads the log, or it follows something for as long as the stream lives.
    Working {
        /// The connection fell behind again after this work had brought it up to date.
        again: bool,
    },
    /// The hub delivers the events. No work runs.
    Live,
    /// Nothing more is sent than what already waits.
    Ending,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The connection took its events more slowly than they came, or it missed one.
    FellBehind,
    /// The work has brought the connection up to date, and the hub delivers from now on.
    CaughtUp,
    /// The work has nothing more to send.
    WorkOver,
    /// The stream has lived for as long as a stream may.
    TimeIsOver,
    /// The session, the membership or the grant that opened the stream has ended.
    AuthorityEnded,
    /// The client had its time to take what waited at the end.
    LingerIsOver,
    /// The gateway stops.
    GatewayStops,
    /// The connection is closed.
    ConnectionGone,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    /// Start the work.
    Work,
    /// Send what waits, then close.
    End,
    /// Close at once.
    Cut,
    /// Stop the actor.
    Stop,
}

impl Phase {
    /// The beginning. `live`: the connection needs nothing from the log.
    pub(super) fn begin(live: bool) -> (Self, Step) {
        match live {
            true => (Self::Live, Step::Nothing),
            false => (Self::Working { again: false }, Step::Work),
        }
    }

    /// Decides what follows.
    pub(super) fn on(&mut self, input: Input) -> Step {
        let (next, step) = match (*self, input) {
            (phase, Input::ConnectionGone | Input::GatewayStops) => (phase, Step::Stop),
            (_, Input::AuthorityEnded) | (Self::Ending, Input::LingerIsOver) => {
                (Self::Ending, Step::Cut)
            }
            (Self::Ending, _) => (Self::Ending, Step::Nothing),
            (_, Input::TimeIsOver | Input::WorkOver) => (Self::Ending, Step::End),
            (Self::Live, Input::FellBehind) | (Self::Working { again: true }, Input::CaughtUp) => {
                (Self::Working { again: false }, Step::Work)
            }
            // The report of the work is still in the mailbox behind this one.
            (Self::Working { .. }, Input::FellBehind) => {
                (Self::Working { again: true }, Step::Nothing)
            }
            (Self::Working { again: false }, Input::CaughtUp) => (Self::Live, Step::Nothing),
            (phase, Input::CaughtUp | Input::LingerIsOver) => (phase, Step::Nothing),
        };
        *self = next;
        step
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_input() -> impl Strategy<Value = Input> {
        use Input::*;
        prop::sample::select(vec![
            FellBehind,
            CaughtUp,
            WorkOver,
            TimeIsOver,
            AuthorityEnded,
            LingerIsOver,
            GatewayStops,
            ConnectionGone,
        ])
    }

    #[test]
    fn stream_falls_behind_and_catches_up_again() {
        let (mut phase, step) = Phase::begin(false);
        assert_eq!(step, Step::Work);
        assert_eq!(phase.on(Input::CaughtUp), Step::Nothing);
        assert_eq!(phase, Phase::Live);
        assert_eq!(phase.on(Input::FellBehind), Step::Work);
        // It went live and fell behind before the actor read the report of the work.
        assert_eq!(phase.on(Input::FellBehind), Step::Nothing);
        assert_eq!(phase.on(Input::CaughtUp), Step::Work);
        assert_eq!(phase.on(Input::CaughtUp), Step::Nothing);
        assert_eq!(phase, Phase::Live);
    }

    #[test]
    fn end_of_the_time_lets_what_waits_be_taken_and_then_cuts() {
        let (mut phase, _) = Phase::begin(true);
        assert_eq!(phase.on(Input::TimeIsOver), Step::End);
        assert_eq!(phase.on(Input::FellBehind), Step::Nothing);
        assert_eq!(phase.on(Input::LingerIsOver), Step::Cut);
        assert_eq!(phase.on(Input::ConnectionGone), Step::Stop);
    }

    proptest! {
        /// One piece of work runs at a time, none runs while the stream is live, and every fall is followed by work.
        #[test]
        fn work_runs_exactly_while_the_stream_is_behind(live in any::<bool>(), inputs in prop::collection::vec(any_input(), 0..40)) {
            let (mut phase, step) = Phase::begin(live);
            let mut works = step == Step::Work;
            let mut owed = false;
            for input in inputs {
                // The world sends these only while they are true.
                if input == Input::CaughtUp && !works { continue; }
                if input == Input::CaughtUp { works = false; }
                let step = phase.on(input);
                if input == Input::FellBehind { owed = true; }
                if step == Step::Work {
                    prop_assert!(!works, "two at once");
                    works = true;
                    owed = false;
                }
                match phase {
                    Phase::Live => prop_assert!(!works && !owed),
                    Phase::Working { again } => prop_assert!(works && again == owed),
                    Phase::Ending => {}
                }
            }
        }

        /// A stream that ends begins nothing, ended authority cuts it, and a closed connection stops it.
        #[test]
        fn every_end_is_final(live in any::<bool>(), before in prop::collection::vec(any_input(), 0..20),
            after in prop::collection::vec(any_input(), 0..20)) {
            let (mut phase, _) = Phase::begin(live);
            for input in before { phase.on(input); }
            prop_assert_eq!(phase.on(Input::AuthorityEnded), Step::Cut);
            for input in after {
                let step = phase.on(input);
                prop_assert_eq!(phase, Phase::Ending);
                prop_assert!(!matches!(step, Step::Work | Step::End));
            }
            prop_assert_eq!(phase.on(Input::ConnectionGone), Step::Stop);
        }
    }
}
