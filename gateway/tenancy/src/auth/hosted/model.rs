//! Decisions from the issuer's facts about a person: the account to link, whether to admit them, and in which role.
//! Pure.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::claims::{Claims, Verified};
use crate::auth::{EmailBy, Role};

/// The claims that contain roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimNames {
    /// Its values are owner, admin, member, viewer; the strongest one counts.
    pub role: String,
    /// The role in the issuer's own organisation.
    pub organisation: Option<String>,
    /// The values of the organisation claim that make an Owner.
    pub organisation_admin: Vec<String>,
}

/// The rules for people without a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// Every new person gets a workspace of their own.
    pub per_signup_workspace: bool,
    /// Domains (lower case) whose people are let in as Members.
    pub domains: Vec<String>,
}

/// An address, and whether the issuer has verified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// Lower case.
    pub address: String,
    pub verified: bool,
}

/// The issuer's facts about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub subject: String,
    pub email: Option<Email>,
    pub name: Option<String>,
    /// The role that a claim gives; absent when no claim does.
    pub claimed: Option<Role>,
    /// When the token was issued.
    pub said_at: Option<DateTime<Utc>>,
}

/// The most characters of a name that are kept.
const MOST_NAME: usize = 100;

impl Facts {
    /// Reads the facts from a token.
    pub fn of(token: &Verified, names: &ClaimNames) -> Self {
        let claims = &token.claims;
        let given = ["name", "preferred_username", "nickname"];
        let name = given.iter().find_map(|name| claims.text(name));
        Self {
            subject: token.subject.clone(),
            email: email(claims),
            name: name
                .map(|name| roost_protocol::text::clean(name.trim(), MOST_NAME))
                .filter(|name| !name.is_empty()),
            claimed: claimed(claims, names),
            said_at: token.issued_at,
        }
    }

    /// The address, if the issuer has verified it.
    pub fn verified_email(&self) -> Option<&str> {
        let email = self.email.as_ref().filter(|email| email.verified)?;
        Some(&email.address)
    }

    /// The name that colleagues see.
    pub fn called(&self) -> String {
        let by_email = || Some(self.verified_email()?.split('@').next()?.to_owned());
        self.name
            .clone()
            .or_else(by_email)
            .unwrap_or_else(|| "Somebody".to_owned())
    }
}

fn email(claims: &Claims) -> Option<Email> {
    let address = claims.text("email")?.trim().to_lowercase();
    let (name, host) = address.split_once('@')?;
    let odd = |c: char| c.is_whitespace() || c.is_control();
    let plausible = !name.is_empty() && host.len() > 1 && !host.contains('@');
    if !plausible || address.len() > 254 || address.contains(odd) {
        return None;
    }
    // Only the JSON value `true` counts. Some issuers send a string, and a string can hold anything.
    let verified = claims.0.get("email_verified") == Some(&Value::Bool(true));
    Some(Email { address, verified })
}

fn claimed(claims: &Claims, names: &ClaimNames) -> Option<Role> {
    let by_role = words(claims.at(&names.role))
        .filter_map(|word| match word.to_ascii_lowercase().as_str() {
            "owner" => Some(Role::Owner),
            "admin" => Some(Role::Admin),
            "member" => Some(Role::Member),
            "viewer" => Some(Role::Viewer),
            _ => None,
        })
        .max();
    let organisation = names.organisation.as_ref();
    let administers = words(organisation.and_then(|name| claims.at(name))).any(|word| {
        let mut all = names.organisation_admin.iter();
        all.any(|admin| admin.eq_ignore_ascii_case(word))
    });
    by_role.max(administers.then_some(Role::Owner))
}

/// The words of a claim: a single text, or a list.
fn words(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let many = value.and_then(Value::as_array).into_iter().flatten();
    value.into_iter().chain(many).filter_map(Value::as_str)
}

/// The account that has the e-mail of a new subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    None,
    Present {
        /// The account operates the deployment, or would by this e-mail.
        operator: bool,
        /// The account belongs to another subject already.
        linked: bool,
        /// How its address was vouched for.
        email_by: EmailBy,
    },
}

/// What to do for a new subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A new account.
    New,
    /// The account is theirs, with its password, because the deployment vouches for its address.
    ToAccount,
    /// The account is theirs, and all its credentials end, because any person could have created it by typing this
    /// address.
    TakeOver,
    /// The account belongs to another subject that only typed this address. It loses the address, and the new subject
    /// gets a new account.
    Displace,
}

/// Why a person is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// An account has this e-mail, and the issuer has not verified that the e-mail is theirs.
    #[error("the issuer has not verified the e-mail")]
    EmailNotVerified,
    /// The account cannot be linked by an e-mail alone.
    #[error("only a person who is signed in to the account can link it")]
    NotLinked,
    /// Neither an invitation, nor a claim, nor the e-mail's domain lets them in.
    #[error("no rule admits this person")]
    NotAdmitted,
}

