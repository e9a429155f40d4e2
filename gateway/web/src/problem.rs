//! The closed list of error codes and the problem document that clients read (RFC 9457).

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

macro_rules! codes {
    ($($variant:ident, $slug:literal, $status:ident, $title:literal;)+) => {
        /// All error codes. Each has a page at `/problems/{code}`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Code { $($variant,)+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The stable, kebab-case name.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// Its HTTP status.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)+ }
            }

            /// A short sentence, the same for each occurrence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// The page for people, in Markdown.
            pub const fn page(self) -> &'static str {
                match self { $(Self::$variant => include_str!(concat!("problems/", $slug, ".md")),)+ }
            }
        }
    };
}

codes! {
    Validation, "validation", BAD_REQUEST, "The request is not valid";
    Unauthenticated, "unauthenticated", UNAUTHORIZED, "Sign in first";
    InvalidCredentials, "invalid-credentials", UNAUTHORIZED, "These credentials are not valid";
    QuotaExceeded, "quota-exceeded", PAYMENT_REQUIRED, "The plan's limit is reached";
    Forbidden, "forbidden", FORBIDDEN, "Your role does not allow this";
    ChaosOff, "chaos-off", FORBIDDEN, "This gateway does not allow faults to be injected";
    NotAdmitted, "not-admitted", FORBIDDEN, "Nobody has let you in here yet";
    NotFound, "not-found", NOT_FOUND, "There is no such thing";
    MethodNotAllowed, "method-not-allowed", METHOD_NOT_ALLOWED, "This route has no such method";
    Conflict, "conflict", CONFLICT, "This conflicts with the present state";
    EmailNotVerified, "email-not-verified", CONFLICT, "The identity provider has not verified this e-mail";
    AccountNotLinked, "account-not-linked", CONFLICT, "The account with this e-mail is not linked to this identity";
    AlreadyAnswered, "already-answered", CONFLICT, "This request was answered before";
    NameTaken, "name-taken", CONFLICT, "The name is taken";
    BuiltinName, "builtin-name", CONFLICT, "A built-in skill has this name";
    ProposalOutdated, "proposal-outdated", CONFLICT, "A part of the proposal does not fit any more";
    IdempotencyMismatch, "idempotency-mismatch", CONFLICT, "The idempotency key was used for another request";
    NodeOffline, "node-offline", CONFLICT, "The node is not connected";
    NodeDraining, "node-draining", CONFLICT, "The node is draining";
    NoSandbox, "no-sandbox", CONFLICT, "The agent has no sandbox";
    SandboxLacks, "sandbox-lacks", CONFLICT, "The sandboxes would lack something";
    SandboxLost, "sandbox-lost", CONFLICT, "The sandbox is gone";
    FilesStay, "files-stay", FORBIDDEN, "The files of this workspace stay on their machines";
    JoinCodeUnknown, "join-code-unknown", NOT_FOUND, "The join code is unknown or has expired";
    SignInUnknown, "sign-in-unknown", NOT_FOUND, "This sign-in is not good any more";
    InvitationUnknown, "invitation-unknown", NOT_FOUND, "The invitation is not good any more";
    JoinCodeUsed, "join-code-used", CONFLICT, "The join code was used by another machine";
    NotRestartable, "not-restartable", CONFLICT, "This actor cannot be restarted";
    PreconditionFailed, "precondition-failed", PRECONDITION_FAILED, "The resource has changed";
    MissionHasNoTeam, "mission-has-no-team", PRECONDITION_FAILED, "The mission names no team";
    MissionHasNoRepo, "mission-has-no-repo", PRECONDITION_FAILED, "The mission has no repository";
    PayloadTooLarge, "payload-too-large", PAYLOAD_TOO_LARGE, "The body is too large";
    UriTooLong, "uri-too-long", URI_TOO_LONG, "The address is too long";
    ChunkInvalid, "chunk-invalid", UNPROCESSABLE_ENTITY, "The chunk is not what its address says";
    UnsupportedMediaType, "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body's media type is not taken here";
    TooManyAttempts, "too-many-attempts", TOO_MANY_REQUESTS, "Too many attempts";
    TooManyStreams, "too-many-streams", TOO_MANY_REQUESTS, "Too many open streams";
    TooManyCommands, "too-many-commands", TOO_MANY_REQUESTS, "Too many commands";
    Internal, "internal", INTERNAL_SERVER_ERROR, "Something failed on our side";
    ModelAnswerInvalid, "model-answer-invalid", BAD_GATEWAY, "The model's answer cannot be used";
    EngineUnavailable, "engine-unavailable", SERVICE_UNAVAILABLE, "The container engine does not answer";
    NodeHeldElsewhere, "node-held-elsewhere", SERVICE_UNAVAILABLE, "Another gateway holds this node's connection";
    IssuerUnavailable, "issuer-unavailable", SERVICE_UNAVAILABLE, "The identity provider does not answer as it should";
    ImageMissing, "image-missing", SERVICE_UNAVAILABLE, "The agent image is not there";
    RemoteRefused, "remote-refused", CONFLICT, "The other service refuses";
    RemoteUnavailable, "remote-unavailable", SERVICE_UNAVAILABLE, "The other service does not answer";
    Unavailable, "unavailable", SERVICE_UNAVAILABLE, "The service cannot answer just now";
    NoAnswer, "no-answer", GATEWAY_TIMEOUT, "No answer in time";
}

