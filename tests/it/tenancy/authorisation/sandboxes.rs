//! The cases of sandboxes and their files. Agents and teams have the same routes.

use super::Case;
use super::Least::Role;

macro_rules! cases_of {
    ($kind:literal) => {
        &[
            (
                concat!("GET /api/", $kind, "/{id}/sandbox"),
                Role("viewer"),
                "",
            ),
            (
                concat!("GET /api/", $kind, "/{id}/sandbox/commands"),
                Role("viewer"),
                "",
            ),
            (
                concat!("GET /api/", $kind, "/{id}/snapshots"),
                Role("viewer"),
                "",
            ),
            (
                concat!("GET /api/", $kind, "/{id}/snapshots/{snapshot}/files"),
                Role("viewer"),
                "",
            ),
            (
                concat!("GET /api/", $kind, "/{id}/snapshots/{snapshot}/file?path=a"),
                Role("member"),
                "",
            ),
            (
                concat!("GET /api/", $kind, "/{id}/snapshots/{snapshot}/archive"),
                Role("member"),
                "",
            ),
            (
                concat!(
                    "GET /api/",
                    $kind,
                    "/{id}/snapshots/{snapshot}/diff?before=00000000-0000-0000-0000-000000000000"
                ),
                Role("viewer"),
                "",
            ),
            (
                concat!("POST /api/", $kind, "/{id}/sandbox"),
                Role("member"),
                "{}",
            ),
            (
                concat!("DELETE /api/", $kind, "/{id}/sandbox"),
                Role("member"),
                "",
            ),
            (
                concat!("POST /api/", $kind, "/{id}/sandbox/files"),
                Role("member"),
                "",
            ),
            (
                concat!("POST /api/", $kind, "/{id}/sandbox/exec"),
                Role("member"),
                r#"{"argv":["true"]}"#,
            ),
            (
                concat!("GET /api/", $kind, "/{id}/sandbox/exec/{operation_id}"),
                Role("viewer"),
                "",
            ),
            (
                concat!("DELETE /api/", $kind, "/{id}/sandbox/exec/{operation_id}"),
                Role("member"),
                "",
            ),
            (
                concat!(
                    "POST /api/",
                    $kind,
                    "/{id}/sandbox/exec/{operation_id}/stdin?offset=0"
                ),
                Role("member"),
                "",
            ),
            (
                concat!(
                    "POST /api/",
                    $kind,
                    "/{id}/sandbox/exec/{operation_id}/resize"
                ),
                Role("member"),
                r#"{"rows":24,"cols":80}"#,
            ),
        ]
    };
}

/// Who may call what of an agent.
pub const OF_AGENTS: &[Case] = cases_of!("claws");
/// Who may call what of a team.
pub const OF_TEAMS: &[Case] = cases_of!("teams");
/// Who may call what of a mission.
pub const OF_MISSIONS: &[Case] = cases_of!("missions");
