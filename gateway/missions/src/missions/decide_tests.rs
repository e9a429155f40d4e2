//! The decisions, case by case, and a simulation that kills the driver anywhere.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn phase(n: u128, kind: PhaseKind, status: PhaseStatus, runs: Vec<RunFact>) -> PhaseFact {
    PhaseFact {
        id: MissionPhaseId(Uuid::from_u128(n)),
        kind,
        status,
        runs,
    }
}

fn run(n: u128, state: RunState) -> RunFact {
    RunFact {
        run: RunId(Uuid::from_u128(n)),
        team: format!("team {n}"),
        state,
        is_paused: false,
        held: false,
        cancel_requested: false,
    }
}

fn mission(status: Status, phases: Vec<PhaseFact>) -> Facts {
    Facts {
        status,
        phases,
        node: None,
        runtime: None,
    }
}

fn accepted() -> RunState {
    RunState::Completed(Outcome::Accepted, "All tests pass.".to_owned())
}

fn rejected() -> RunState {
    RunState::Completed(Outcome::Rejected, "Rejected by a test.".to_owned())
}

fn one(status: Status, phase_status: PhaseStatus, runs: Vec<RunFact>) -> Facts {
    let first = phase(1, PhaseKind::Research, phase_status, runs);
    let second = phase(2, PhaseKind::Coding, PhaseStatus::Pending, Vec::new());
    mission(status, vec![first, second])
}

fn first() -> MissionPhaseId {
    MissionPhaseId(Uuid::from_u128(1))
}

#[test]
fn phase_with_teams_waits_for_its_runtime_and_commands_do_not() {
    let of = |state, kind, status, runs| {
        let phases = vec![phase(1, kind, status, runs)];
        let mut facts = mission(Status::Running, phases);
        facts.runtime = state;
        next(&facts)
    };
    let pending = |state, kind| of(state, kind, PhaseStatus::Pending, Vec::new());
    let gone = Some(RuntimeState::Gone);
    assert_eq!(pending(gone, PhaseKind::Coding), Next::BootRuntime);
    assert_eq!(pending(gone, PhaseKind::Benchmark), Next::Begin(first()));
    let starting = Some(RuntimeState::Starting);
    assert_eq!(pending(starting, PhaseKind::Coding), Next::Rest);
    let ready = Some(RuntimeState::Ready);
    assert_eq!(pending(ready, PhaseKind::Coding), Next::Begin(first()));
    let open = || vec![run(1, RunState::Open)];
    let at_work = |state, runs| of(state, PhaseKind::Coding, PhaseStatus::Running, runs);
    assert_eq!(at_work(gone, open()), Next::BootRuntime);
    assert_eq!(at_work(ready, open()), Next::Rest);
    let ended = at_work(gone, vec![run(1, accepted())]);
    assert!(
        matches!(ended, Next::End(_, PhaseStatus::Completed, _)),
        "{ended:?}"
    );
}

#[test]
fn phases_begin_one_after_the_other_and_the_last_completes_the_mission() {
    use PhaseStatus::{Completed, Pending, Skipped};
    let begin = one(Status::Running, Pending, Vec::new());
    assert_eq!(next(&begin), Next::Begin(first()));
    let second = one(Status::Running, Completed, vec![run(1, accepted())]);
    assert_eq!(
        next(&second),
        Next::Begin(MissionPhaseId(Uuid::from_u128(2)))
    );
    let all = [Completed, Skipped].map(|status| phase(1, PhaseKind::Coding, status, Vec::new()));
    assert_eq!(
        next(&mission(Status::Running, all.to_vec())),
        Next::Complete
    );
    assert_eq!(next(&one(Status::Draft, Pending, Vec::new())), Next::Over);
}

#[test]
fn phase_waits_while_the_target_node_is_away() {
    let mut facts = one(Status::Running, PhaseStatus::Pending, Vec::new());
    facts.node = Some(Node::Away("kitchen".to_owned()));
    assert_eq!(next(&facts), Next::Rest);
    facts.node = Some(Node::Closed("kitchen".to_owned()));
    assert_eq!(next(&facts), Next::Rest);
    facts.node = Some(Node::Ready);
    assert_eq!(next(&facts), Next::Begin(first()));
    facts.node = Some(Node::Deleted);
    assert_eq!(next(&facts), Next::LoseNode);
}

