//! The JSON of artifacts in `gateway/missions/golden`, which the tests of the page read too. So the gateway and the page
//! cannot disagree about its form.

use std::path::Path;

/// Compares a value with its file. `ROOST_WRITE_GOLDEN=1` writes the file anew.
pub fn is_golden<T: serde::Serialize>(name: &str, value: &T) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let file = folder.join(name);
    let text = serde_json::to_string_pretty(value).unwrap() + "\n";
    if std::env::var_os("ROOST_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&file, &text).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(known, text, "ROOST_WRITE_GOLDEN=1 writes {name} anew");
}
