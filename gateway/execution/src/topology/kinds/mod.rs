//! The kinds, each with an executable definition. A new kind is a file here and a line in [`of`].

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

/// The definition of a kind. All methods except `shape` and `arrange` expect a graph that passed [`super::check()`].
pub(super) trait Definition {
    /// Reports mistakes in the graph's seats and edges.
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes);
    /// Gives seats and edges to nodes without them. The graph has at least one node.
    fn arrange(&self, graph: &mut Graph);
    /// The steps that can run now.
    fn next(&self, graph: &Graph, input: &str, outputs: &Outputs) -> Next;
    /// The number of steps of a run.
    fn expected(&self, graph: &Graph) -> Bounds;
    /// The steps that every run takes, in their order, unless one fails.
    fn certain(&self, graph: &Graph) -> Vec<StepRef>;
    /// The nodes in rows from top to bottom, for drawings.
    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>>;
}

/// The definition of a kind. This is the only place that distinguishes kinds.
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

/// The text of an output that the run needs to continue.
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

/// A number of steps.
fn count(steps: usize) -> u32 {
    u32::try_from(steps).unwrap_or(u32::MAX)
}
