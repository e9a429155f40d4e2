//! A record's name, how its secret is put into a request, and where the secret may go.

use serde::{Deserialize, Serialize};

/// The tenant of records of the deployment, such as the client's secret at its own issuer.
pub const DEPLOYMENT: &str = "deployment";

/// Prefix of sign-in names; the state follows.
const SIGN_IN: &str = "sign-in/";

/// A record's tenant and connection. Both are bound into its seal: the record does not open under another name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct RecordName {
    tenant: String,
    connection: String,
}

#[derive(Deserialize)]
struct Unchecked {
    tenant: String,
    connection: String,
}

/// An invalid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {part} of a record's name is 1 to {most} letters, digits and `. _ : / -`, begins with a letter or digit and has no `..`",
    most = RecordName::MOST
)]
pub struct BadName {
    part: &'static str,
}

impl RecordName {
    /// Longest part.
    pub const MOST: usize = 200;

    /// A checked name.
    ///
    /// # Errors
    /// [`BadName`], which says what is allowed.
    pub fn new(tenant: impl Into<String>, connection: impl Into<String>) -> Result<Self, BadName> {
        let (tenant, connection) = (tenant.into(), connection.into());
        if !is_fine(&tenant) {
            return Err(BadName { part: "tenant" });
        }
        if !is_fine(&connection) {
            return Err(BadName { part: "connection" });
        }
        Ok(Self { tenant, connection })
    }

    /// The name of a sign-in under way. These names are the broker's own, and clients cannot store under them.
    ///
    /// # Errors
    /// [`BadName`].
    pub fn of_sign_in(tenant: impl Into<String>, state: &str) -> Result<Self, BadName> {
        Self::new(tenant, format!("{SIGN_IN}{state}"))
    }

    /// Whether this is the name of a sign-in.
    pub fn is_sign_in(&self) -> bool {
        self.connection.starts_with(SIGN_IN)
    }

    /// The workspace.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The connection inside the workspace.
    pub fn connection(&self) -> &str {
        &self.connection
    }
}

impl std::fmt::Display for RecordName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.connection, self.tenant)
    }
}

impl TryFrom<Unchecked> for RecordName {
    type Error = BadName;
    fn try_from(name: Unchecked) -> Result<Self, BadName> {
        Self::new(name.tenant, name.connection)
    }
}

fn is_fine(part: &str) -> bool {
    let first = part
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    first
        && part.len() <= RecordName::MOST
        && !part.contains("..")
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte))
}

/// How the secret is put into a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inject {
    /// `Authorization: Bearer <secret>`
    Bearer,
    /// A separate header, after a prefix such as `token `.
    Header { name: String, prefix: String },
    /// `Authorization: Basic` with this user and the secret as password.
    Basic { user: String },
    /// In the query, for remotes that accept it nowhere else.
    Query { name: String },
    /// Never: the broker uses it itself, as a client's secret at a token endpoint.
    Never,
}

/// One kind of request for which a secret may be used. Without an entry nothing is allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allow {
    /// Exact scheme, host and port, such as `https://api.github.com`.
    pub origin: String,
    /// For example `GET`; an empty list allows nothing.
    pub methods: Vec<String>,
    /// Compared by whole segments: `/repos` covers `/repos` and `/repos/x`, not `/repository`. A segment `*` covers any
    /// one segment: `/repos/*/*/pulls` covers `/repos/a/b/pulls`.
    pub path_prefix: String,
}

/// What a record is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// Stored as given: a personal token, a key, a client's secret.
    Static,
    /// From an OAuth exchange; may have a refresh token.
    OAuth,
    /// A sign-in under way: holds the PKCE verifier.
    SignIn,
}

/// Whether the record can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordState {
    Ready,
    /// The remote revoked its grant.
    NeedsReauth,
}

/// Everything about a record that clients may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    pub name: RecordName,
    pub kind: RecordKind,
    pub state: RecordState,
    pub inject: Inject,
    pub allow: Vec<Allow>,
    /// Number of writes of this name.
    pub generation: u64,
    /// Unix milliseconds.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// When the access token expires, if its issuer reports it.
    pub expires_ms: Option<i64>,
    /// Whether it can be renewed without a person.
    pub renewable: bool,
    pub scope: Option<String>,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("w1", "agent-1/github_oauth_token", true)]
    #[case("w1", "../../x", false)]
    #[case("w1", "a/../b", false)]
    #[case("", "a", false)]
    #[case("w 1", "a", false)]
    #[case("w1", "a\u{0}b", false)]
    #[case("/etc", "a", false)]
    fn names_are_also_checked_when_decoded(
        #[case] tenant: &str,
        #[case] connection: &str,
        #[case] fine: bool,
    ) {
        assert_eq!(RecordName::new(tenant, connection).is_ok(), fine);
        let json = serde_json::json!({ "tenant": tenant, "connection": connection });
        assert_eq!(serde_json::from_value::<RecordName>(json).is_ok(), fine);
    }
}