impl Code {
    /// Finds a code by its name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.slug() == slug)
    }
}

/// One wrong field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer into the body (`/limits/pids`), or the name of a query parameter or header.
    pub pointer: String,
    /// What is wrong and what is allowed.
    pub detail: String,
}

/// The body of every error answer, `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// `/problems/<code>`, the address of a readable page.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    pub code: Code,
    /// The value of the header `x-request-id`. The gateway's log has it too.
    pub request_id: String,
    /// The first wrong field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// How many units the limit lacks for the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
}

impl Problem {
    /// The client's view of an error. A server error (500) shows no detail.
    pub fn of(error: &crate::error::ApiError, request_id: &str) -> Self {
        let code = error.code;
        let first = error.errors.first();
        let quota = error.quota.as_deref().copied().unwrap_or_default();
        let detail = match (&error.detail, first) {
            _ if code == Code::Internal => {
                "The gateway logged the cause with this request's id and shows no more here."
                    .to_owned()
            }
            (Some(detail), _) => detail.clone(),
            // The empty pointer is the whole request, which needs no name.
            (None, Some(field)) if field.pointer.is_empty() => field.detail.clone(),
            (None, Some(field)) => format!("{}: {}", field.pointer, field.detail),
            (None, None) => format!("{}.", code.title()),
        };
        Self {
            kind: format!("/problems/{}", code.slug()),
            title: code.title().to_owned(),
            status: code.status().as_u16(),
            detail,
            code,
            request_id: request_id.to_owned(),
            pointer: first.map(|f| f.pointer.clone()),
            errors: error.errors.clone(),
            limit: quota.limit,
            used: quota.used,
            missing: quota.missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_called_on_the_wire_as_its_page_and_has_one_that_says_what_to_do() {
        for code in Code::ALL {
            let wire = serde_json::to_value(code).expect("a unit variant serialises");
            assert_eq!(wire, code.slug());
            assert_eq!(Code::from_slug(code.slug()), Some(*code));
            assert!(code.page().starts_with("# "), "{}", code.slug());
            assert!(code.page().contains("## What to do"), "{}", code.slug());
            assert!(code.status().is_client_error() || code.status().is_server_error());
        }
    }

    #[test]
    fn a_mistake_in_the_whole_request_has_a_detail_without_a_pointer() {
        let detail = |pointer: &str| {
            let error = crate::error::ApiError::validation(pointer, "must be UTF-8");
            Problem::of(&error, "r").detail
        };
        assert_eq!(detail(""), "must be UTF-8");
        assert_eq!(detail("/name"), "/name: must be UTF-8");
    }

    #[test]
    fn a_failure_of_ours_shows_the_client_nothing_of_its_cause() {
        let error = crate::error::ApiError::internal(std::io::Error::other("secret path"))
            .detail("also secret");
        let shown = serde_json::to_string(&Problem::of(&error, "r")).expect("encodes");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
