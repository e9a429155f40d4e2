//! What the audit log records of a command that a person starts in a sandbox. Commands of agents are not recorded there:
//! they are in the operations' history.

use serde_json::json;

use super::dto::{NewExec, Tty};
use super::entity::container;
use super::{SandboxesHandle, Starter};
use crate::fleet::operations::{PersonsEntry, quoted};
use roost_tenancy::auth::WorkspaceScope;

/// The most bytes of a command line in an entry.
const MOST: usize = 500;

/// The purpose of a command that unpacks a person's upload.
pub(super) const UPLOAD: &str = "upload";

/// The entry for a command; `None` for an agent's command. `owner_name` is for people who read the log after the owner
/// is gone.
pub(super) fn entry(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    starter: Starter,
    (row, owner_name): (&container::Model, String),
    wanted: &NewExec,
    operation: roost_platform::ids::OperationId,
) -> Option<PersonsEntry> {
    let Starter::Person(user) = starter else {
        return None;
    };
    let (command, is_cut) = line(&wanted.argv);
    let folder = folder(wanted);
    let mut details = json!({
        row.owner_kind.noun(): owner_name, "command": command, "sandbox": row.id, "node": row.node_id, "operation": operation,
    });
    if is_cut {
        details["cut"] = true.into();
    }
    if let Some(folder) = folder {
        details["folder"] = folder.into();
    }
    Some(PersonsEntry {
        scope,
        user,
        about: (row.owner_kind.as_str(), row.owner_id),
        action: action(wanted),
        details,
        ids: sandboxes.ids.clone(),
    })
}

/// A command with a terminal is a shell: its input is not a part of its command line.
fn action(wanted: &NewExec) -> &'static str {
    match wanted.tty {
        _ if folder(wanted).is_some() => "sandbox.upload",
        None | Some(Tty::Wanted(false)) => "sandbox.exec",
        Some(Tty::Wanted(true) | Tty::Size(_)) => "sandbox.shell",
    }
}

/// The folder of an upload.
fn folder(wanted: &NewExec) -> Option<String> {
    let purpose = wanted
        .purpose
        .as_ref()
        .filter(|purpose| purpose.tool == UPLOAD);
    purpose.and_then(|purpose| purpose.command.clone())
}

/// The command line, and whether it is cut. Environment values and stdin are not part of it.
fn line(argv: &[String]) -> (String, bool) {
    let whole: Vec<String> = argv.iter().map(|arg| quoted(arg)).collect();
    let whole = roost_protocol::text::clean(&whole.join(" "), usize::MAX);
    let cut = roost_protocol::text::clean(&whole, MOST);
    let is_cut = cut.len() < whole.len();
    (cut, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(argv: &[&str]) -> (String, bool) {
        line(&argv.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_line_keeps_its_arguments_apart_and_is_cut_at_its_bound() {
        let shell = of(&["sh", "-c", "echo it's\nme", ""]);
        assert_eq!(shell, (r"sh -c 'echo it'\''s me' ''".to_owned(), false));
        let (cut, is_cut) = of(&["echo", &"x".repeat(2_000)]);
        assert_eq!((cut.len(), is_cut), (MOST, true));
    }

    #[test]
    fn only_a_command_with_a_terminal_is_a_shell() {
        let of = |tty| {
            let mut wanted = json!({ "argv": ["sh"] });
            wanted["tty"] = tty;
            let wanted: NewExec = serde_json::from_value(wanted).unwrap();
            action(&wanted)
        };
        assert_eq!(of(json!(null)), "sandbox.exec");
        assert_eq!(of(json!(false)), "sandbox.exec");
        assert_eq!(of(json!(true)), "sandbox.shell");
        assert_eq!(of(json!({ "rows": 24, "cols": 80 })), "sandbox.shell");
    }
}
