//! Properties of every kind, golden traces, hostile input. This file has what they share: graphs, answers, a driver.

mod checking;
mod compare;
mod directives;
mod golden;
mod prompts;
mod properties;
mod rejections;

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{
    Contender, Graph, Kind, Next, Output, Outputs, Role, Seat, Step, StepRef, build, comparison,
    next,
};

/// A role without a requested seat.
fn role(slot: &str) -> Role {
    Role {
        slot: slot.to_owned(),
        title: title(slot),
        ..Role::default()
    }
}

/// A role that requests this seat.
fn seated(slot: &str, seat: Seat) -> Role {
    Role {
        seat: Some(seat),
        ..role(slot)
    }
}

fn title(slot: &str) -> String {
    let mut letters = slot.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A graph with these slots.
fn graph(kind: Kind, slots: &[&str]) -> Graph {
    let roles: Vec<Role> = slots.iter().map(|slot| role(slot)).collect();
    build(kind, &roles)
}

/// A comparison of this many teams.
fn compared(teams: usize, judged: bool) -> Graph {
    let contenders: Vec<Contender> = (0..teams)
        .map(|team| Contender {
            team: Uuid::from_u128(100 + team as u128),
            label: format!("Team {team}"),
            topology: None,
        })
        .collect();
    let judge = judged.then(|| Uuid::from_u128(7));
    comparison(&contenders, judge, Uuid::from_u128(42))
}

/// All steps of a run and its end.
#[derive(Debug, PartialEq)]
struct Trace {
    steps: BTreeMap<StepRef, Step>,
    end: Next,
}

/// Drives a run to its end. `answer` gives the output of a step, `pick` chooses which running step ends first.
fn drive(
    graph: &Graph,
    answer: impl Fn(&Step) -> Output,
    mut pick: impl FnMut(usize) -> usize,
    mut watch: impl FnMut(&[Step], &Outputs),
) -> Trace {
    let mut outputs = Outputs::default();
    let mut steps: BTreeMap<StepRef, Step> = BTreeMap::new();
    loop {
        match next(graph, "the goal", &outputs) {
            Next::Run(ready) => {
                assert!(!ready.is_empty(), "nothing to run and no end");
                watch(&ready, &outputs);
                for step in &ready {
                    assert!(outputs.get(&step.name()).is_none(), "{step:?} ran already");
                    let known = steps.entry(step.name()).or_insert_with(|| step.clone());
                    assert_eq!(known, step, "a step changed while it was in flight");
                }
                let in_flight = steps.keys().filter(|name| outputs.get(name).is_none());
                assert_eq!(
                    in_flight.count(),
                    ready.len(),
                    "one in flight was forgotten"
                );
                let done = &ready[pick(ready.len())];
                outputs.insert(done.name(), answer(done));
            }
            end => return Trace { steps, end },
        }
    }
}
