//! The arguments of tools, and the gate. This domain executes only an [`Admitted`] call, and only [`admit`] creates
//! one.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::catalogue::{
    ASK, COMMIT_PATHS, LIST_DEPTH, LOG_COMMITS, MESSAGE_BYTES, READ_LINES, SHELL_MOST_S,
    SHELL_TIMEOUT_S, WRITE_BYTES,
};
use super::error::ToolError;
use super::model::{Capability, ToolSpec, offered};

/// The longest path, in bytes.
const PATH_BYTES: usize = 4096;
/// The longest command, in bytes: it is one argument of an operation.
const COMMAND_BYTES: usize = 60_000;
/// The base of relative paths, for an agent that works on no repository.
pub(super) const WORKSPACE: &str = "/workspace";

/// A call that passed the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Admitted(Call);

impl Admitted {
    pub(super) fn into_call(self) -> Call {
        self.0
    }
}

/// A parsed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    DoorActions,
    DoorAsk { action: String, params: Value },
    ListSkills,
    ReadSkill(String),
    Shell(Shell),
    ReadFile(ReadFile),
    WriteFile(WriteFile),
    ListFiles { path: String, depth: u64 },
    Status { path: String },
    Diff { path: String },
    Commit(Commit),
    Log { path: String, limit: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shell {
    pub command: String,
    pub timeout_s: u64,
    pub cwd: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadFile {
    pub path: String,
    pub offset: u64,
    pub limit: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WriteFile {
    pub path: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    pub path: String,
    pub message: String,
    pub paths: Vec<String>,
}

/// Admits a call, or returns why it is refused.
///
/// # Errors
/// [`ToolError::NotOffered`], [`ToolError::Arguments`].
pub(super) fn admit(
    may: &Capability,
    name: &str,
    arguments: &Value,
) -> Result<Admitted, ToolError> {
    let tools = offered(may.profile, &may.bundles);
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        return Err(not_offered(may, name, &tools));
    };
    let why = |why| ToolError::Arguments {
        tool: tool.name,
        why,
    };
    let base = may.folder.as_deref().unwrap_or(WORKSPACE);
    read(base, tool.name, arguments).map(Admitted).map_err(why)
}

fn not_offered(may: &Capability, name: &str, tools: &[ToolSpec]) -> ToolError {
    let list = |words: Vec<&str>| match words.as_slice() {
        [] => "none".to_owned(),
        words => words.join(", "),
    };
    ToolError::NotOffered {
        tool: roost_protocol::text::clean(name, 128),
        profile: may.profile,
        bundles: list(may.bundles.iter().map(|bundle| bundle.as_str()).collect()),
        offered: list(tools.iter().map(|tool| tool.name).collect()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskArguments {
    action: String,
    params: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellArguments {
    command: String,
    timeout_s: Option<u64>,
    cwd: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    path: Option<String>,
    depth: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepositoryArguments {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommitArguments {
    message: String,
    paths: Option<Vec<String>>,
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogArguments {
    limit: Option<u64>,
    path: Option<String>,
}

fn read(base: &str, name: &str, arguments: &Value) -> Result<Call, String> {
    Ok(match name {
        "door.actions" => {
            let Nothing {} = taken(arguments)?;
            Call::DoorActions
        }
        ASK => {
            let given: AskArguments = taken(arguments)?;
            Call::DoorAsk {
                action: bounded("action", given.action, 100)?,
                params: Value::Object(given.params),
            }
        }
        "list_skills" => {
            let Nothing {} = taken(arguments)?;
            Call::ListSkills
        }
        "read_skill" => {
            let Named { name } = taken(arguments)?;
            Call::ReadSkill(bounded("name", name, 200)?)
        }
        "shell" => {
            let given: ShellArguments = taken(arguments)?;
            Call::Shell(Shell {
                command: bounded("command", given.command, COMMAND_BYTES)?,
                timeout_s: within("timeout_s", given.timeout_s, SHELL_TIMEOUT_S, SHELL_MOST_S)?,
                cwd: place(base, "cwd", given.cwd)?,
            })
        }
        "read_file" => {
            let given: ReadArguments = taken(arguments)?;
            Call::ReadFile(ReadFile {
                path: place(base, "path", Some(given.path))?,
                offset: within("offset", given.offset, 1, u64::from(u32::MAX))?,
                limit: within("limit", given.limit, READ_LINES, READ_LINES)?,
            })
        }
        "write_file" => {
            let given: WriteArguments = taken(arguments)?;
            if given.content.len() > WRITE_BYTES {
                return Err(format!(
                    "content has {} bytes, and a file is written with at most {WRITE_BYTES}; write it in parts with shell",
                    given.content.len()
                ));
            }
            Call::WriteFile(WriteFile {
                path: place(base, "path", Some(given.path))?,
                content: given.content,
            })
        }
        "list_files" => {
            let given: ListArguments = taken(arguments)?;
            Call::ListFiles {
                path: place(base, "path", given.path)?,
                depth: within("depth", given.depth, LIST_DEPTH.0, LIST_DEPTH.1)?,
            }
        }
        "status" => Call::Status {
            path: repository(base, arguments)?,
        },
        "diff" => Call::Diff {
            path: repository(base, arguments)?,
        },
        "commit" => commit(base, taken(arguments)?)?,
        "log" => {
            let given: LogArguments = taken(arguments)?;
            Call::Log {
                path: place(base, "path", given.path)?,
                limit: within("limit", given.limit, LOG_COMMITS.0, LOG_COMMITS.1)?,
            }
        }
        _ => return Err("nothing carries it out here".to_owned()),
    })
}

fn commit(base: &str, given: CommitArguments) -> Result<Call, String> {
    let paths = given.paths.unwrap_or_default();
    if paths.len() > COMMIT_PATHS {
        return Err(format!(
            "paths has {} entries; at most {COMMIT_PATHS}, or leave it away for everything that differs",
            paths.len()
        ));
    }
    for path in &paths {
        text("paths", path, PATH_BYTES)?;
    }
    if given.message.trim().is_empty() {
        return Err("message is empty; say what the commit changes".to_owned());
    }
    Ok(Call::Commit(Commit {
        path: place(base, "path", given.path)?,
        message: bounded("message", given.message, MESSAGE_BYTES)?,
        paths,
    }))
}

/// Some models send `null` when there are no arguments.
fn taken<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    let arguments = match arguments {
        Value::Null => Value::Object(serde_json::Map::new()),
        given => given.clone(),
    };
    serde_json::from_value(arguments).map_err(|error| error.to_string())
}

fn repository(base: &str, arguments: &Value) -> Result<String, String> {
    let given: RepositoryArguments = taken(arguments)?;
    place(base, "path", given.path)
}

fn text(name: &str, value: &str, most: usize) -> Result<(), String> {
    if value.is_empty() {
        return Err(format!("{name} is empty"));
    }
    if value.len() > most {
        return Err(format!("{name} has {} bytes; at most {most}", value.len()));
    }
    if value.contains('\0') {
        return Err(format!("{name} holds a NUL character"));
    }
    Ok(())
}

fn bounded(name: &str, value: String, most: usize) -> Result<String, String> {
    text(name, &value, most)?;
    Ok(value)
}

fn within(name: &str, given: Option<u64>, normal: u64, most: u64) -> Result<u64, String> {
    match given {
        None => Ok(normal),
        Some(value) if (1..=most).contains(&value) => Ok(value),
        Some(value) => Err(format!("{name} is {value}; it must be 1 to {most}")),
    }
}

/// Makes the path absolute: `base` is the agent's working folder. The sandbox checks that it stays in the allowed folders, because links can be resolved
/// there.
fn place(base: &str, name: &str, given: Option<String>) -> Result<String, String> {
    let Some(path) = given else {
        return Ok(base.to_owned());
    };
    text(name, &path, PATH_BYTES)?;
    Ok(if path.starts_with('/') {
        path
    } else {
        format!("{base}/{path}")
    })
}
