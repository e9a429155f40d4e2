//! The kinds: an executable definition each. A new one is a file here and a line in [`of`].

mod compare;
mod hierarchical;
mod hub_spoke;
mod pipeline;
mod single;
mod star_moe;

use super::check::Mistakes;
use super::directives;
use super::graph::{Graph, Kind, Node};
use super::step::{Bounds, Next, Output, Outputs, StepRef};

/// What a kind is. Everything but `shape` and `arrange` is asked only about graphs that passed [`super::check()`].
pub(super) trait Definition {
    /// What is wrong with the graph's seats and edges.
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes);
    /// Gives seats and edges to nodes that have none; there is at least one node.
    fn arrange(&self, graph: &mut Graph);
    /// What can run now.
    fn next(&self, graph: &Graph, input: &str, outputs: &Outputs) -> Next;
    /// How many steps that will be.
    fn expected(&self, graph: &Graph) -> Bounds;
    /// The nodes in rows, first to last, for drawings.
    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>>;
}

/// The definition of a kind: the one place where kinds are told apart.
pub(super) fn of(kind: Kind) -> &'static dyn Definition {
    match kind {
        Kind::Single => &single::Single,
        Kind::Pipeline => &pipeline::Pipeline,
        Kind::HubSpoke => &hub_spoke::HubSpoke,
        Kind::Hierarchical => &hierarchical::Hierarchical,
        Kind::StarMoe => &star_moe::StarMoe,
        Kind::Compare => &compare::Compare,
    }
}

/// The text of an output that must be there for the run to go on.
fn needed<'a>(node: &Node, step: &StepRef, output: &'a Output) -> Result<&'a str, Next> {
    match output {
        Output::Done(text) => Ok(text),
        Output::Failed(why) => Err(failed(node, step, "failed", why)),
        Output::Abstained(why) => Err(failed(node, step, "abstained", why)),
    }
}

fn failed(node: &Node, step: &StepRef, how: &str, why: &str) -> Next {
    let why = directives::cut(why.trim(), 2_000);
    Next::Failed {
        detail: format!("{} {how} in step `{}`: {why}", node.name(), step.key),
    }
}

/// A count of steps.
fn count(steps: usize) -> u32 {
    u32::try_from(steps).unwrap_or(u32::MAX)
}
