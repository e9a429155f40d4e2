//! Connections as in a real network: in order, unless a proxy in between is broken.
use std::collections::VecDeque;

use crate::dice::Dice;
use rand::Rng;
use roost_protocol::frame::{Envelope, ToGateway, ToNode};

/// Index into [`Network::links`].
pub type LinkId = usize;

/// One WebSocket.
#[derive(Debug)]
pub struct Link {
    pub node: usize,
    pub up: VecDeque<Envelope<ToGateway>>,
    pub down: VecDeque<Envelope<ToNode>>,
    pub node_open: bool,
    pub gateway_open: bool,
    /// Frames to the gateway are lost; the node does not notice.
    pub cut_up: bool,
    /// Frames to the node are lost; the gateway does not notice.
    pub cut_down: bool,
    /// A proxy in between repeats, reorders and drops frames.
    pub mangled: bool,
}

/// All connections so far, and old frames that may appear again.
#[derive(Debug, Default)]
pub struct Network {
    pub links: Vec<Link>,
    old_up: Vec<(usize, Envelope<ToGateway>)>,
    old_down: Vec<(usize, Envelope<ToNode>)>,
}

const OLD_KEPT: usize = 24;

impl Network {
    /// A node dials.
    pub fn open(&mut self, node: usize, rng: &mut Dice, faulty: bool) -> LinkId {
        self.links.push(Link {
            node,
            up: VecDeque::new(),
            down: VecDeque::new(),
            node_open: true,
            gateway_open: true,
            cut_up: false,
            cut_down: false,
            mangled: faulty && rng.random_bool(0.15),
        });
        self.links.len() - 1
    }

    /// The node sends.
    pub fn send_up(&mut self, id: LinkId, frame: Envelope<ToGateway>, rng: &mut Dice) {
        let link = &mut self.links[id];
        if !link.node_open {
            return;
        }
        remember(&mut self.old_up, link.node, &frame, rng);
        mangle(&mut link.up, frame, link.mangled, rng);
        if link.mangled && rng.random_bool(0.03) {
            stray(&mut link.up, &self.old_up, link.node, rng);
        }
    }

    /// The gateway sends.
    pub fn send_down(&mut self, id: LinkId, frame: Envelope<ToNode>, rng: &mut Dice) {
        let link = &mut self.links[id];
        if !link.gateway_open {
            return;
        }
        remember(&mut self.old_down, link.node, &frame, rng);
        mangle(&mut link.down, frame, link.mangled, rng);
        if link.mangled && rng.random_bool(0.03) {
            stray(&mut link.down, &self.old_down, link.node, rng);
        }
    }

    /// The faults are over: cut connections break, and mangled ones work correctly from now on.
    pub fn heal(&mut self) {
        for link in &mut self.links {
            link.mangled = false;
            if link.cut_up || link.cut_down {
                link.cut_up = false;
                link.cut_down = false;
            }
        }
    }
}

fn remember<M: Clone>(
    old: &mut Vec<(usize, Envelope<M>)>,
    node: usize,
    frame: &Envelope<M>,
    rng: &mut Dice,
) {
    if old.len() < OLD_KEPT {
        old.push((node, frame.clone()));
    } else if rng.random_bool(0.1) {
        let at = rng.random_range(0..OLD_KEPT);
        old[at] = (node, frame.clone());
    }
}

fn mangle<M: Clone>(
    queue: &mut VecDeque<Envelope<M>>,
    frame: Envelope<M>,
    mangled: bool,
    rng: &mut Dice,
) {
    if mangled && rng.random_bool(0.08) {
        match rng.random_range(0..3) {
            // Dropped.
            0 => return,
            // Repeated.
            1 => queue.push_back(frame.clone()),
            // Overtaken.
            _ => {
                let at = queue.len().saturating_sub(1);
                queue.insert(at, frame);
                return;
            }
        }
    }
    queue.push_back(frame);
}

/// A frame of an earlier connection of the same node appears on this one.
fn stray<M: Clone>(
    queue: &mut VecDeque<Envelope<M>>,
    old: &[(usize, Envelope<M>)],
    node: usize,
    rng: &mut Dice,
) {
    let own: Vec<_> = old.iter().filter(|(of, _)| *of == node).collect();
    if let Some((_, frame)) = own.get(rng.random_range(0..own.len().max(1))) {
        queue.push_back(frame.clone());
    }
}
