//! Uploads in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::UploadLimits;
use super::entity::Model;
use super::model::LONGEST_PATH;
use roost_platform::ids::UploadId;

/// Files that a run can begin with.
#[derive(Debug, Serialize, ToSchema)]
pub struct Upload {
    pub id: UploadId,
    pub name: String,
    /// The one commit of its repository. Equal files have equal commits.
    pub commit: String,
    /// Files and links.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
    pub created_at: DateTime<Utc>,
}

impl From<Model> for Upload {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            name: row.name,
            commit: row.commit_id,
            files: u64::try_from(row.files).unwrap_or(0),
            bytes: u64::try_from(row.bytes).unwrap_or(0),
            created_at: row.created_at,
        }
    }
}

/// The limits of an upload.
#[derive(Debug, Serialize, ToSchema)]
pub struct UploadBounds {
    /// Most bytes of the archive.
    pub archive_bytes: u64,
    /// Most bytes of all its files.
    pub unpacked_bytes: u64,
    /// Most files, links and folders.
    pub files: u64,
    /// Most bytes of a path.
    pub path_bytes: u64,
    /// Most bytes of the files of all uploads of the workspace.
    pub workspace_bytes: u64,
}

impl From<UploadLimits> for UploadBounds {
    fn from(limits: UploadLimits) -> Self {
        Self {
            archive_bytes: limits.bytes,
            unpacked_bytes: limits.unpacked,
            files: limits.files,
            path_bytes: LONGEST_PATH as u64,
            workspace_bytes: limits.workspace,
        }
    }
}

/// The name of an upload.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct UploadQuery {
    /// What people call the files, such as the name of their folder.
    #[param(min_length = 1, max_length = 100)]
    pub name: String,
}