#[test]
fn mission_whose_target_node_is_deleted_pauses_also_while_a_phase_runs() {
    let lost = |runs: Vec<RunFact>| {
        let mut facts = one(Status::Running, PhaseStatus::Running, runs);
        facts.node = Some(Node::Away("kitchen".to_owned()));
        assert_ne!(next(&facts), Next::LoseNode, "a node may come back");
        facts.node = Some(Node::Deleted);
        next(&facts)
    };
    let held = RunFact {
        held: true,
        is_paused: true,
        ..run(1, RunState::Open)
    };
    let failed = RunState::Failed("The machine is gone.".to_owned());
    assert_eq!(lost(vec![run(1, RunState::Open)]), Next::LoseNode);
    assert_eq!(lost(vec![held]), Next::LoseNode);
    assert_eq!(lost(vec![run(1, failed)]), Next::LoseNode);
    // Work that is done counts. The next phase cannot begin.
    let done = lost(vec![run(1, accepted())]);
    assert!(
        matches!(done, Next::End(_, PhaseStatus::Completed, _)),
        "{done:?}"
    );
}

#[test]
fn phase_ends_with_the_outcomes_of_its_runs() {
    let end = |states: Vec<RunState>| {
        let runs = states.into_iter().zip(1..).map(|(state, n)| run(n, state));
        match next(&one(Status::Running, PhaseStatus::Running, runs.collect())) {
            Next::End(_, status, reason) => (Some(status), reason),
            Next::Rest => (None, String::new()),
            other => panic!("{other:?}"),
        }
    };
    let undecided = RunState::Completed(Outcome::Undecided, "No step gave a verdict.".to_owned());
    assert_eq!(end(vec![RunState::Open, rejected()]).0, None);
    assert_eq!(
        end(vec![accepted(), undecided]).0,
        Some(PhaseStatus::Completed)
    );
    let (status, reason) = end(vec![accepted(), rejected()]);
    assert_eq!(status, Some(PhaseStatus::Failed));
    assert_eq!(
        reason,
        "The work of team 2 was rejected. Rejected by a test."
    );
    let (status, reason) = end(vec![
        RunState::Cancelled,
        RunState::Failed("no model".to_owned()),
    ]);
    assert_eq!(status, Some(PhaseStatus::Failed));
    assert!(
        reason.contains("cancelled") && reason.contains("no model"),
        "{reason}"
    );
    assert_eq!(end(Vec::new()).0, Some(PhaseStatus::Failed));
    assert_eq!(end(vec![RunState::Gone]).0, Some(PhaseStatus::Failed));
}

#[test]
fn paused_mission_holds_its_runs_and_still_records_the_end_of_a_phase() {
    let open = run(1, RunState::Open);
    let facts = one(Status::Paused, PhaseStatus::Running, vec![open.clone()]);
    assert_eq!(next(&facts), Next::Hold(vec![open.run]));
    let held = RunFact {
        is_paused: true,
        held: true,
        ..open.clone()
    };
    let facts = one(Status::Paused, PhaseStatus::Running, vec![held.clone()]);
    assert_eq!(next(&facts), Next::Rest);
    let facts = one(
        Status::Paused,
        PhaseStatus::Running,
        vec![run(1, accepted())],
    );
    assert!(matches!(
        next(&facts),
        Next::End(_, PhaseStatus::Completed, _)
    ));
    let facts = one(Status::Running, PhaseStatus::Running, vec![held.clone()]);
    assert_eq!(next(&facts), Next::Resume(vec![held.run]));
    let by_a_person = RunFact {
        is_paused: true,
        ..open
    };
    for status in [Status::Paused, Status::Running] {
        let facts = one(status, PhaseStatus::Running, vec![by_a_person.clone()]);
        assert_eq!(next(&facts), Next::Rest, "a person resumes it");
    }
}

