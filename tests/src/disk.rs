//! A small file system for one test that can be filled to the last byte. Only root may mount one.

use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

/// Unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it over a folder; `None` for a user who may not mount.
    ///
    /// # Panics
    /// When the size is not valid text for the kernel.
    pub fn mount(at: &Path, size: &str) -> Option<Self> {
        let data = std::ffi::CString::new(format!("size={size}")).expect("no NUL");
        match mount("tmpfs", at, "tmpfs", MountFlags::empty(), data.as_c_str()) {
            Ok(()) => Some(Self(at.to_owned())),
            Err(error) => {
                eprintln!("not tested here: a small disk cannot be mounted ({error}); run as root");
                None
            }
        }
    }

    /// Fills it to the last byte. Removing the returned file makes room again.
    ///
    /// # Panics
    /// When it cannot be written at all.
    pub fn fill(&self) -> PathBuf {
        let path = self.0.join("ballast");
        let mut file = std::fs::File::create(&path).expect("a file");
        let block = vec![1_u8; 4096];
        while file.write_all(&block).is_ok() {}
        path
    }

    /// Fills it, and leaves room for `bytes`. Removing the returned file makes more.
    ///
    /// # Panics
    /// When it cannot be written at all, or is smaller than that.
    pub fn fill_but(&self, bytes: u64) -> PathBuf {
        let path = self.fill();
        let file = std::fs::File::options()
            .write(true)
            .open(&path)
            .expect("a file");
        let full = file.metadata().expect("its size").len();
        let left = full
            .checked_sub(bytes)
            .expect("the disk is larger than that");
        file.set_len(left).expect("room");
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The kernel handles a mount that stays behind.
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}
