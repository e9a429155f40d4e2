//! What can go wrong when a person or a program signs in.

use super::Verb;
use roost_web::error::{ApiError, Code};

/// Errors of signing in and of sessions.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// Unknown account, wrong password, or a one-time login that is unknown, used or expired. The answer does not tell
    /// which.
    #[error("invalid credentials")]
    InvalidCredentials,
    /// Too many failures for this account or from this address.
    #[error("too many attempts, wait {retry_after_s} s")]
    TooManyAttempts { retry_after_s: u64 },
    /// A new password needs the present one, and it did not match.
    #[error("the current password is wrong")]
    WrongCurrentPassword,
    /// The present password is needed, and it did not match.
    #[error("the password is wrong")]
    WrongPassword,
    /// Another account has the address.
    #[error("the address is taken")]
    AddressTaken,
    /// The issuer gives the address of a person that signs in there.
    #[error("the address comes from the issuer")]
    AddressOfIssuer,
    /// The link of a new address is unknown, used or expired.
    #[error("unknown link")]
    UnknownAddressLink,
    /// The Owner of the deployment has a password.
    #[error("the deployment is set up")]
    SetUpAlready,
    /// The user has no such session.
    #[error("unknown session")]
    UnknownSession,
    /// Programs' tokens may not create what would outlive them.
    #[error("a program's token may not do this")]
    NotForPrograms,
    /// A token of the issuer has no session here: it ends by itself, or at the issuer.
    #[error("the request has a token of the issuer")]
    TokenOfIssuer,
    /// A person that signs in by the issuer has no password here.
    #[error("the issuer manages the sign-in")]
    KeptByTheIssuer,
    /// A token may not live longer than any session.
    #[error("a token may live for {most_days} days at most")]
    LivesTooLong { most_days: u64 },
    /// A token's scope that its person's role does not have.
    #[error("the role does not allow {verb:?}")]
    ScopeBeyondRole { verb: Verb },
    /// The person has the most programs' tokens that are allowed.
    #[error("the user already has {most} tokens")]
    TooManyTokens { most: u64 },
    /// The workspace does not exist, or the caller is not a member of it.
    #[error("unknown workspace")]
    UnknownWorkspace,
    /// Unknown, used, withdrawn or expired. The answer does not tell which.
    #[error("unknown invitation")]
    UnknownInvitation,
    /// A terminal's code or secret that is unknown, used or expired. The answer does not tell which.
    #[error("unknown code")]
    UnknownCode,
    /// The invitation names an e-mail, and another person accepts it.
    #[error("the invitation is for another e-mail")]
    ForSomebodyElse,
    /// It would create an account with an operator's address.
    #[error("the address belongs to an operator")]
    OperatorsAddress,
    /// The person belongs to the workspace already.
    #[error("the user is already a member")]
    MemberAlready,
    /// The user exists but belongs to no workspace.
    #[error("the user is not a member of any workspace")]
    NoWorkspace,
    /// Argon2 or its thread failed.
    #[error("hashing a password failed: {0}")]
    Hashing(String),
    /// The system gave no random bytes.
    #[error("the system has no randomness: {0}")]
    Randomness(getrandom::Error),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        use AuthError as E;
        match error {
            E::InvalidCredentials => Self::new(Code::InvalidCredentials),
            E::TooManyAttempts { retry_after_s } => {
                Self::new(Code::TooManyAttempts).retry_after(retry_after_s)
            }
            E::WrongCurrentPassword => {
                Self::validation("/current", "This is not the present password.")
            }
            E::WrongPassword => Self::new(Code::Forbidden)
                .detail("A new e-mail address needs your present password in `password`, and this is another one."),
            E::AddressTaken => Self::new(Code::Conflict)
                .detail("Another account has this e-mail address. Choose another address."),
            E::UnknownAddressLink => Self::not_found("link")
                .detail("This link is used, expired or incomplete. Ask for the new address again, in the settings of your account."),
            E::SetUpAlready => Self::new(Code::Conflict)
                .detail("This gateway is set up already. Sign in with your e-mail and your password."),
            E::AddressOfIssuer => Self::new(Code::Forbidden)
                .detail("Your e-mail address comes from your organisation's identity provider. Change it there."),
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
            E::ScopeBeyondRole { verb } => Self::new(Code::Forbidden).detail(format!(
                "Your role in this workspace does not allow `{}`, so your token cannot have this scope.",
                verb.name()
            )),
            E::TooManyTokens { most } => Self::new(Code::Conflict).detail(format!(
                "You have {most} tokens, which is the most that a person may have. Revoke one that nothing uses."
            )),
            E::UnknownCode => Self::new(Code::SignInUnknown),
            E::UnknownInvitation => Self::new(Code::InvitationUnknown),
            E::ForSomebodyElse => Self::new(Code::Forbidden)
                .detail("The invitation is for another e-mail address; ask for one of your own."),
            E::OperatorsAddress => Self::new(Code::Forbidden)
                .detail("This address belongs to an operator of the deployment. Use another one, or ask the operator for an account (`roost operator grant`)."),
            E::MemberAlready => Self::new(Code::Conflict)
                .detail("You are already a member of this workspace; another person can still use the invitation."),
            E::NoWorkspace => Self::new(Code::Forbidden)
                .detail("You are not a member of any workspace; ask an Owner to invite you."),
            E::Hashing(_) | E::Randomness(_) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}