#[test]
fn ended_mission_cancels_its_runs_and_ends_the_phase_after_them() {
    for status in [Status::Cancelled, Status::Failed] {
        let open = run(1, RunState::Open);
        let facts = one(status, PhaseStatus::Running, vec![open.clone()]);
        assert_eq!(next(&facts), Next::Cancel(vec![open.run]));
        let asked = RunFact {
            cancel_requested: true,
            ..open
        };
        let facts = one(status, PhaseStatus::Running, vec![asked]);
        assert_eq!(next(&facts), Next::Rest);
        let facts = one(
            status,
            PhaseStatus::Running,
            vec![run(1, RunState::Cancelled)],
        );
        assert!(matches!(next(&facts), Next::End(_, PhaseStatus::Failed, _)));
        let facts = one(
            status,
            PhaseStatus::Failed,
            vec![run(1, RunState::Cancelled)],
        );
        assert_eq!(next(&facts), Next::Over);
    }
}

/// What a person or a run may do between two steps of the driver.
#[derive(Debug, Clone, Copy)]
enum Event {
    RunEnds(usize),
    PersonPausesRuns,
    Pause,
    Resume,
    Cancel,
    Retry,
    Skip,
    NodeDeleted,
    RuntimeStands,
    RuntimeFails,
    RuntimeEnds,
}

fn an_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0_usize..4).prop_map(Event::RunEnds),
        1 => Just(Event::PersonPausesRuns),
        1 => Just(Event::Pause),
        2 => Just(Event::Resume),
        1 => Just(Event::Cancel),
        1 => Just(Event::Retry),
        1 => Just(Event::Skip),
        1 => Just(Event::NodeDeleted),
        4 => Just(Event::RuntimeStands),
        1 => Just(Event::RuntimeFails),
        1 => Just(Event::RuntimeEnds),
    ]
}

/// Carries out a step as the driver does.
fn carry_out(facts: &mut Facts, step: Next, runs: &mut u128) {
    let of = |facts: &mut Facts, ids: &[RunId], act: &dyn Fn(&mut RunFact)| {
        let all = facts.phases.iter_mut().flat_map(|phase| &mut phase.runs);
        all.filter(|run| ids.contains(&run.run)).for_each(act);
    };
    match step {
        Next::Rest | Next::Over => {}
        Next::Begin(id) => {
            let phase = facts
                .phases
                .iter_mut()
                .find(|phase| phase.id == id)
                .unwrap();
            assert_eq!(phase.status, PhaseStatus::Pending);
            assert_eq!(facts.node, Some(Node::Ready));
            assert!(matches!(facts.runtime, None | Some(RuntimeState::Ready)));
            phase.status = PhaseStatus::Running;
            *runs += 1;
            phase.runs = vec![run(*runs, RunState::Open)];
        }
        Next::End(id, status, _) => {
            let phase = facts
                .phases
                .iter_mut()
                .find(|phase| phase.id == id)
                .unwrap();
            assert_eq!(phase.status, PhaseStatus::Running, "an end happens once");
            phase.status = status;
            if status == PhaseStatus::Failed && facts.status == Status::Running {
                facts.status = Status::Paused;
            }
        }
        Next::Hold(ids) => of(facts, &ids, &|run| {
            assert!(!run.is_paused, "a pause of a person stays that person's");
            (run.held, run.is_paused) = (true, true);
        }),
        Next::Resume(ids) => of(facts, &ids, &|run| {
            assert!(run.held, "only what the mission paused");
            (run.held, run.is_paused) = (false, false);
        }),
        Next::Cancel(ids) => of(facts, &ids, &|run| {
            (run.cancel_requested, run.state) = (true, RunState::Cancelled);
        }),
        Next::LoseNode => facts.status = Status::Paused,
        Next::BootRuntime => {
            assert_eq!(facts.runtime, Some(RuntimeState::Gone));
            facts.runtime = Some(RuntimeState::Starting);
        }
        Next::Complete => facts.status = Status::Completed,
    }
}

