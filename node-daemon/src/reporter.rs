//! The reports that a session sends unasked: hello, heartbeats at the gateway's interval, tools at once and every 15
//! minutes.
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{Capabilities, Hello};
use roost_protocol::ids::{InstallId, InstanceId};
use roost_protocol::limits::TOOLS_INTERVAL_S;
use roost_protocol::version::SUPPORTED;
use roost_sandbox_driver::executor::ExecutorHandle;
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};

use crate::channel::session::Reports;
use crate::vitals::{Sampler, machine, tools};

/// Heartbeats from one list of images to the next while nothing changes.
const IMAGES_EVERY: u32 = 16;

/// Makes reports; clones share the sampler.
#[derive(Clone)]
pub struct Reporter {
    sampler: Arc<Mutex<Sampler>>,
    install: InstallId,
    instance: InstanceId,
    most_sandboxes: Option<u32>,
    shell: bool,
    /// Length of one second of the channel's intervals; shorter only for endurance runs.
    second: Duration,
}

impl Reporter {
    pub fn new(
        sampler: Sampler,
        install: InstallId,
        instance: InstanceId,
        most_sandboxes: Option<u32>,
        shell: bool,
        second: Duration,
    ) -> Self {
        Self {
            sampler: Arc::new(Mutex::new(sampler)),
            install,
            instance,
            most_sandboxes,
            shell,
            second,
        }
    }

    /// The first frame of a session.
    pub async fn hello(&self, executor: &ExecutorHandle) -> Hello {
        let facts = executor.machine().await;
        let inventory = executor.inventory().await;
        Hello {
            versions: SUPPORTED,
            daemon_version: env!("CARGO_PKG_VERSION").into(),
            install_id: self.install,
            instance_id: self.instance,
            boot_id: machine::boot_id(),
            hostname: self.sampler.lock().await.hostname().to_owned(),
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            capabilities: Capabilities {
                engine: facts.engine,
                image: facts.image,
                shell: self.shell,
                paused: facts.paused,
                most_sandboxes: self.most_sandboxes,
                bounds: facts.bounds,
                image_reference: facts.image_reference,
                image_id: facts.image_id,
                image_unfit: facts.image_unfit,
                flush: true,
                endless: true,
            },
            inventory,
        }
    }

    /// Starts to report; stops when the session drops the receiver.
    pub fn start(&self, executor: ExecutorHandle, heartbeat_s: u32) -> Reports {
        // At most two wait: a heartbeat that could not be sent in time is outdated.
        let (sender, receiver) = mpsc::channel(2);
        let beats = self.second * heartbeat_s.clamp(1, 3600);
        let reporter = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = reporter.send_heartbeats(executor, beats, &sender) => {}
                () = reporter.tools(&sender) => {}
                () = sender.closed() => {}
            }
        });
        Reports { receiver }
    }

    async fn send_heartbeats(
        &self,
        executor: ExecutorHandle,
        every: Duration,
        sender: &mpsc::Sender<ToGateway>,
    ) {
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Images seldom change: the first heartbeat names them, each that finds a change, and now and then another one, in
        // case the gateway lost one.
        let mut told = None;
        for count in 0_u32.. {
            ticks.tick().await;
            let mut beat = self.sampler.lock().await.sample().await;
            let facts = executor.machine().await;
            beat.containers = facts.containers;
            beat.sandboxes = facts.sandboxes;
            beat.image = Some(facts.image);
            beat.image_reference = facts.image_reference;
            beat.image_id = facts.image_id;
            beat.image_unfit = facts.image_unfit;
            if count.is_multiple_of(IMAGES_EVERY) || told.as_ref() != Some(&facts.images) {
                beat.images = Some(facts.images.clone());
                told = Some(facts.images);
            }
            beat.bounds = facts.bounds;
            beat.paused = facts.paused;
            beat.draining = facts.draining;
            if sender.send(ToGateway::Heartbeat(beat)).await.is_err() {
                return;
            }
        }
    }

    async fn tools(&self, sender: &mpsc::Sender<ToGateway>) {
        let every = self.second * u32::try_from(TOOLS_INTERVAL_S).unwrap_or(u32::MAX);
        let mut ticks = interval_at(Instant::now(), every);
        loop {
            ticks.tick().await;
            if sender
                .send(ToGateway::NodeTools(tools::report().await))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}
