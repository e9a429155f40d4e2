//! Use of the busiest GPU: the kernel's own figure where it exists, else `nvidia-smi`.
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::tools;

/// `nvidia-smi` costs tens of milliseconds, so it runs at most this often.
const EVERY: Duration = Duration::from_secs(30);

/// Where the figure comes from.
pub struct Gpu {
    files: Vec<PathBuf>,
    nvidia: bool,
    last: Option<(Instant, Option<f32>)>,
}

impl Gpu {
    /// Finds the GPUs once.
    pub fn find() -> Self {
        let cards = std::fs::read_dir("/sys/class/drm")
            .into_iter()
            .flatten()
            .flatten();
        let files = cards
            .map(|card| card.path().join("device/gpu_busy_percent"))
            .filter(|path| path.exists())
            .collect();
        Self {
            files,
            nvidia: Path::new("/proc/driver/nvidia/version").exists(),
            last: None,
        }
    }

    /// Percent; absent when no GPU reports it.
    pub async fn busy(&mut self) -> Option<f32> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .ok()?
                .trim()
                .parse::<f32>()
                .ok()
        };
        if let Some(pct) = self.files.iter().filter_map(read).max_by(f32::total_cmp) {
            return Some(pct.clamp(0.0, 100.0));
        }
        if !self.nvidia {
            return None;
        }
        if let Some((at, pct)) = self.last
            && at.elapsed() < EVERY
        {
            return pct;
        }
        let text = tools::run(
            "nvidia-smi",
            &[
                "--query-gpu=utilization.gpu",
                "--format=csv,noheader,nounits",
            ],
        )
        .await;
        let pct = text.as_deref().and_then(busiest);
        self.last = Some((Instant::now(), pct));
        pct
    }
}

fn busiest(text: &str) -> Option<f32> {
    let each = text
        .lines()
        .filter_map(|line| line.trim().parse::<f32>().ok());
    each.filter(|pct| (0.0..=100.0).contains(pct))
        .max_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_of_several_counts_and_unknown_is_absent() {
        assert_eq!(busiest("3\n97\n"), Some(97.0));
        assert_eq!(busiest("0\n"), Some(0.0));
        assert_eq!(busiest("[N/A]\n"), None);
    }
}
