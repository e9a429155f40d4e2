//! The client's types and routes are those of `gateway/openapi.json`: this test writes them from the document and
//! compares them with those in `src/api/`. `ROOST_WRITE_TYPES=1 cargo test -p roost-cli --test types` replaces the files.

mod document;
mod places;
mod routes;
mod rust;
mod wanted;
mod wanted_groups;
mod wanted_missions;
mod wanted_runs;

use std::path::{Path, PathBuf};

use document::Document;
use serde_json::json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn document() -> Document {
    let text = std::fs::read_to_string(folder().join("../openapi.json")).expect("the document");
    Document::of(serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn generated_files_match_the_api_document() {
    let files = rust::files(&document()).unwrap_or_else(|fault| panic!("{fault}"));
    for (name, text) in files {
        let path = folder().join("src/api").join(name);
        if std::env::var_os("ROOST_WRITE_TYPES").is_some() {
            std::fs::write(&path, &text).expect("the file is written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{name} does not match gateway/openapi.json; run `ROOST_WRITE_TYPES=1 cargo test -p roost-cli --test types`"
        );
    }
}

#[test]
fn a_change_of_the_document_that_the_client_reads_changes_the_files_or_fails() {
    let before = rust::files(&document()).expect("the files");
    let claw = "/components/schemas/Claw";
    let changed = |pointer: &str, value: serde_json::Value| {
        let mut document = document();
        *document.0.pointer_mut(pointer).expect("it is there") = value;
        rust::files(&document)
    };
    let optional = changed(&format!("{claw}/required"), json!([])).expect("it is valid");
    assert_ne!(optional, before);
    let number = json!({ "type": "integer", "format": "int32" });
    let typed = changed(&format!("{claw}/properties/name"), number).expect("it is valid");
    assert_ne!(typed, before);
    let words = json!(["toolfree"]);
    let words = changed("/components/schemas/RiskProfile/enum", words).expect("it is valid");
    assert_ne!(words, before);
    let gone = changed(&format!("{claw}/properties"), json!({}));
    assert!(gone.expect_err("a field is gone").contains("Claw.id"));
    let route = changed("/paths/~1api~1claws", json!({}));
    assert!(route.expect_err("a route is gone").contains("/api/claws"));
}

#[test]
fn a_new_required_field_of_a_request_must_be_set_by_the_client() {
    let mut document = document();
    let new = document.0.pointer_mut("/components/schemas/NewClaw");
    let new = new.expect("it is there");
    new["required"] = json!(["name", "brain_seed"]);
    let fault = rust::files(&document).expect_err("it is refused");
    assert!(fault.contains("NewClaw.brain_seed"), "{fault}");
}
