//! Signing a terminal in by a code that a person confirms on the page. The terminal keeps a secret and shows a code. A
//! signed-in person types the code, and the secret then gives one session. Works for every account.

use chrono::{DateTime, TimeDelta, Utc};

use super::entity::login_code;
use super::store;
use crate::auth::commands::{NewSession, Origin, count_attempt, insert_session, people_only};
use crate::auth::entity::{session, user};
use crate::auth::{
    self, Against, AuthContext, AuthError, Caller, Role, Token, WorkspaceScope, sha256_hex,
};
use crate::change::Change;
use crate::workspaces;
use roost_platform::db::unique_violation;
use roost_web::client_address::counted_as;

/// How long a person may take to confirm a code.
pub const WITHIN_MINUTES: i64 = 10;
/// The most terminals of one address that may wait at the same time.
const MOST_OF_AN_ADDRESS: u64 = 20;
/// No vowels and no letters that look alike: a code spells no word, and people can read it aloud and type it.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const LENGTH: usize = 8;

/// A waiting terminal.
pub struct Waiting {
    /// The terminal's secret.
    pub device: Token,
    /// The code that the terminal shows to people.
    pub code: String,
}

/// A terminal that is signed in.
pub struct SignedIn {
    pub session: session::Model,
    pub token: Token,
    pub user: user::Model,
    pub role: Role,
    pub workspace_name: String,
}

/// The answer to a polling terminal.
pub enum PollResult {
    /// The code is not confirmed yet.
    Pending,
    Done(Box<SignedIn>),
}

/// Makes a code from random bytes. The letters are evenly distributed, because bytes that would favour some are left
/// out.
fn spelled(random: impl IntoIterator<Item = u8>) -> Option<String> {
    let fit = 256 - 256 % LETTERS.len();
    let letters = random
        .into_iter()
        .filter(|byte| usize::from(*byte) < fit)
        .map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]));
    let code: String = letters.take(LENGTH).collect();
    (code.len() == LENGTH).then_some(code)
}

/// A typed code in the form in which codes are compared.
fn typed(code: &str) -> String {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_uppercase()).collect()
}

/// A code in the form that people see: two halves.
pub fn shown(code: &str) -> String {
    let (a, b) = code.split_at(LENGTH / 2);
    format!("{a}-{b}")
}

/// Registers a terminal that waits.
///
/// # Errors
/// [`AuthError::TooManyAttempts`] when many terminals of its address wait, or an internal error.
pub async fn wait(state: &AuthContext, device: &str, from: &Origin) -> Result<Waiting, AuthError> {
    let now = state.clock.now();
    let from_address = counted_as(from.address);
    loop {
        let mut random = [0_u8; 64];
        getrandom::fill(&mut random).map_err(AuthError::Randomness)?;
        let Some(code) = spelled(random) else {
            continue;
        };
        let secret = Token::fresh("rdc_")?;
        let row = login_code::Model {
            device_sha256: secret.sha256(),
            code_sha256: sha256_hex(&code),
            device: roost_protocol::text::clean(device, 100),
            from_address: from_address.clone(),
            user_id: None,
            workspace_id: None,
            session_until: None,
            by_issuer: false,
            expires_at: now + TimeDelta::minutes(WITHIN_MINUTES),
        };
        let tx = state.db.write().await?;
        store::forget_codes(&*tx, now).await?;
        if store::codes_from(&*tx, &from_address).await? >= MOST_OF_AN_ADDRESS {
            return Err(AuthError::TooManyAttempts { retry_after_s: 60 });
        }
        match store::insert_code(&*tx, row).await {
            // Another terminal has the same code at the moment.
            Err(error) if unique_violation(&error) => continue,
            done => done?,
        }
        tx.commit().await?;
        return Ok(Waiting {
            device: secret,
            code,
        });
    }
}

/// The terminal that shows a code. Each lookup counts as a failed sign-in, so that codes cannot be guessed.
///
/// # Errors
/// [`AuthError::UnknownCode`], [`AuthError::TooManyAttempts`], [`AuthError::NotForPrograms`].
pub async fn look(
    state: &AuthContext,
    caller: &Caller,
    code: &str,
    from: &Origin,
) -> Result<login_code::Model, AuthError> {
    people_only(caller)?;
    let account = format!("code {}", caller.user.id);
    count_attempt(state, Some(&account), from.address)?;
    let hash = sha256_hex(&typed(code));
    let found = store::code(state.db.read(), &hash, state.clock.now()).await?;
    let found = found.ok_or(AuthError::UnknownCode)?;
    state.throttle.succeeded(Against::Account {
        email: &account,
        address: "",
    });
    Ok(found)
}

