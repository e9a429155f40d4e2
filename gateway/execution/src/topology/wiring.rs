//! An index of a graph's edges of one kind: the nodes above and below each node, in the order of the nodes.

use std::collections::HashMap;

use super::graph::{EdgeKind, Graph};

/// Neighbours by position in `graph.nodes`. Edges to unknown nodes are skipped: `check` reports them.
pub(super) struct Wiring {
    pub(super) down: Vec<Vec<usize>>,
    pub(super) up: Vec<Vec<usize>>,
}

/// Positions by id. For a duplicate id, the first position.
pub(super) fn positions(graph: &Graph) -> HashMap<&str, usize> {
    let mut found = HashMap::with_capacity(graph.nodes.len());
    for (position, node) in graph.nodes.iter().enumerate() {
        found.entry(node.id.as_str()).or_insert(position);
    }
    found
}

impl Wiring {
    pub(super) fn of(graph: &Graph, kind: EdgeKind) -> Self {
        let positions = positions(graph);
        let mut wiring = Self {
            down: vec![Vec::new(); graph.nodes.len()],
            up: vec![Vec::new(); graph.nodes.len()],
        };
        for edge in graph.edges.iter().filter(|edge| edge.kind == kind) {
            let ends = (
                positions.get(edge.from.as_str()),
                positions.get(edge.to.as_str()),
            );
            if let (Some(&from), Some(&to)) = ends {
                wiring.down[from].push(to);
                wiring.up[to].push(from);
            }
        }
        for list in wiring.down.iter_mut().chain(&mut wiring.up) {
            list.sort_unstable();
        }
        wiring
    }

    /// The nodes without incoming edges.
    pub(super) fn roots(&self) -> Vec<usize> {
        (0..self.up.len())
            .filter(|&node| self.up[node].is_empty())
            .collect()
    }

    /// One cycle, if there is one. Without recursion, because a user supplies the graph.
    pub(super) fn cycle(&self) -> Option<Vec<usize>> {
        let mut left: Vec<usize> = self.up.iter().map(Vec::len).collect();
        let mut free: Vec<usize> = self.roots();
        while let Some(node) = free.pop() {
            for &below in &self.down[node] {
                left[below] -= 1;
                if left[below] == 0 {
                    free.push(below);
                }
            }
        }
        // Each remaining node is on a cycle or below one. A walk upwards from it reaches some node twice.
        let mut node = left.iter().position(|&count| count > 0)?;
        let mut path = Vec::new();
        let mut seen = HashMap::new();
        loop {
            if let Some(&start) = seen.get(&node) {
                let mut circle: Vec<usize> = path.split_off(start);
                circle.reverse();
                let first = (0..circle.len()).min_by_key(|&place| circle[place]);
                circle.rotate_left(first.unwrap_or(0));
                return Some(circle);
            }
            seen.insert(node, path.len());
            path.push(node);
            node = self.up[node]
                .iter()
                .copied()
                .find(|&above| left[above] > 0)?;
        }
    }
}
