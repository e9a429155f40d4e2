//! How Podman's compatible API spells what was asked for. Each row was seen on Podman 4.3; anything else is a difference.
use serde_json::Value;

use crate::inspect::{is_nothing, same_set, strings};

/// True when Podman's answer means what was intended.
pub(crate) fn same(field: &str, wanted: &Value, got: &Value) -> bool {
    match field {
        // It lists every capability by name instead of ALL.
        "CapDrop" => wanted == &serde_json::json!(["ALL"]) && strings(got).len() >= 11,
        // It takes the profile into its own configuration and reports only the rest; the probe reads the effect.
        "SecurityOpt" => {
            let kept: Vec<_> = strings(wanted)
                .into_iter()
                .filter(|option| option == "no-new-privileges")
                .collect();
            let got: Vec<_> = strings(got)
                .into_iter()
                .filter(|option| !option.starts_with("seccomp=") && !option.starts_with("mask="))
                .collect();
            same_set(&kept, &got)
        }
        // Not reported; the probe reads the effect.
        "MaskedPaths" | "ReadonlyPaths" => is_nothing(got),
        // Given back as a quota, which is compared by its own field.
        "NanoCpus" => is_nothing(got) || wanted == got,
        "CgroupnsMode" => is_nothing(got) || got == "private",
        _ => false,
    }
}
