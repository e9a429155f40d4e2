//! The record of a command in a sandbox, for the list of its owner's commands.

use super::dto::{NewExec, Tty};
use super::{OwnerKind, Starter};
use crate::fleet::operations::{CommandRecord, typed};
use roost_platform::ids::RunId;

/// Tools that Roost starts by itself: so that people see an agent's commands, and the server of a mission's runtime. They are
/// no work of an agent.
const OWN: [&str; 2] = ["pane", "runtime"];

/// The record; `None` for a program that nobody asked for.
pub(super) fn of(owner: OwnerKind, wanted: &NewExec, starter: Starter) -> Option<CommandRecord> {
    let tool = wanted.purpose.as_ref().map(|purpose| &purpose.tool);
    if tool.is_some_and(|tool| OWN.contains(&tool.as_str())) {
        return None;
    }
    let command = match &wanted.purpose {
        Some(purpose) => purpose.command.clone(),
        None => typed(&wanted.argv),
    };
    let (user, run) = match starter {
        Starter::Person(user) => (Some(user), None),
        Starter::Agent(about) => (None, about.run.map(RunId)),
    };
    Some(CommandRecord {
        owner_kind: owner.as_str(),
        user,
        agent: wanted.worker.agent,
        run,
        step: wanted.worker.step.clone(),
        tool: tool.cloned(),
        command,
        is_shell: is_shell(wanted, starter),
    })
}

/// A person's terminal without a deadline is a shell: it lives until its person ends it, or nobody reads it for a while.
pub(super) fn is_shell(wanted: &NewExec, starter: Starter) -> bool {
    let has_terminal = matches!(wanted.tty, Some(Tty::Wanted(true) | Tty::Size(_)));
    let is_persons = matches!(starter, Starter::Person(_));
    is_persons && has_terminal && wanted.deadline_s.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::sandboxes::Worker;
    use roost_platform::events::About;
    use roost_platform::ids::{ClawId, UserId};
    use roost_protocol::operation::Purpose;

    fn wanted(json: serde_json::Value) -> NewExec {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn record_has_the_person_and_their_line() {
        let person = Starter::Person(UserId(Uuid::from_u128(1)));
        let asked = wanted(json!({ "argv": ["/bin/sh", "-c", "ls | wc"] }));
        let record = of(OwnerKind::Team, &asked, person).unwrap();
        assert_eq!(record.command.as_deref(), Some("ls | wc"));
        assert_eq!(
            (
                record.owner_kind,
                record.user,
                record.agent,
                record.is_shell
            ),
            ("team", Some(UserId(Uuid::from_u128(1))), None, false)
        );
    }

    #[test]
    fn record_of_an_agent_has_its_run_and_not_the_program_around_its_tool() {
        let (agent, run) = (ClawId(Uuid::from_u128(2)), Uuid::from_u128(3));
        let mut asked = wanted(json!({ "argv": ["python3", "-I", "-c", "…", "make"] }));
        asked.purpose = Some(Purpose::new("shell", Some("make")));
        asked.worker = Worker {
            agent: Some(agent),
            step: Some("coder#1".to_owned()),
        };
        let about = About {
            run: Some(run),
            ..About::default()
        };
        let record = of(OwnerKind::Claw, &asked, Starter::Agent(about)).unwrap();
        assert_eq!(
            (record.agent, record.run, record.step.as_deref()),
            (Some(agent), Some(RunId(run)), Some("coder#1"))
        );
        assert_eq!(
            (record.tool.as_deref(), record.command.as_deref()),
            (Some("shell"), Some("make"))
        );
        asked.purpose = Some(Purpose::new("pane", None));
        assert_eq!(of(OwnerKind::Claw, &asked, Starter::Agent(about)), None);
    }

    #[test]
    fn only_a_persons_terminal_without_a_deadline_is_a_shell() {
        let person = Starter::Person(UserId(Uuid::from_u128(1)));
        let terminal = wanted(json!({ "argv": ["sh"], "tty": true }));
        assert!(is_shell(&terminal, person));
        assert!(!is_shell(&terminal, Starter::Agent(About::default())));
        let bounded = wanted(json!({ "argv": ["sh"], "tty": true, "deadline_s": 60 }));
        assert!(!is_shell(&bounded, person));
        assert!(!is_shell(&wanted(json!({ "argv": ["sh"] })), person));
    }
}
