//! What the issuer says of a person, and what follows from it here: whom to link, whom to admit, in which role. Pure.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::claims::{Claims, Verified};
use crate::domains::auth::Role;

/// Which claims speak of roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimNames {
    /// Its values are owner, admin, member, viewer; the strongest counts.
    pub role: String,
    /// The role in the issuer's own organisation.
    pub organisation: Option<String>,
    /// The values of that claim that make an Owner.
    pub organisation_admin: Vec<String>,
}

/// Who is let in without a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// Whoever is new gets a workspace of their own.
    pub per_signup_workspace: bool,
    /// Domains (lower case) whose people are let in as Members.
    pub domains: Vec<String>,
}

/// An address, and whether the issuer has made sure that it is theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// Lower case.
    pub address: String,
    pub verified: bool,
}

/// What the issuer says of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub subject: String,
    pub email: Option<Email>,
    pub name: Option<String>,
    /// The role that a claim gives; absent when none does.
    pub claimed: Option<Role>,
    /// When it was said.
    pub said_at: Option<DateTime<Utc>>,
}

/// Characters of a name that are kept.
const MOST_NAME: usize = 100;

impl Facts {
    /// Reads them out of a token.
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

    /// The address, when the issuer has made sure of it.
    pub fn verified_email(&self) -> Option<&str> {
        let email = self.email.as_ref().filter(|email| email.verified)?;
        Some(&email.address)
    }

    /// What colleagues see.
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
    // `true` itself: some issuers send the word, and a word can be any word.
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

/// A claim's words: it is one, or a list of them.
fn words(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let many = value.and_then(Value::as_array).into_iter().flatten();
    value.into_iter().chain(many).filter_map(Value::as_str)
}

/// The account that has the e-mail of somebody whom we have not seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    None,
    Present {
        /// Operates the deployment, or would by this e-mail.
        operator: bool,
        /// Belongs to another subject already.
        linked: bool,
    },
}

/// What becomes of somebody whom we have not seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A new account.
    New,
    /// The account that has this e-mail is theirs.
    ToAccount,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// An account has this e-mail, and the issuer does not say that the e-mail is theirs.
    #[error("the issuer has not verified the e-mail")]
    EmailNotVerified,
    /// The account is not linked by an e-mail alone.
    #[error("the account must be linked by whoever is signed in to it")]
    NotLinked,
    /// Neither an invitation, nor a claim, nor the e-mail's domain lets them in.
    #[error("nothing admits this person")]
    NotAdmitted,
}

/// Whom a new subject is. An operator's account is never linked by an e-mail, and none is made with an operator's e-mail:
/// operation of the deployment is given by the deployment, and a claim is the issuer's word.
///
/// # Errors
/// [`Stop::EmailNotVerified`], [`Stop::NotLinked`].
pub fn link(account: Account, email_verified: bool) -> Result<Link, Stop> {
    match account {
        Account::None => Ok(Link::New),
        Account::Present { .. } if !email_verified => Err(Stop::EmailNotVerified),
        Account::Present { operator: true, .. } | Account::Present { linked: true, .. } => {
            Err(Stop::NotLinked)
        }
        Account::Present { .. } => Ok(Link::ToAccount),
    }
}

/// Where somebody without a workspace goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A workspace of their own.
    Own,
    /// The deployment's, as this.
    Home(Role),
    /// The one that they are invited to, as this.
    Invited(Role),
}

/// Whether somebody without a workspace is let in, and where to. A claim is the issuer's decision and goes first; without
/// one nobody becomes more than a Member.
///
/// # Errors
/// [`Stop::NotAdmitted`].
pub fn admit(rules: &Admission, facts: &Facts, invited: Option<Role>) -> Result<Place, Stop> {
    if rules.per_signup_workspace {
        return Ok(Place::Own);
    }
    if let Some(role) = facts.claimed {
        return Ok(Place::Home(role));
    }
    if let Some(role) = invited {
        return Ok(Place::Invited(role.min(Role::Member)));
    }
    match by_domain(rules, facts) {
        true => Ok(Place::Home(Role::Member)),
        false => Err(Stop::NotAdmitted),
    }
}

fn by_domain(rules: &Admission, facts: &Facts) -> bool {
    let host = facts
        .verified_email()
        .and_then(|email| email.split('@').nth(1));
    host.is_some_and(|host| rules.domains.iter().any(|domain| domain == host))
}

/// What we have noted of somebody, and their place in the deployment's own workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// The last role that a claim gave.
    pub claimed: Option<Role>,
    /// When the token was issued that gave or took it.
    pub at: Option<DateTime<Utc>>,
    /// Their role there; absent when they do not belong there.
    pub role: Option<Role>,
    /// Nobody else owns it.
    pub last_owner: bool,
}

/// What a token changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// Another role in the deployment's workspace.
    Role(Role),
    /// A claim makes somebody a member who was none.
    Join(Role),
    /// The claim that let them in is gone, and nothing else does.
    Leave,
    /// Only what was claimed is noted.
    Note,
}

/// The role by this token. An older token than the one that was judged last changes nothing: who was made less at the
/// issuer is not more again because they kept a token. Somebody whom people here took out does not come back by the
/// claim that they came with. The last Owner stays one: a workspace has an Owner as long as it is there.
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
