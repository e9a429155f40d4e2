//! What can go wrong when someone identifies themselves.

/// Errors of signing in and of sessions.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// Unknown account, wrong password, or a one-time login that is unknown, used or expired: never said which.
    #[error("invalid credentials")]
    InvalidCredentials,
    /// Too many failures for this account or from this address.
    #[error("too many attempts, wait {retry_after_s} s")]
    TooManyAttempts { retry_after_s: u64 },
    /// The present password must be given to set another one.
    #[error("the present password is wrong")]
    WrongCurrentPassword,
    /// No such session of this user.
    #[error("unknown session")]
    UnknownSession,
    /// Programs' tokens may not do what would outlive them.
    #[error("a program's token may not do this")]
    NotForPrograms,
    /// A token of the issuer is no session of ours: it ends by itself, or at the issuer.
    #[error("the request carries a token of the issuer")]
    TokenOfIssuer,
    /// Who signs in by the issuer has no password here.
    #[error("the sign-in is kept by the issuer")]
    KeptByTheIssuer,
    /// A token may not live longer than any session.
    #[error("a token may live for {most_days} days at most")]
    LivesTooLong { most_days: u64 },
    /// The caller is not a member of it, or there is none.
    #[error("unknown workspace")]
    UnknownWorkspace,
    /// Unknown, used, withdrawn or expired: never said which.
    #[error("unknown invitation")]
    UnknownInvitation,
    /// A terminal's code or secret that is unknown, used or over: never said which.
    #[error("unknown code")]
    UnknownCode,
    /// It names an e-mail, and another person came with it.
    #[error("the invitation is for another e-mail")]
    ForSomebodyElse,
    /// Who accepts belongs to the workspace already.
    #[error("a member already")]
    MemberAlready,
    /// The user exists but belongs nowhere.
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
