//! Faults and repairs.
use rand::Rng;

use super::World;

impl World {
    /// Causes a fault or a repair.
    pub(super) fn fate(&mut self) {
        let sim = &mut self.sim;
        let node = sim.rng.random_range(0..self.nodes.len());
        let open: Vec<_> = (0..sim.net.links.len())
            .filter(|id| sim.net.links[*id].node_open && sim.net.links[*id].node == node)
            .collect();
        let link = open.last().copied();
        match (sim.rng.random_range(0..14), link) {
            (0, _) => {
                sim.note(|| format!("node {node} is killed"));
                self.nodes[node].kill(sim);
            }
            (1, _) if sim.rng.random_bool(0.4) => {
                sim.note(|| format!("node {node} loses power"));
                self.nodes[node].power_cut(sim);
            }
            (2, _) if sim.rng.random_bool(0.5) => {
                sim.note(|| "the gateway is killed".to_owned());
                self.gateway.kill(sim);
            }
            (3, Some(id)) => sim.net.links[id].cut_up = true,
            (4, Some(id)) => sim.net.links[id].cut_down = true,
            (5, Some(id)) => {
                sim.net.links[id].cut_up = true;
                sim.net.links[id].cut_down = true;
            }
            (6..=8, Some(id)) => {
                sim.net.links[id].cut_up = false;
                sim.net.links[id].cut_down = false;
            }
            (9, Some(id)) => {
                sim.note(|| format!("the connection {id} of node {node} breaks"));
                sim.net.links[id].node_open = false;
                self.nodes[node].closed(id, sim);
            }
            (10, Some(id)) => {
                sim.net.links[id].node_open = false;
                sim.net.links[id].up.clear();
                sim.net.links[id].down.clear();
                self.nodes[node].closed(id, sim);
            }
            (11, _) => {
                // A sandbox dies by itself.
                let engine = &mut self.nodes[node].engine;
                let first = engine.containers.keys().next().copied();
                if let Some(sandbox) = first.filter(|_| sim.rng.random_bool(0.3)) {
                    engine.containers.remove(&sandbox);
                }
            }
            (13, _) => {
                // A restored database does not contain a sandbox.
                if let Some((sandbox, _)) = self
                    .gateway
                    .sandbox(sim)
                    .filter(|_| sim.rng.random_bool(0.3))
                {
                    self.gateway.forget(sandbox, sim);
                }
            }
            (12, _) => {
                // Sometimes for longer than a lease.
                let longest = if sim.rng.random_bool(0.1) {
                    120_000
                } else {
                    20_000
                };
                sim.now_ms += sim.rng.random_range(0..longest);
            }
            _ => {}
        }
    }
}