fn happens(facts: &mut Facts, event: Event) {
    let may = |facts: &Facts, next| facts.status.may_become(next);
    match event {
        Event::RunEnds(how) => {
            let states = [
                accepted(),
                rejected(),
                RunState::Failed("x".to_owned()),
                RunState::Cancelled,
            ];
            let all = facts.phases.iter_mut().flat_map(|phase| &mut phase.runs);
            for run in all.filter(|run| run.state == RunState::Open) {
                run.state = states[how].clone();
            }
        }
        Event::PersonPausesRuns => {
            let all = facts.phases.iter_mut().flat_map(|phase| &mut phase.runs);
            all.for_each(|run| run.is_paused = true);
        }
        Event::NodeDeleted => facts.node = Some(Node::Deleted),
        Event::RuntimeStands if facts.runtime == Some(RuntimeState::Starting) => {
            facts.runtime = Some(RuntimeState::Ready);
        }
        // A boot that fails pauses the mission.
        Event::RuntimeFails if facts.runtime == Some(RuntimeState::Starting) => {
            facts.runtime = Some(RuntimeState::Gone);
            if may(facts, Status::Paused) {
                facts.status = Status::Paused;
            }
        }
        Event::RuntimeEnds if facts.runtime == Some(RuntimeState::Ready) => {
            facts.runtime = Some(RuntimeState::Gone);
        }
        Event::Pause if may(facts, Status::Paused) => facts.status = Status::Paused,
        Event::Resume if may(facts, Status::Running) => facts.status = Status::Running,
        Event::Cancel if may(facts, Status::Cancelled) => facts.status = Status::Cancelled,
        Event::Retry | Event::Skip if !facts.status.is_final() => {
            let failed = |phase: &&mut PhaseFact| phase.status == PhaseStatus::Failed;
            if let Some(phase) = facts.phases.iter_mut().find(failed) {
                phase.status = match event {
                    Event::Skip => PhaseStatus::Skipped,
                    _ => PhaseStatus::Pending,
                };
                phase.runs.clear();
                facts.status = Status::Running;
            }
        }
        _ => {}
    }
}

/// Whether a phase failed that nobody retried or skipped yet.
fn waits(facts: &Facts) -> bool {
    let current = facts.phases.iter().find(|phase| !phase.status.is_past());
    current.is_some_and(|phase| phase.status == PhaseStatus::Failed)
}

proptest! {
    #[test]
    fn mission_settles_after_each_event_and_never_works_after_its_end(
        events in prop::collection::vec(an_event(), 0..40),
        has_runtime in any::<bool>(),
    ) {
        let phases = (1..=3).map(|n| phase(n, PhaseKind::Coding, PhaseStatus::Pending, Vec::new()));
        let mut facts = mission(Status::Running, phases.collect());
        facts.node = Some(Node::Ready);
        facts.runtime = has_runtime.then_some(RuntimeState::Gone);
        let mut runs = 100;
        for event in events.into_iter().map(Some).chain([None]) {
            for round in 0..20 {
                let step = next(&facts);
                // The decision is a function of the facts alone, so a driver that died decides the same.
                prop_assert_eq!(&next(&facts.clone()), &step);
                if matches!(step, Next::Rest | Next::Over) {
                    break;
                }
                prop_assert!(round < 19, "it settles");
                carry_out(&mut facts, step, &mut runs);
            }
            let running = facts.phases.iter().filter(|phase| phase.status == PhaseStatus::Running);
            prop_assert!(running.count() <= 1, "one phase at a time");
            let is_lost = facts.node == Some(Node::Deleted);
            prop_assert!(!is_lost || facts.status != Status::Running || waits(&facts), "it pauses");
            if facts.status.is_final() {
                let open = facts.phases.iter().flat_map(|phase| &phase.runs).any(RunFact::is_open);
                prop_assert!(!open, "no run outlives its mission");
                prop_assert_eq!(next(&facts), Next::Over);
            }
            if let Some(event) = event {
                happens(&mut facts, event);
            }
        }
    }
}
