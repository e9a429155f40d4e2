//! From a valid token to a user: find, create or link it, and give it the token's role. All writes are one transaction.
//! Concurrent first sign-ins of one subject race on a unique index; the losers look the user up again.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::model::{self, Account, Change, Facts, Invited, Link, Noted, Place, Stop};
use super::{Hosted, HostedError, store};
use crate::audit;
use crate::auth::entity::user;
use crate::auth::{self, EmailBy, Role, WorkspaceScope, sha256_hex};
use crate::change;
use crate::workspaces::invitations::{self, InvitationRow};
use crate::workspaces::{self, MemberRow, WorkspaceRow, members};
use roost_platform::db::{WriteTx, unique_violation};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{UserId, WorkspaceId, fresh};

/// How often a transaction that lost a race is tried again. Each loss is another request's success, so the next lookup
/// finds its rows.
const TRIES: u32 = 8;

const NO_HOME: &str =
    "the workspace for people of the issuer was deleted; set auth.workspace to another one";

/// The workspace that a person joins, and how they were let in.
struct Joining {
    scope: WorkspaceScope,
    role: Role,
    by: &'static str,
    invitation: Option<InvitationRow>,
}

impl Hosted {
    /// The user of a token.
    ///
    /// # Errors
    /// [`Stop`], or when the database fails.
    pub async fn arrive(&self, facts: &Facts) -> Result<user::Model, HostedError> {
        let mut lost = None;
        for _ in 0..TRIES {
            let done = match store::by_subject(self.db.read(), &facts.subject).await? {
                Some(user) => self.known(user, facts).await,
                None => self.first_seen(facts).await,
            };
            match done {
                Err(HostedError::Db(error)) if unique_violation(&error) => lost = Some(error),
                Ok(None) => {}
                Ok(Some(user)) => return Ok(user),
                Err(error) => return Err(error),
            }
        }
        let gone = || DbErr::Custom("the user was changed again and again meanwhile".to_owned());
        Err(lost.unwrap_or_else(gone).into())
    }

    /// A known person: most requests change nothing and write nothing.
    async fn known(
        &self,
        user: user::Model,
        facts: &Facts,
    ) -> Result<Option<user::Model>, HostedError> {
        let silent = facts.claimed.is_none() && user.hosted_role.is_none();
        let Some(home) = self.home().await?.filter(|_| !silent) else {
            return Ok(Some(user));
        };
        let db = self.db.read();
        let scope = WorkspaceScope::of_row(home);
        let member = members::find(db, scope, user.id).await?;
        let noted = noted(&user, member.as_ref());
        let rules = &self.settings.admission;
        if self.change(noted, facts) == Change::Nothing {
            return Ok(Some(user));
        }
        let owns = noted.role == Some(Role::Owner);
        let last_owner = owns && members::owners(db, scope).await? <= 1;
        let noted = Noted {
            last_owner,
            ..noted
        };
        if model::recompute(noted, facts, rules) == Change::Nothing {
            return Ok(Some(user));
        }
        self.apply_claims(user.id, scope, facts).await
    }

    fn change(&self, noted: Noted, facts: &Facts) -> Change {
        model::recompute(noted, facts, &self.settings.admission)
    }

    /// Decides again while it holds the workspace's turn, and writes the result. `None`: look up again.
    async fn apply_claims(
        &self,
        user: UserId,
        scope: WorkspaceScope,
        facts: &Facts,
    ) -> Result<Option<user::Model>, HostedError> {
        let mut tx = change::Change::begin(self, scope, UserId::SYSTEM).await?;
        let now = tx.now();
        let Some(version) = members::take_turn(&tx, scope).await? else {
            self.forget_home();
            tracing::error!("{NO_HOME}");
            return Ok(auth::store::user_by_id(tx.tx(), user).await?);
        };
        let Some(row) = auth::store::user_by_id(tx.tx(), user).await? else {
            return Ok(None);
        };
        let member = members::find(tx.tx(), scope, user).await?;
        let mut noted = noted(&row, member.as_ref());
        noted.last_owner =
            noted.role == Some(Role::Owner) && members::owners(tx.tx(), scope).await? <= 1;
        let mut facts_of_agents = Vec::new();
        let from = noted.role.map(Role::as_str);
        let mut details = serde_json::json!({ "by": "claim", "from": from });
        let action = match self.change(noted, facts) {
            Change::Nothing => return Ok(Some(row)),
            Change::Note => None,
            Change::Role(to) => {
                members::set_role(&tx, scope, user, to).await?;
                details["to"] = to.as_str().into();
                Some("member.role_changed")
            }
            Change::Join(role) => {
                let joining = Joining {
                    scope,
                    role,
                    by: "claim",
                    invitation: None,
                };
                insert_member(&tx, &joining, user, now).await?;
                details = serde_json::json!({ "by": "claim", "role": role });
                Some("member.joined")
            }
            Change::Leave => {
                let heir = members::first_owner(tx.tx(), scope).await?;
                let heir = heir.unwrap_or(UserId::SYSTEM);
                facts_of_agents =
                    members::take_out(&*self.departures, &tx, scope, user, heir, now).await?;
                details = serde_json::json!({ "by": "claim", "role": from, "agents": facts_of_agents.len() });
                Some("member.removed")
            }
        };
        store::note_claim(&tx, user, facts.claimed, facts.said_at.unwrap_or(now)).await?;
        if let Some(action) = action {
            tx.record(action, ("user", &user), details);
            let workspace = scope.workspace();
            tx.event(Event::changed(ResourceKind::Workspace, workspace, version));
            tx.events(facts_of_agents);
        }
        tx.wake(self.streams.nudge());
        tx.commit().await?;
        Ok(auth::store::user_by_id(self.db.read(), user).await?)
    }