/// A signed-in person confirms a code, once.
///
/// # Errors
/// As [`look`], and [`AuthError::NoWorkspace`].
pub async fn confirm(
    state: &AuthContext,
    caller: &Caller,
    code: &str,
    from: &Origin,
) -> Result<(), AuthError> {
    let session = people_only(caller)?;
    let member = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?;
    let found = look(state, caller, code, from).await?;
    let mut change = Change::begin(state, member.scope, caller.user.id).await?;
    let by = store::Confirmation {
        user: caller.user.id,
        workspace: member.scope.workspace(),
        until: session.expires_at,
        by_issuer: session.by_issuer,
    };
    if !store::confirm_code(change.tx(), &found.device_sha256, by, change.now()).await? {
        return Err(AuthError::UnknownCode);
    }
    let details = serde_json::json!({ "device": found.device, "from": found.from_address });
    change.record("terminal.confirmed", ("user", &caller.user.id), details);
    change.commit().await?;
    Ok(())
}

/// The terminal asks whether it is signed in. The answer that signs it in deletes the code.
///
/// # Errors
/// [`AuthError::UnknownCode`] when the code expired, was used, or never existed.
pub async fn poll(
    state: &AuthContext,
    device: &str,
    from: &Origin,
) -> Result<PollResult, AuthError> {
    let (hash, now) = (sha256_hex(device.trim()), state.clock.now());
    let waiting = store::waiting(state.db.read(), &hash, now).await?;
    let Some(waiting) = waiting else {
        // Only a wrong secret counts, because a terminal asks often.
        count_attempt(state, None, from.address)?;
        return Err(AuthError::UnknownCode);
    };
    if waiting.user_id.is_none() {
        return Ok(PollResult::Pending);
    }
    let tx = state.db.write().await?;
    let taken = store::take_code(&*tx, &hash, now).await?;
    let by_issuer = taken.as_ref().is_some_and(|row| row.by_issuer);
    let (Some(user), Some(workspace), Some(until)) = taken
        .map(|row| (row.user_id, row.workspace_id, row.session_until))
        .unwrap_or_default()
    else {
        return Err(AuthError::UnknownCode);
    };
    let member = workspaces::membership(&*tx, user, workspace).await?;
    let (member, workspace) = member.ok_or(AuthError::NoWorkspace)?;
    let user = auth::store::user_by_id(&*tx, user).await?;
    let user = user.ok_or(AuthError::UnknownCode)?;
    let new = NewSession {
        user: user.id,
        workspace: workspace.id,
        kind: "login",
        label: None,
        set_password_without_current: false,
        from: Some(from),
        lifetime: Some(left(until, now)),
        by_issuer,
        scopes: None,
    };
    let scope = WorkspaceScope::of_member(workspace.id);
    let mut change = Change::within(state, tx, scope, user.id);
    let (session, token) = insert_session(state, &change, new).await?;
    let details = serde_json::json!({ "by": "terminal", "from": from.address.to_string() });
    change.record("session.opened", ("session", &session.id), details);
    change.commit().await?;
    Ok(PollResult::Done(Box::new(SignedIn {
        session,
        token,
        user,
        role: Role::from_stored(&member.role),
        workspace_name: workspace.name,
    })))
}

/// A session that another session creates must not live longer: otherwise a sign-in could extend itself.
fn left(until: DateTime<Utc>, now: DateTime<Utc>) -> std::time::Duration {
    (until - now).to_std().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_of_its_letters_alone_and_each_is_as_likely() {
        let all: Vec<u8> = (0..=255).collect();
        let mut seen = std::collections::BTreeMap::new();
        for byte in &all {
            if let Some(code) = spelled(std::iter::repeat_n(*byte, LENGTH)) {
                *seen.entry(code).or_insert(0) += 1;
            }
        }
        assert_eq!(seen.len(), LETTERS.len());
        assert!(seen.values().all(|count| *count == 12), "{seen:?}");
        assert_eq!(spelled([255; 64]), None);
    }

    #[test]
    fn code_is_accepted_in_any_case_and_spacing() {
        assert_eq!(shown("BCDFGHJK"), "BCDF-GHJK");
        for text in ["BCDF-GHJK", " bcdf ghjk", "bcdfghjk\n"] {
            assert_eq!(typed(text), "BCDFGHJK");
        }
    }
}
