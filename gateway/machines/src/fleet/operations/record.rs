//! The record of a command: whose sandbox it runs in, who ran it, and what they wrote.

use roost_protocol::operation::Purpose;

use roost_platform::ids::{ClawId, RunId, UserId};

/// What the row of a command has besides its operation. Programs of the gateway that nobody asked for have no record, and
/// are in no list of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandRecord {
    /// The kind of the sandbox's owner, as `claw`.
    pub owner_kind: &'static str,
    /// The person who ran it.
    pub user: Option<UserId>,
    /// The agent that ran it.
    pub agent: Option<ClawId>,
    /// The run that it was work for.
    pub run: Option<RunId>,
    /// The step of that run, as `coder#1`.
    pub step: Option<String>,
    /// The agent's tool.
    pub tool: Option<String>,
    /// What the person or the agent wrote, without the program that Roost puts around it.
    pub command: Option<String>,
    /// A shell: it has no deadline of its own.
    pub is_shell: bool,
}

/// The command as a person would type it. `None` for a program that Roost puts around a tool.
pub fn typed(argv: &[String]) -> Option<String> {
    let line = match argv {
        // The page gives a line to a shell; the line is what somebody typed.
        [shell, flag, line] if flag == "-c" && is_shell(shell) => line.clone(),
        [_, flag, ..] if flag == "-I" => return None,
        words => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            words.join(" ")
        }
    };
    Some(roost_protocol::text::clean(&line, Purpose::MOST_BYTES))
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    ["sh", "bash", "dash", "ash", "zsh"].contains(&name)
}

/// An argument as a shell would need it, so that `a b` and two arguments differ.
pub fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    match !arg.is_empty() && arg.chars().all(plain) {
        true => arg.to_owned(),
        false => format!("'{}'", arg.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(argv: &[&str]) -> Option<String> {
        typed(&argv.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn line_for_a_shell_is_shown_as_it_was_typed_and_arguments_stay_apart() {
        let line = of(&["/bin/sh", "-c", "ls | wc -l"]);
        assert_eq!(line.as_deref(), Some("ls | wc -l"));
        assert_eq!(of(&["ls", "a b"]).as_deref(), Some("ls 'a b'"));
        let with_name = of(&["sh", "-c", "echo $0", "me"]);
        assert_eq!(with_name.as_deref(), Some("sh -c 'echo $0' me"));
    }

    #[test]
    fn program_around_a_tool_is_not_shown() {
        assert_eq!(of(&["python3", "-I", "-S", "-c", "import os"]), None);
    }
}