    /// A new person. `None`: another request was faster, look up again.
    async fn first_seen(&self, facts: &Facts) -> Result<Option<user::Model>, HostedError> {
        let now = self.clock.now();
        let home = self.home().await?;
        let mut tx = self.db.write().await?;
        let account = self.account(&tx, facts).await?;
        let theirs = account.as_ref().and_then(|account| account.row.as_ref());
        if theirs.is_some_and(|row| row.auth_subject.as_ref() == Some(&facts.subject)) {
            return Ok(None);
        }
        let verified = facts.verified_email();
        let link = model::link(account_of(account.as_ref()), verified.is_some())?;
        let account = account.and_then(|account| account.row);
        let place = self
            .place_of(&tx, facts, link, account.as_ref(), home, now)
            .await?;
        // The workspace's turn is taken before the user, as everywhere: two orders could deadlock.
        let mut version = None;
        if let Some(Some(joining)) = &place {
            version = members::take_turn(&tx, joining.scope).await?;
            if version.is_none() {
                self.forget_home();
                tracing::error!("{NO_HOME}");
                return Err(Stop::NotAdmitted.into());
            }
        }
        let Some(user) = self.user_for(&tx, facts, link, account, now).await? else {
            return Ok(None);
        };
        match place {
            None => {}
            Some(None) => self.own_workspace(&tx, &user, now).await?,
            Some(Some(joining)) => {
                if !self
                    .join(&mut tx, &joining, &user, version.unwrap_or_default(), now)
                    .await?
                {
                    return Ok(None);
                }
                if facts.claimed.is_some() && joining.by == "claim" {
                    let at = facts.said_at.unwrap_or(now);
                    store::note_claim(&tx, user.id, facts.claimed, at).await?;
                }
            }
        }
        if link == Link::TakeOver {
            tx.wake(self.streams.nudge());
        }
        tx.commit().await?;
        tracing::info!(user = %user.id, ?link, "a person of the issuer signed in for the first time");
        match link {
            // The token's claim is applied as for every known person.
            Link::ToAccount | Link::TakeOver => Ok(None),
            Link::New | Link::Displace => {
                Ok(auth::store::user_by_id(self.db.read(), user.id).await?)
            }
        }
    }

