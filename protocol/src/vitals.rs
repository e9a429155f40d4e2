//! Heartbeats and tool reports. An unknown value is absent, never zero.
use serde::{Deserialize, Serialize};

use crate::caps::Bounds;

/// One heartbeat. Percentages are 0 to 100, sizes bytes, temperatures °C.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// Seconds since the epoch by the machine's own clock, to detect wrong clocks.
    pub at_s: i64,
    pub hostname: String,
    /// Primary outbound IPv4.
    pub local_ip: Option<String>,
    /// Address in a mesh network (Tailscale and similar).
    pub mesh_ip: Option<String>,
    pub cpu_pct: Option<f32>,
    pub cores: Option<u32>,
    pub memory_used_bytes: Option<u64>,
    pub memory_total_bytes: Option<u64>,
    pub swap_used_bytes: Option<u64>,
    pub swap_total_bytes: Option<u64>,
    /// Of the file system with the engine's data, else of the root.
    pub disk_used_bytes: Option<u64>,
    pub disk_total_bytes: Option<u64>,
    pub load1: Option<f64>,
    pub load5: Option<f64>,
    pub load15: Option<f64>,
    pub psi: Option<Psi>,
    /// Running containers of the engine, ours or not.
    pub containers: Option<u32>,
    pub gpu_pct: Option<f32>,
    pub temp_max_c: Option<f32>,
    /// Sandboxes with our labels.
    pub sandboxes: Option<u32>,
    pub image: Option<crate::hello::ImageState>,
    /// The image that `image` describes, as in [`crate::hello::Capabilities`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_unfit: Option<String>,
    /// What the machine has of the catalogue's images. Absent when nothing changed since the last heartbeat that had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<crate::hello::HeldImage>>,
    /// The limits of what the machine lends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    pub paused: bool,
    pub draining: bool,
}

/// Pressure stall information: share of the last 10 s in which some or all tasks waited, percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Psi {
    pub cpu_some10: Option<f32>,
    pub memory_some10: Option<f32>,
    pub memory_full10: Option<f32>,
    pub io_some10: Option<f32>,
    pub io_full10: Option<f32>,
}

/// Installed tools. Sent after connecting and every 15 minutes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeTools {
    pub tools: Vec<Tool>,
}

/// One installed tool: `docker`, `claude`, `codex`, `gemini`, `ollama`. A missing tool is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub tool: String,
    pub version: String,
}
