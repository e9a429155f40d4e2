//! The Rust build needs no Node: when the web UI was not built, an empty folder is embedded in its place.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let dist = std::path::Path::new("ui/dist");
    if let Err(error) = std::fs::create_dir_all(dist) {
        println!("cargo::warning=cannot make {}: {error}", dist.display());
    }
}