    /// The workspace that a new subject joins; absent for an account that keeps its memberships.
    async fn place_of(
        &self,
        tx: &WriteTx,
        facts: &Facts,
        link: Link,
        account: Option<&user::Model>,
        home: Option<WorkspaceId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Option<Joining>>, HostedError> {
        let account = account.filter(|_| matches!(link, Link::ToAccount | Link::TakeOver));
        let Some(row) = account else {
            return Ok(Some(self.place(tx, facts, home, now).await?));
        };
        let places = workspaces::of_user(&**tx, row.id).await?;
        if link == Link::ToAccount && !places.is_empty() {
            return Ok(None);
        }
        // Any person could have created this account, so its memberships must not replace the owner's own place.
        match self.place(tx, facts, home, now).await {
            Ok(Some(joining)) => {
                let here = joining.scope.workspace();
                let is_there = places.iter().any(|(member, _)| member.workspace_id == here);
                Ok((!is_there).then_some(Some(joining)))
            }
            Ok(None) => Ok(Some(None)),
            Err(HostedError::Stopped(Stop::NotAdmitted)) if !places.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The account of a new subject, created or linked. `None`: another request was faster, look up again.
    async fn user_for(
        &self,
        tx: &WriteTx,
        facts: &Facts,
        link: Link,
        account: Option<user::Model>,
        now: DateTime<Utc>,
    ) -> Result<Option<user::Model>, HostedError> {
        match (link, account) {
            (Link::ToAccount | Link::TakeOver, Some(row)) => {
                let take_over = link == Link::TakeOver;
                let adopted = self.adopt(tx, row, &facts.subject, take_over, now);
                return Ok(adopted.await?);
            }
            (Link::Displace, Some(row)) if !self.displace(tx, &row, now).await? => {
                return Ok(None);
            }
            _ => {}
        }
        let row = self.new_user(facts, now);
        auth::store::insert_user(&**tx, row.clone()).await?;
        Ok(Some(row))
    }

    async fn account(&self, tx: &WriteTx, facts: &Facts) -> Result<Option<Found>, DbErr> {
        let Some(email) = &facts.email else {
            return Ok(None);
        };
        let row = auth::store::user_by_email(&**tx, &email.address).await?;
        let operator = row.as_ref().is_some_and(|row| row.operates)
            || self.operators.contains(&email.address)
            || auth::store::is_granted(&**tx, &email.address).await?;
        // Without an account only an e-mail that would be stored matters.
        let matters = row.is_some() || (operator && email.verified);
        Ok(matters.then_some(Found { row, operator }))
    }

    /// The workspace for a person without one; `None` is a workspace of their own.
    async fn place(
        &self,
        tx: &WriteTx,
        facts: &Facts,
        home: Option<WorkspaceId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Joining>, HostedError> {
        let invitation = match facts.verified_email() {
            Some(email) => invitations::for_address(&**tx, email, now).await?,
            None => None,
        };
        let invited = invitation.as_ref().map(|row| Invited {
            role: Role::from_stored(&row.role),
            home: Some(row.workspace_id) == home,
        });
        let (workspace, role, by, invitation) =
            match model::admit(&self.settings.admission, facts, invited)? {
                Place::Own => return Ok(None),
                Place::Home(role) => {
                    let by = match facts.claimed {
                        Some(_) => "claim",
                        None => "domain",
                    };
                    (home, role, by, None)
                }
                Place::Invited(role) => {
                    let workspace = invitation.as_ref().map(|row| row.workspace_id);
                    (workspace, role, "invitation", invitation)
                }
            };
        let Some(workspace) = workspace else {
            tracing::error!("{NO_HOME}");
            return Err(Stop::NotAdmitted.into());
        };
        Ok(Some(Joining {
            scope: WorkspaceScope::of_row(workspace),
            role,
            by,
            invitation,
        }))
    }

    fn new_user(&self, facts: &Facts, now: DateTime<Utc>) -> user::Model {
        // An unverified address is not stored, because invitations and grants rely on it.
        let placeholder = || format!("{}@hosted.invalid", &sha256_hex(&facts.subject)[..24]);
        let verified = facts.verified_email();
        let by = verified.map_or(EmailBy::Person, |_| EmailBy::Issuer);
        let email = verified.map_or_else(placeholder, str::to_owned);
        user::Model {
            auth_subject: Some(facts.subject.clone()),
            ..user::Model::new(fresh(&self.ids), (&email, by), facts.called(), now)
        }
    }

    async fn own_workspace(
        &self,
        tx: &WriteTx,
        user: &user::Model,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let id: WorkspaceId = fresh(&self.ids);
        let scope = WorkspaceScope::of_row(id);
        let name = format!("Workspace of {}", user.name);
        let row = WorkspaceRow::new(id, name, self.plans.signup.clone(), now);
        let details = serde_json::json!({ "name": row.name, "by": "sign-up" });
        workspaces::insert(tx, row).await?;
        let joining = Joining {
            scope,
            role: Role::Owner,
            by: "sign-up",
            invitation: None,
        };
        insert_member(tx, &joining, user.id, now).await?;
        let action = "workspace.created";
        audit::record(
            tx,
            &self.ids,
            now,
            scope,
            user.id,
            action,
            ("workspace", &id),
            details,
        )
        .await
    }

    async fn join(
        &self,
        tx: &mut WriteTx,
        joining: &Joining,
        user: &user::Model,
        version: i64,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        if let Some(invitation) = &joining.invitation
            && !invitations::accept(&**tx, invitation.id, user.id, now).await?
        {
            return Ok(false);
        }
        insert_member(tx, joining, user.id, now).await?;
        let invitation = joining.invitation.as_ref().map(|row| row.id);
        let details =
            serde_json::json!({ "role": joining.role, "by": joining.by, "invitation": invitation });
        let action = "member.joined";
        audit::record(
            tx,
            &self.ids,
            now,
            joining.scope,
            user.id,
            action,
            ("user", &user.id),
            details,
        )
        .await?;
        let workspace = joining.scope.workspace();
        let fact = Event::changed(ResourceKind::Workspace, workspace, version);
        events::append(tx, workspace, now, [fact])
            .await
            .map(|()| true)
    }
}

/// The account or operator grant that has the e-mail of a new person.
struct Found {
    row: Option<user::Model>,
    operator: bool,
}

fn account_of(found: Option<&Found>) -> Account {
    found.map_or(Account::None, |found| {
        let row = found.row.as_ref();
        Account::Present {
            operator: found.operator,
            linked: row.is_some_and(|row| row.auth_subject.is_some()),
            email_by: row.map_or(EmailBy::Person, user::Model::email_by),
        }
    })
}

fn noted(user: &user::Model, member: Option<&MemberRow>) -> Noted {
    Noted {
        claimed: user.hosted_role.as_deref().map(Role::from_stored),
        at: user.hosted_at,
        role: member.map(|member| Role::from_stored(&member.role)),
        last_owner: false,
    }
}

async fn insert_member(
    tx: &WriteTx,
    joining: &Joining,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let row = MemberRow {
        workspace_id: joining.scope.workspace(),
        user_id: user,
        role: joining.role.as_str().to_owned(),
        created_at: now,
    };
    workspaces::insert_member(&**tx, row).await
}
