//! The measurements of a heartbeat, one source a file. An unknown value is absent, never zero.

pub mod addresses;
pub mod gpu;
pub mod machine;
pub mod pressure;
pub mod temperature;
pub mod tools;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use roost_protocol::vitals::Heartbeat;

/// Samples the machine; stores the previous sample for rates.
pub struct Sampler {
    machine: machine::Machine,
    temperature: temperature::Thermometer,
    gpu: gpu::Gpu,
    hostname: String,
    disk: PathBuf,
}

impl Sampler {
    /// A sampler of the file system that holds `disk` (the engine's data).
    pub fn new(disk: PathBuf) -> Self {
        Self {
            machine: machine::Machine::find(),
            temperature: temperature::Thermometer::find(),
            gpu: gpu::Gpu::find(),
            hostname: machine::hostname(),
            disk,
        }
    }

    pub fn hostname(&self) -> &str {
        &self.hostname
    }

    /// One heartbeat without the values that only the engine and the executor know.
    pub async fn sample(&mut self) -> Heartbeat {
        let at_s = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
            });
        let mut beat = Heartbeat {
            at_s,
            hostname: self.hostname.clone(),
            ..Heartbeat::default()
        };
        self.machine.fill(&mut beat, &self.disk);
        beat.psi = pressure::read();
        beat.temp_max_c = self.temperature.hottest();
        beat.gpu_pct = self.gpu.busy().await;
        let addresses = addresses::find();
        beat.local_ip = addresses.outbound.map(|ip| ip.to_string());
        beat.mesh_ip = addresses.mesh.map(|ip| ip.to_string());
        beat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_heartbeat_of_this_machine_is_plausible() {
        let mut sampler = Sampler::new("/".into());
        let first = sampler.sample().await;
        assert_eq!(first.cpu_pct, None, "one sample gives no rate");
        let beat = sampler.sample().await;
        assert!(beat.at_s > 1_700_000_000);
        assert!(!beat.hostname.is_empty());
        assert!(beat.cpu_pct.is_none_or(|pct| (0.0..=100.0).contains(&pct)));
        assert!(
            beat.memory_used_bytes.expect("known on Linux")
                <= beat.memory_total_bytes.expect("known on Linux")
        );
        assert!(
            beat.disk_used_bytes.expect("known on Linux")
                <= beat.disk_total_bytes.expect("known on Linux")
        );
        assert!(beat.load1.is_some_and(|load| load >= 0.0));
        assert!(beat.cores.is_some_and(|cores| cores > 0));
        assert!(beat.temp_max_c.is_none_or(|temp| temp > 0.0));
    }
}
