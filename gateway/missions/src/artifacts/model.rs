//! The words of artifacts. Pure code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The kind of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MissionArtifactKind)]
pub enum ArtifactKind {
    Markdown,
    Pdf,
    Benchmark,
    Security,
    Diff,
}

impl ArtifactKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Markdown,
        Self::Pdf,
        Self::Benchmark,
        Self::Security,
        Self::Diff,
    ];

    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Pdf => "pdf",
            Self::Benchmark => "benchmark",
            Self::Security => "security",
            Self::Diff => "diff",
        }
    }

    /// Parses the stored value. An unknown kind is shown as text.
    pub fn from_stored(word: &str) -> Self {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        found.unwrap_or(Self::Markdown)
    }

    /// The media type of its content.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Pdf => "application/pdf",
            Self::Benchmark | Self::Security => "application/json",
            Self::Diff => "text/x-diff; charset=utf-8",
        }
    }

    /// The end of its file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Pdf => "pdf",
            Self::Benchmark | Self::Security => "json",
            Self::Diff => "diff",
        }
    }
}

/// The status of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MissionArtifactStatus)]
pub enum ArtifactStatus {
    /// A worker has to make it.
    Pending,
    Ready,
    /// It could not be made. `error` says why.
    Failed,
}

impl ArtifactStatus {
    /// The stored value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    /// Parses the stored value.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "pending" => Self::Pending,
            "ready" => Self::Ready,
            _ => Self::Failed,
        }
    }
}
