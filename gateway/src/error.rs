//! Errors on their way out: the one place where a domain's error becomes an HTTP status. Domains know nothing of HTTP;
//! a failure that is ours (5xx) is logged once, where the answer is written (`http/observe.rs`), with its causes.

mod catalogue;
mod tools;
mod work;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};

pub use crate::http::problem::Code;
use crate::http::problem::FieldError;

/// An answer that is not what was asked for: RFC 9457 problem, plus the cause for our log.
#[derive(Debug, Clone)]
pub struct ApiError {
    pub(crate) code: Code,
    pub(crate) detail: Option<String>,
    pub(crate) errors: Vec<FieldError>,
    pub(crate) limit: Option<u64>,
    pub(crate) used: Option<u64>,
    /// Seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// What handlers return.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// An error of a code, with the code's own sentence as detail.
    pub fn new(code: Code) -> Self {
        Self {
            code,
            detail: None,
            errors: Vec::new(),
            limit: None,
            used: None,
            retry_after: None,
            source: None,
        }
    }

    /// Says what is wrong and what to do, in one or two sentences.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Tells the client when to try again, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
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

    /// There is no such thing here, or it is another tenant's: the same answer.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound).detail(format!("There is no such {what} in this workspace."))
    }

    /// A failure of ours; the client learns nothing but the request id.
    pub fn internal(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(Code::Internal).caused_by(source)
    }

    /// Which code it has.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl IntoResponse for ApiError {
    /// The status, with the error in the extensions: the outermost layer writes the body, because it knows the
    /// request's id.
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
        if crate::db::is_disk_full(&error) {
            tracing::error!(%error, "the disk that holds the database is full");
            return Self::new(Code::Unavailable).retry_after(10).detail(
                "The disk that holds the database is full. Nothing was changed; free some space there and try again.",
            );
        }
        Self::internal(error)
    }
}

