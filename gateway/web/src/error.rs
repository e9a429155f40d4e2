//! An error that leaves the gateway. Each domain maps its own error to one of these, in its `error.rs`.
//! `web/observe.rs` writes the answer, and logs a server error (5xx) once, with its causes.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use roost_protocol::validate::Invalid;

pub use crate::problem::Code;
use crate::problem::FieldError;

/// An error answer: an RFC 9457 problem, plus the cause for the log.
#[derive(Debug, Clone)]
pub struct ApiError {
    pub(crate) code: Code,
    pub detail: Option<String>,
    pub errors: Vec<FieldError>,
    /// In a box: few errors are about a limit, and every handler returns an error of this size.
    pub(crate) quota: Option<Box<Quota>>,
    /// Seconds.
    pub(crate) retry_after: Option<u64>,
    pub source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The limit that refused a request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quota {
    pub(crate) limit: Option<u64>,
    pub(crate) used: Option<u64>,
    /// How many units the limit lacks for the request.
    pub(crate) missing: Option<u64>,
}

/// The return type of handlers.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// An error of a code, with the code's own sentence as detail.
    pub fn new(code: Code) -> Self {
        Self {
            code,
            detail: None,
            errors: Vec::new(),
            quota: None,
            retry_after: None,
            source: None,
        }
    }

    /// Sets what is wrong and what to do, in one or two sentences.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// What people read about it where no problem document is sent: the detail and what is wrong with each field, else the
    /// title of its code.
    pub fn detail_text(&self) -> String {
        let fields = self.errors.iter().map(|field| field.detail.clone());
        let parts: Vec<String> = self.detail.clone().into_iter().chain(fields).collect();
        match parts.is_empty() {
            true => format!("{}.", self.code.title()),
            false => parts.join(" "),
        }
    }

    /// Sets when the client may try again, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Sets the limit that refused the request, and the current use.
    #[must_use]
    pub fn limit(mut self, limit: u64, used: u64) -> Self {
        let quota = self.quota.get_or_insert_default();
        (quota.limit, quota.used) = (Some(limit), Some(used));
        self
    }

    /// Sets how many units the limit lacks for the request.
    #[must_use]
    pub fn missing(mut self, missing: u64) -> Self {
        self.quota.get_or_insert_default().missing = Some(missing);
        self
    }

    /// Keeps the cause for the log. It is never shown to the client.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// A field is wrong. `pointer` is a JSON pointer into the body, or the name of a query parameter.
    pub fn validation(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::validations(vec![FieldError {
            pointer: pointer.into(),
            detail: detail.into(),
        }])
    }

    /// Several fields are wrong.
    pub fn validations(errors: Vec<FieldError>) -> Self {
        Self {
            errors,
            ..Self::new(Code::Validation)
        }
    }

    /// The thing does not exist here, or it belongs to another tenant: both get the same answer.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound).detail(match what {
            // A workspace is not inside a workspace, so it needs another text.
            "workspace" => "There is no such workspace, or you do not belong to it.".to_owned(),
            _ => format!("There is no such {what} in this workspace."),
        })
    }

    /// Another agent of the workspace has this name; `pointer` points to the name in the body.
    pub fn name_taken(pointer: impl Into<String>, name: &str) -> Self {
        let detail = format!("Another agent is called {name}. Choose another name.");
        Self {
            errors: vec![FieldError {
                pointer: pointer.into(),
                detail: detail.clone(),
            }],
            ..Self::new(Code::NameTaken).detail(detail)
        }
    }

    /// 402 with the limit and the current use.
    pub fn over_quota(limit: u64, used: u64, detail: String) -> Self {
        Self::new(Code::QuotaExceeded)
            .detail(detail)
            .limit(limit, used)
    }

    /// A server error. The client learns only the request id.
    pub fn internal(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(Code::Internal).caused_by(source)
    }

    /// Its error code.
    pub fn code(&self) -> Code {
        self.code
    }
}

/// A request that the protocol refuses: each fault has its field.
impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        let faults = invalid.faults.into_iter();
        Self::validations(
            faults
                .map(|fault| FieldError {
                    pointer: fault.pointer,
                    detail: fault.detail,
                })
                .collect(),
        )
    }
}

impl IntoResponse for ApiError {
    /// The status, with the error in the response's extensions. The outermost layer writes the body, because it knows
    /// the request's id.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(http::header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<sea_orm::DbErr> for ApiError {
    fn from(error: sea_orm::DbErr) -> Self {
        if roost_platform::db::is_disk_full(&error) {
            tracing::error!(%error, "the disk that holds the database is full");
            return Self::new(Code::Unavailable).retry_after(10).detail(
                "The disk that holds the database is full. Nothing was changed; free some space there and try again.",
            );
        }
        Self::internal(error)
    }
}
