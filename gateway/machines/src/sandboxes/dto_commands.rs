//! The queries of the lists of commands.

use serde::Deserialize;
use utoipa::IntoParams;

/// Which commands a list shows.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CommandsQuery {
    /// Items per page: 1 to 200, default 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only commands that failed: they ended with another exit code than 0, could not run, or were lost.
    #[serde(default)]
    pub failed: bool,
    /// Only commands that have not ended.
    #[serde(default)]
    pub running: bool,
    /// Only commands that contain this text, in any case.
    #[param(max_length = 200)]
    pub q: Option<String>,
}

/// Which commands of the workspace to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WorkspaceCommandsQuery {
    /// Only commands in the sandboxes of these agents, teams and missions: up to 100 ids, with commas between them. Absent:
    /// of the whole workspace.
    pub owners: Option<String>,
    /// Items per page: 1 to 200, default 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only commands that failed: they ended with another exit code than 0, could not run, or were lost.
    #[serde(default)]
    pub failed: bool,
    /// Only commands that have not ended.
    #[serde(default)]
    pub running: bool,
    /// Only commands that contain this text, in any case.
    #[param(max_length = 200)]
    pub q: Option<String>,
}

impl WorkspaceCommandsQuery {
    /// The owners, and the rest as for one owner.
    pub fn apart(self) -> (Option<String>, CommandsQuery) {
        let Self {
            owners,
            limit,
            cursor,
            failed,
            running,
            q,
        } = self;
        let rest = CommandsQuery {
            limit,
            cursor,
            failed,
            running,
            q,
        };
        (owners, rest)
    }
}