impl From<crate::domains::workspaces::QuotaError> for ApiError {
    fn from(error: crate::domains::workspaces::QuotaError) -> Self {
        use crate::domains::workspaces::QuotaError as E;
        match error {
            E::Exceeded { kind, limit, used } => Self {
                limit: Some(limit),
                used: Some(used),
                ..Self::new(Code::QuotaExceeded).detail(format!(
                    "The plan of this workspace allows {limit} {}.",
                    kind.in_words()
                ))
            },
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::workspaces::WorkspaceError> for ApiError {
    fn from(error: crate::domains::workspaces::WorkspaceError) -> Self {
        use crate::domains::workspaces::WorkspaceError as E;
        use crate::domains::workspaces::members::model::Refusal;
        match error {
            E::NotFound => Self::not_found("workspace"),
            E::NoMember => Self::not_found("member"),
            E::NoInvitation => Self::not_found("invitation"),
            E::Refused(Refusal::NotAllowed) => Self::new(Code::Forbidden)
                .detail("Only Admins and Owners change or remove other members."),
            E::Refused(Refusal::AboveYou) => Self::new(Code::Forbidden)
                .detail("This needs a role as strong as the one that is given or taken."),
            E::Refused(Refusal::LastOwner) => Self::new(Code::Conflict)
                .detail("This is the last Owner. Make somebody else an Owner first."),
            E::TooManyInvitations { most } => Self::new(Code::Conflict).detail(format!(
                "{most} invitations are open; withdraw some that nobody uses."
            )),
            E::NotConfirmed => Self::validation("confirm", "must be the name of the workspace"),
            E::OnlyOne => Self::new(Code::Conflict).detail(
                "This is your only workspace, and without one you could not sign in. Make another one first.",
            ),
            E::Token(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::auth::AuthError> for ApiError {
    fn from(error: crate::domains::auth::AuthError) -> Self {
        use crate::domains::auth::AuthError as E;
        match error {
            E::InvalidCredentials => Self::new(Code::InvalidCredentials),
            E::TooManyAttempts { retry_after_s } => {
                Self::new(Code::TooManyAttempts).retry_after(retry_after_s)
            }
            E::WrongCurrentPassword => {
                Self::validation("/current", "This is not the present password.")
            }
            E::UnknownSession => Self::not_found("session"),
            E::UnknownWorkspace => Self::not_found("workspace"),
            E::NotForPrograms => Self::new(Code::Forbidden)
                .detail("A program's token may not do this; sign in as a person."),
            E::TokenOfIssuer => Self::new(Code::Conflict).detail(
                "The request carries a token of the issuer and no session of this gateway: it ends by itself, or at the issuer.",
            ),
            E::KeptByTheIssuer => Self::new(Code::Forbidden)
                .detail("You sign in by your organisation's identity provider; your password is kept there."),
            E::LivesTooLong { most_days } => Self::validation(
                "/expires_in_days",
                format!("must be at most {most_days}, the longest that any session lives"),
            ),
            E::UnknownCode => Self::new(Code::SignInUnknown),
            E::UnknownInvitation => Self::new(Code::InvitationUnknown),
            E::ForSomebodyElse => Self::new(Code::Forbidden)
                .detail("The invitation is for another e-mail address; ask for one of your own."),
            E::MemberAlready => Self::new(Code::Conflict)
                .detail("You are a member of this workspace already; the invitation is still good for somebody else."),
            E::NoWorkspace => Self::new(Code::Forbidden)
                .detail("You are not a member of any workspace; ask an Owner to invite you."),
            E::Hashing(_) | E::Randomness(_) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::auth::hosted::HostedError> for ApiError {
    fn from(error: crate::domains::auth::hosted::HostedError) -> Self {
        use crate::domains::auth::hosted::HostedError as E;
        use crate::domains::auth::hosted::model::Stop;
        match error {
            E::Off => Self::new(Code::Unauthenticated).detail(
                "The bearer has the form of an issuer's token, and no issuer is configured here (`auth.mode`).",
            ),
            E::NoSignIn => Self::new(Code::NotFound).detail(
                "Nobody signs in by an identity provider here: that needs `auth.mode`, `auth.issuer_url` and `auth.client_id`.",
            ),
            E::Refused(why) => Self::new(Code::Unauthenticated)
                .detail(format!("The token was not taken: {why}.")),
            E::Stopped(Stop::EmailNotVerified) => Self::new(Code::EmailNotVerified),
            E::Stopped(Stop::NotLinked) => Self::new(Code::AccountNotLinked),
            E::Stopped(Stop::NotAdmitted) => Self::new(Code::NotAdmitted),
            E::NotNow { retry_after_s } => {
                Self::new(Code::IssuerUnavailable).retry_after(retry_after_s)
            }
            E::Unreachable(_) | E::AnotherIssuer { .. } | E::NoKeys | E::Lacks(_) => {
                Self::new(Code::IssuerUnavailable).retry_after(5).caused_by(error)
            }
            E::UnknownSignIn => Self::new(Code::SignInUnknown),
            E::RefusedByIssuer(why) => Self::new(Code::Forbidden)
                .detail(format!("The identity provider did not sign you in: {why}.")),
            E::Session(error) => (*error).into(),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::fleet::FleetError> for ApiError {
    fn from(error: crate::domains::fleet::FleetError) -> Self {
        use crate::domains::fleet::FleetError as E;
        match error {
            E::NotFound => Self::not_found("node"),
            E::JoinCodeUnknown => Self::new(Code::JoinCodeUnknown)
                .detail("The join code is unknown or older than ten minutes; make a new one on the fleet page."),
            E::JoinCodeUsed => Self::new(Code::JoinCodeUsed)
                .detail("The join code was used by another machine; make a new one on the fleet page."),
            E::TokenTaken => Self::new(Code::Conflict).detail(
                "This token belongs to another machine: remove the daemon's state (`roostd leave`) and join again.",
            ),
            E::Operation(error) => error.into(),
            E::Refused(why) => Self::new(Code::Unavailable).detail(format!("The machine did not do it: {why}")),
            E::NoAnswer(_) => Self::new(Code::NoAnswer).caused_by(error),
            E::Start(_) | E::Randomness(_) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::operations::OperationsError> for ApiError {
    fn from(error: crate::operations::OperationsError) -> Self {
        use crate::operations::OperationsError as E;
        match error {
            E::UnknownNode(_) => Self::not_found("node"),
            E::UnknownOperation(_) => Self::not_found("operation"),
            E::NodeOffline(_) => Self::new(Code::NodeOffline).detail(
                "The machine is not connected. See that it is on and that `roostd` runs there, then try again.",
            ),
            E::NodeDraining(_) => Self::new(Code::NodeDraining)
                .detail("The machine is draining and takes no new sandboxes; undrain it or choose another."),
            E::HeldElsewhere(_) => Self::new(Code::NodeHeldElsewhere)
                .detail("Another gateway holds this machine's connection; try again.")
                .retry_after(1),
            E::LocalOff => Self::new(Code::EngineUnavailable).detail(
                "Sandboxes on the gateway's own host are switched off (`sandboxes.local`); choose a machine.",
            ),
            E::Over(_) => Self::new(Code::Conflict)
                .detail("The operation has ended; nothing can be said to it any more."),
            E::Invalid(invalid) => Self::validations(
                invalid
                    .faults
                    .into_iter()
                    .map(|fault| FieldError { pointer: fault.pointer, detail: fault.detail })
                    .collect(),
            ),
            E::Busy { most } => Self::new(Code::Unavailable)
                .detail(format!("{most} operations are under way there; try again when some have ended."))
                .retry_after(1),
            E::StdinOffset { expected } => Self::new(Code::Conflict)
                .detail(format!("Stdin stands at offset {expected}; continue there.")),
            E::TooSlow { ref id, .. } => {
                let detail = format!("The machine did not answer in time; operation {id} goes on.");
                Self::new(Code::NoAnswer).detail(detail).caused_by(error)
            }
            E::NoAnswer(_) => Self::new(Code::NoAnswer).caused_by(error),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::claws::ClawError> for ApiError {
    fn from(error: crate::domains::claws::ClawError) -> Self {
        use crate::domains::claws::ClawError as E;
        use crate::domains::claws::avatar::PictureError;
        match error {
            E::NotFound => Self::not_found("claw"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The claw has version {current} by now; read it again and repeat your change."
            )),
            E::BrainMoved { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The brain has version {current} by now: somebody wrote it since. Compare the two, then write over that version."
            )),
            E::NoBrainVersion => Self::not_found("version of the brain"),
            E::Picture(PictureError::Failed(error)) => Self::internal(error),
            E::Picture(error) => Self::validation("", error.to_string()),
            E::BeingPurged => Self::new(Code::Conflict)
                .detail("The claw is being purged; nothing about it can be changed any more."),
            E::Quota(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::apps::AppError> for ApiError {
    fn from(error: crate::domains::apps::AppError) -> Self {
        use crate::domains::apps::AppError as E;
        match error {
            E::NoClaw => Self::not_found("claw"),
            E::NotFound => Self::not_found("connection"),
            E::NoSignIn => Self::new(Code::NotFound).detail(
                "There is no such sign-in: it was ended already, or it took longer than ten minutes. Begin again.",
            ),
            E::NotPossible(why) => Self::new(Code::Conflict).detail(why),
            E::BadIssuer(ref cause) => Self::validation("/issuerUrl", cause.to_string()),
            E::BadWebhook(ref cause) => Self::validation("/url", cause.to_string()),
            E::NotKept(ref broker) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the token, so nothing was connected: {fault}"),
                    None => "The secret broker does not answer, so nothing was connected. Its operator sees why with `roost doctor`; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::TooManyBegun => Self::new(Code::TooManyAttempts).retry_after(60).detail(
                "You began many sign-ins that were not ended. End one of them, or wait until they lapse.",
            ),
            E::Db(error) => error.into(),
            // No detail, as specified: the causes are in our log.
            E::Discovery(_) | E::Metadata(_) | E::Broker(_) | E::Name(_) | E::TooLate => {
                Self::internal(error)
            }
        }
    }
}

impl From<crate::domains::doors::DoorError> for ApiError {
    fn from(error: crate::domains::doors::DoorError) -> Self {
        use crate::domains::doors::DoorError as E;
        match error {
            E::NotFound => Self::not_found("door"),
            E::NoClaw => Self::not_found("claw"),
            E::NoAction => Self::validation(
                "/action",
                "is not in the catalogue; GET /api/doors/catalogue lists what may be asked for",
            ),
            E::BadParams(errors) => Self::validations(errors),
            E::NotConnected(provider) => Self::new(Code::Conflict).detail(format!(
                "The agent is not connected to {provider}. Connect it on the agent's page, then ask again."
            )),
            E::TooMany { most } => Self::new(Code::TooManyAttempts).retry_after(60).detail(format!(
                "{most} requests wait for a decision already. Decide some of them first."
            )),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::sandboxes::SandboxError> for ApiError {
    fn from(error: crate::domains::sandboxes::SandboxError) -> Self {
        use crate::domains::sandboxes::SandboxError as E;
        match error {
            E::NoClaw => Self::not_found("claw"),
            E::NoNode => Self::not_found("node"),
            E::NoMachine => Self::validation("/node_id", E::NO_MACHINE),
            E::NoOperation => Self::not_found("command"),
            E::NoSandbox => Self::new(Code::NoSandbox)
                .detail("The agent has no sandbox; make one with POST /api/claws/{id}/sandbox."),
            E::NotRunning(state) => Self::new(Code::Conflict)
                .detail(format!("The sandbox is {state}, so nothing can be done in it now.")),
            E::Lost => Self::new(Code::SandboxLost).detail(
                "The machine that had this sandbox is gone. Make a new one; a stored workspace comes back where it lies.",
            ),
            E::Quota(error) => error.into(),
            E::Refused(refused) => refusal(&refused),
            E::TooSlow => Self::new(Code::NoAnswer)
                .detail("The machine works on it still; look at it again, nothing has to be repeated."),
            E::Operations(error) => error.into(),
            E::Start(error) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::repos::RepoError> for ApiError {
    fn from(error: crate::domains::repos::RepoError) -> Self {
        use crate::domains::repos::RepoError as E;
        match error {
            E::NoConnection => Self::not_found("connection"),
            E::NoRepo => Self::not_found("repository"),
            E::NoMirror => Self::not_found("mirror"),
            E::TooManyMirrors { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} mirrors, the most that it may have. Remove one that nobody needs."
            )),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} connections, the most that it may have. Remove one that nobody needs."
            )),
            E::TooSlow => Self::new(Code::Unavailable)
                .detail("Storing the token took too long, so nothing was connected. Try again.")
                .retry_after(1),
            E::Broker(ref broker) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the token: {fault}"),
                    None => "The secret broker does not answer, so nothing was connected. Its operator sees why in the log; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::mesh::MeshError> for ApiError {
    fn from(error: crate::domains::mesh::MeshError) -> Self {
        use crate::domains::mesh::MeshError as E;
        match error {
            E::None => Self::not_found("mesh network"),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::TooSlow => Self::new(Code::Unavailable)
                .detail("Storing the key took too long, so nothing was connected. Try again.")
                .retry_after(1),
            E::Refused(refusal) => {
                let code = match refusal.lasting {
                    true => Code::RemoteRefused,
                    false => Code::RemoteUnavailable,
                };
                let answer = Self::new(code).detail(refusal.detail);
                match refusal.retry_after {
                    Some(seconds) => answer.retry_after(seconds),
                    None => answer,
                }
            }
            E::Broker(_) => Self::new(Code::Unavailable)
                .detail("The secret broker did not take the key, so nothing was connected. Its operator sees why in the log; try again.")
                .caused_by(error),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::models::ModelsError> for ApiError {
    fn from(error: crate::domains::models::ModelsError) -> Self {
        use crate::domains::models::ModelsError as E;
        match error {
            E::None => Self::not_found("model"),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::Taken { name } => Self::new(Code::Conflict).detail(format!(
                "There is already a model {name} in this workspace. Change that one, or delete it first."
            )),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} models, the most that it may have. Remove one that nobody needs."
            )),
            E::NotBound { .. } => Self::new(Code::Conflict).detail(error.to_string()),
            E::TooSlow => Self::new(Code::Unavailable)
                .detail("Storing the key took too long, so nothing was changed. Try again.")
                .retry_after(1),
            E::Broker(ref broker) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the key: {fault}"),
                    None => "The secret broker does not answer, so nothing was changed. Its operator sees why in the log; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::Db(error) => error.into(),
        }
    }
}

/// What a machine answered, with its own sentence: it says what to do.
fn refusal(refused: &roost_protocol::report::OperationError) -> ApiError {
    use roost_protocol::report::ErrorKind as K;
    let code = match refused.kind {
        K::EngineUnavailable | K::EngineRefused => Code::EngineUnavailable,
        K::ImageMissing => Code::ImageMissing,
        K::Invalid | K::Unsupported => return ApiError::validation("", refused.detail.clone()),
        K::NoSandbox => Code::NoSandbox,
        K::Draining => Code::NodeDraining,
        K::Busy | K::DiskFull | K::Paused | K::OwnerPolicy | K::Interrupted => Code::Unavailable,
        _ => Code::Conflict,
    };
    ApiError::new(code).detail(refused.detail.clone())
}