/// Decides which account a new subject gets. An operator's account is never linked by an e-mail, and no account is
/// created with an operator's e-mail: only the deployment grants operation, and a claim does not. An unverified address
/// on an account never keeps the address's owner out.
///
/// # Errors
/// [`Stop::EmailNotVerified`], [`Stop::NotLinked`].
pub fn link(account: Account, email_verified: bool) -> Result<Link, Stop> {
    let Account::Present {
        operator,
        linked,
        email_by,
    } = account
    else {
        return Ok(Link::New);
    };
    match (operator, linked, email_by) {
        _ if !email_verified => Err(Stop::EmailNotVerified),
        (true, _, _) => Err(Stop::NotLinked),
        (false, true, EmailBy::Person) => Ok(Link::Displace),
        (false, true, _) => Err(Stop::NotLinked),
        (false, false, EmailBy::Person) => Ok(Link::TakeOver),
        (false, false, _) => Ok(Link::ToAccount),
    }
}

/// An open invitation that names a person's verified e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invited {
    pub role: Role,
    /// It is for the workspace to which claims and domains apply.
    pub home: bool,
}

/// The workspace of a person that has none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A workspace of their own.
    Own,
    /// The deployment's own workspace, in this role.
    Home(Role),
    /// The workspace of the invitation, in this role.
    Invited(Role),
}

/// Decides whether a person without a workspace is let in, and where. A claim is the issuer's decision and comes first.
/// Without a claim a new person becomes at most a Member. Anybody can invite any address into a workspace of their own,
/// so such an invitation does not take a person away from the deployment's workspace.
///
/// # Errors
/// [`Stop::NotAdmitted`].
pub fn admit(rules: &Admission, facts: &Facts, invited: Option<Invited>) -> Result<Place, Stop> {
    if rules.per_signup_workspace {
        return Ok(Place::Own);
    }
    if let Some(role) = facts.claimed {
        return Ok(Place::Home(role));
    }
    match invited {
        Some(invited) if invited.home || !by_domain(rules, facts) => {
            Ok(Place::Invited(invited.role.min(Role::Member)))
        }
        _ if by_domain(rules, facts) => Ok(Place::Home(Role::Member)),
        _ => Err(Stop::NotAdmitted),
    }
}

fn by_domain(rules: &Admission, facts: &Facts) -> bool {
    let host = facts
        .verified_email()
        .and_then(|email| email.split('@').nth(1));
    host.is_some_and(|host| rules.domains.iter().any(|domain| domain == host))
}

/// What is recorded about a person, and their membership in the deployment's own workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// The last role that a claim gave.
    pub claimed: Option<Role>,
    /// When the token was issued that gave or removed that role.
    pub at: Option<DateTime<Utc>>,
    /// Their role there; absent when they are not a member.
    pub role: Option<Role>,
    /// They are its only Owner.
    pub last_owner: bool,
}

/// What a token changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// A new role in the deployment's workspace.
    Role(Role),
    /// A claim makes the person a member.
    Join(Role),
    /// The claim that let them in is gone, and no other rule admits them.
    Leave,
    /// Only the claimed role is recorded.
    Note,
}

/// Decides the role by this token. A token older than the last one changes nothing: after a demotion at the issuer, an
/// old token does not restore the role. A person that was removed here does not return by the same claim. The last
/// Owner stays Owner: a workspace always has one.
pub fn recompute(noted: Noted, facts: &Facts, rules: &Admission) -> Change {
    let older = matches!((facts.said_at, noted.at), (Some(said), Some(at)) if said < at);
    if older {
        return Change::Nothing;
    }
    let may_lose = |to: Option<Role>| !(noted.last_owner && to != Some(Role::Owner));
    let change = match (facts.claimed, noted.claimed, noted.role) {
        (None, None, _) => Change::Nothing,
        (Some(_), Some(_), None) => Change::Nothing,
        (Some(to), None, None) => Change::Join(to),
        (Some(to), before, Some(role)) if role == to => match before == Some(to) {
            true => Change::Nothing,
            false => Change::Note,
        },
        (Some(to), _, Some(_)) => Change::Role(to),
        (None, Some(_), None) => Change::Note,
        (None, Some(_), Some(role)) if by_domain(rules, facts) => {
            match role.min(Role::Member) == role {
                true => Change::Note,
                false => Change::Role(Role::Member),
            }
        }
        (None, Some(_), Some(_)) => Change::Leave,
    };
    match change {
        Change::Role(to) if !may_lose(Some(to)) => Change::Nothing,
        Change::Leave if !may_lose(None) => Change::Nothing,
        change => change,
    }
}

#[cfg(test)]
mod tests;
