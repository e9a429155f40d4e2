//! Names of tools on the wire. The names of the door's tools contain a dot, which some providers refuse. So a model sees
//! an underscore instead. The journal, the pages and the events have the real names.

use roost_execution::providers::{Call, Message};
use roost_execution::tools::catalogue;

/// The name that a model sees.
pub(super) fn on_the_wire(name: &str) -> String {
    name.replace('.', "_")
}

/// Gives the calls of a model's answer the real names of the tools.
pub(super) fn restore(calls: &mut [Call]) {
    let tools = catalogue::all();
    for call in calls {
        let real = tools
            .iter()
            .find(|tool| on_the_wire(tool.name) == call.name);
        if let Some(tool) = real {
            call.name = tool.name.to_owned();
        }
    }
}

/// Gives the calls and results of a conversation the names that a model sees.
pub(super) fn hide(messages: &mut [Message]) {
    for message in messages {
        match message {
            Message::User(_) => {}
            Message::Assistant { calls, .. } => {
                for call in calls {
                    call.name = on_the_wire(&call.name);
                }
            }
            Message::Tool { name, .. } => *name = on_the_wire(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn call(name: &str) -> Call {
        Call {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: serde_json::json!({}),
            malformed: None,
            opaque: None,
        }
    }

    #[test]
    fn every_tool_has_a_name_on_the_wire_that_providers_accept_and_that_leads_back() {
        let mut seen = BTreeSet::new();
        for tool in catalogue::all() {
            let wire = on_the_wire(tool.name);
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(wire.chars().all(fits), "{wire}");
            assert!(seen.insert(wire.clone()), "{wire} twice");
            let mut calls = [call(&wire), call(tool.name), call("unknown.tool")];
            restore(&mut calls);
            let names = calls.map(|call| call.name);
            assert_eq!(names, [tool.name, tool.name, "unknown.tool"]);
        }
    }

    #[test]
    fn conversation_is_shown_with_names_that_providers_accept() {
        let mut messages = [
            Message::Assistant {
                text: String::new(),
                calls: vec![call("door.ask")],
            },
            Message::Tool {
                call: "1".to_owned(),
                name: "door.ask".to_owned(),
                text: String::new(),
                is_error: false,
            },
        ];
        hide(&mut messages);
        let shown = format!("{messages:?}");
        assert!(
            shown.contains("door_ask") && !shown.contains("door.ask"),
            "{shown}"
        );
    }
}
