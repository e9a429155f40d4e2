//! The closed list of tools. A new tool is a row here, its input in `input.rs` and its code in the folder of its
//! bundle.

use serde_json::{Value, json};

use super::model::{Bundle, ToolSpec};

/// The deadline of a command without one of its own, in seconds.
pub const SHELL_TIMEOUT_S: u64 = 120;
/// The longest deadline that a command may request, in seconds.
pub const SHELL_MOST_S: u64 = 3600;
/// The maximum number of lines that `read_file` returns.
pub const READ_LINES: u64 = 2000;
/// The largest file that `write_file` writes, in bytes: the content is the stdin of one operation.
pub const WRITE_BYTES: usize = 192 * 1024;
/// The depth of `list_files`: the default and the maximum.
pub const LIST_DEPTH: (u64, u64) = (2, 8);
/// The number of commits that `log` shows: the default and the maximum.
pub const LOG_COMMITS: (u64, u64) = (20, 200);
/// The longest commit message, in bytes.
pub const MESSAGE_BYTES: usize = 16 * 1024;
/// The maximum number of paths in a commit.
pub const COMMIT_PATHS: usize = 200;

fn object(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn path(what: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": what })
}

fn repository() -> Value {
    path("Folder of the repository, under /workspace. Your working folder when absent.")
}

fn tool(
    bundle: Bundle,
    name: &'static str,
    reads_only: bool,
    description: &'static str,
    schema: Value,
) -> ToolSpec {
    ToolSpec {
        name,
        description,
        schema,
        bundle,
        reads_only,
    }
}

/// All tools, by bundle, in the order in which they are shown.
pub fn all() -> Vec<ToolSpec> {
    let mut tools = door();
    tools.extend(skills());
    tools.extend(sandbox());
    tools.extend(repo());
    tools
}

/// The name of the tool that requests an action.
pub const ASK: &str = "door.ask";

/// The name of the tool that runs a command.
pub const SHELL: &str = "shell";

fn door() -> Vec<ToolSpec> {
    vec![
        tool(
            Bundle::Door,
            "door.actions",
            true,
            "Lists the actions outside that you may request: those of your own connections, with the JSON Schema of their \
             parameters.",
            object(&[], json!({})),
        ),
        tool(
            Bundle::Door,
            ASK,
            false,
            "Requests an action outside. A person approves or denies it, which may take hours, and you get the result. Say \
             before the call why you need it: the person reads that. Read door.actions first.",
            object(
                &["action", "params"],
                json!({
                    "action": { "type": "string", "minLength": 1, "maxLength": 100, "description": "A name from door.actions." },
                    "params": { "type": "object", "description": "The parameters, as the action's schema describes them." },
                }),
            ),
        ),
    ]
}

fn skills() -> Vec<ToolSpec> {
    vec![
        tool(
            Bundle::Skills,
            "list_skills",
            true,
            "Lists the skills that you have: their names and what each is for. Read one before you do what it is about.",
            object(&[], json!({})),
        ),
        tool(
            Bundle::Skills,
            "read_skill",
            true,
            "Gives the whole text of one of your skills.",
            object(
                &["name"],
                json!({ "name": { "type": "string", "minLength": 1, "maxLength": 200, "description": "A name from list_skills." } }),
            ),
        ),
    ]
}

fn sandbox() -> Vec<ToolSpec> {
    vec![
        tool(
            Bundle::Sandbox,
            SHELL,
            false,
            "Runs a command in your sandbox with bash and gives its output (stdout and stderr as they came) and its exit \
             code. Each call is a shell of its own in your working folder: folder and variables do not carry over, files do. There \
             is no network. Of long output the end is given; write it to a file to read the rest.",
            object(
                &["command"],
                json!({
                    "command": { "type": "string", "minLength": 1, "maxLength": 60000, "description": "What to run, as one types it into a shell." },
                    "timeout_s": { "type": "integer", "minimum": 1, "maximum": SHELL_MOST_S, "description": "Seconds until the command is killed with all that it started; 120 when absent." },
                    "cwd": path("Folder to run it in; your working folder when absent."),
                }),
            ),
        ),
        tool(
            Bundle::Sandbox,
            "read_file",
            true,
            "Reads a text file of your sandbox, under /workspace or /tmp.",
            object(
                &["path"],
                json!({
                    "path": path("Absolute, or relative to your working folder."),
                    "offset": { "type": "integer", "minimum": 1, "description": "First line to give, counted from 1; 1 when absent." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": READ_LINES, "description": "Most lines to give; 2,000 when absent." },
                }),
            ),
        ),
        tool(
            Bundle::Sandbox,
            "write_file",
            false,
            "Writes a text file of your sandbox, under /workspace or /tmp: makes it with the folders that are missing, or \
             replaces it whole. Others see the old content or the new, never half of it.",
            object(
                &["path", "content"],
                json!({
                    "path": path("Absolute, or relative to your working folder."),
                    "content": { "type": "string", "description": "All that the file is to hold; at most 192 KiB." },
                }),
            ),
        ),
        tool(
            Bundle::Sandbox,
            "list_files",
            true,
            "Lists files and folders of your sandbox with their sizes. What stands in .git is left out.",
            object(
                &[],
                json!({
                    "path": path("Folder, absolute or relative to your working folder; that folder when absent."),
                    "depth": { "type": "integer", "minimum": 1, "maximum": LIST_DEPTH.1, "description": "How many folders deep; 2 when absent." },
                }),
            ),
        ),
    ]
}

fn repo() -> Vec<ToolSpec> {
    vec![
        tool(
            Bundle::Repo,
            "status",
            true,
            "Shows the branch of a git repository and which files differ from its last commit.",
            object(&[], json!({ "path": repository() })),
        ),
        tool(
            Bundle::Repo,
            "diff",
            true,
            "Shows what differs between the files of a git repository and its last commit, files that are new included by \
             name.",
            object(&[], json!({ "path": repository() })),
        ),
        tool(
            Bundle::Repo,
            "commit",
            false,
            "Commits changes of a git repository in your name: these paths, or all that differs. Nothing is pushed.",
            object(
                &["message"],
                json!({
                    "message": { "type": "string", "minLength": 1, "maxLength": MESSAGE_BYTES, "description": "First a line that says what changes, then why." },
                    "paths": { "type": "array", "maxItems": COMMIT_PATHS, "items": { "type": "string", "minLength": 1 }, "description": "Relative to the repository; everything that differs when absent." },
                    "path": repository(),
                }),
            ),
        ),
        tool(
            Bundle::Repo,
            "log",
            true,
            "Shows the latest commits of a git repository: id, date, author, subject.",
            object(
                &[],
                json!({
                    "limit": { "type": "integer", "minimum": 1, "maximum": LOG_COMMITS.1, "description": "How many; 20 when absent." },
                    "path": repository(),
                }),
            ),
        ),
    ]
}
