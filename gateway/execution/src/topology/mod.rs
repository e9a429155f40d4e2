//! Topologies: which node works with which, and which step is next. Pure functions from (graph, outputs so far) to
//! the next steps.
//!
//! ```text
//! single          pipeline                  hub_spoke              hierarchical            star_moe
//!
//!  coder           planner                     hub                    cto                    gate
//!                     │                     ┌───┼───┐               ┌──┴───┐               ╱  │  ╲     scores;
//!                   coder                   a   b   c             lead     ops            a   b   c    the best k
//!                     │                     └───┼───┘            ┌─┴─┐                     ╲  │  ╱     answer
//!                   tester                     hub               a   b                       hub
//!
//! one works       each sees all       plans, hands out,      plans go down,          experts may abstain:
//!                 before it           merges, once more?     reports go up           the next best is asked
//! ```
//!
//! Only a comparison has the kind `compare`: several teams do the same work in parallel, and a judge sees their
//! answers under letters.
//!
//! Invariants: nothing here does I/O or reads a clock or a random number, so a run that is resumed anywhere continues
//! as before. (step key, lap) never repeats, and it is the same for any order in which parallel outputs arrive. A
//! step that reads an output comes after it. A node works only if it has an edge from the node that hands out the
//! work. Every kind ends within [`expected`]`.most` steps for any answers of the agents. A new kind is a file in
//! `kinds/` and a line in `kinds::of`. Tables: none. In the tree: nothing. `runs` drives it.

mod assemble;
mod check;
mod checks;
mod directives;
mod drawing;
mod frames;
mod graph;
mod kinds;
mod markers;
mod nesting;
mod prompt;
mod step;
#[cfg(test)]
mod tests;
mod verdict;
mod wiring;
mod world;

pub use assemble::{Contender, Role, alone, build, comparison, rearranged};
pub use check::{
    MAX_COMMANDS, MAX_EDGES, MAX_INSTRUCTIONS, MAX_NODES, MAX_SCRIPT, MAX_SCRIPT_S, Mistake, check,
};
pub use checks::{Checked, MAX_CHECKS, MAX_COMMAND, announced};
pub use directives::lines;
pub use drawing::{Placed, dot, layout, text};
pub use graph::{
    Attributes, Command, Edge, EdgeKind, Graph, Kind, MAX_CANDIDATES, MAX_EXPERTS, MAX_LAPS,
    MIN_CANDIDATES, Node, NodeKind, OnReject, Seat, Settings,
};
pub use markers::{Check, Marker, is_task_id, markers};
pub use nesting::{Nested, Nesting, circle_in_words, levels, teams_of};
pub use prompt::prompt;
pub use step::{Bounds, Next, Outcome, Output, Outputs, Purpose, Read, Step, StepRef};
pub use verdict::{Verdict, label, verdict};
pub use world::{formation, world};

/// The steps that can run now. `input` is the goal: a kind may divide it among its steps.
pub fn next(graph: &Graph, input: &str, outputs: &Outputs) -> Next {
    match check(graph) {
        Ok(()) => kinds::of(graph.kind).next(graph, input, outputs),
        Err(mistakes) => Next::Failed {
            detail: check::summary(graph.kind, &mistakes),
        },
    }
}

/// The number of steps of a run of this graph: the minimum, when no step fails or rejects and no expert abstains, and the
/// maximum. Both are 0 for a graph that does not fit its kind.
pub fn expected(graph: &Graph) -> Bounds {
    match check(graph) {
        Ok(()) => kinds::of(graph.kind).expected(graph),
        Err(_) => Bounds { least: 0, most: 0 },
    }
}

/// The steps that a run of this graph takes whatever its agents answer, unless a step fails: those that can be shown before
/// they begin. Empty for a graph that does not fit its kind.
pub fn certain(graph: &Graph) -> Vec<StepRef> {
    match check(graph) {
        Ok(()) => kinds::of(graph.kind).certain(graph),
        Err(_) => Vec::new(),
    }
}
