//! What happens to an account that has the address of a new subject: it is linked, taken over, or it loses the address.
//! Everything is part of the transaction that creates or links the subject's user.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{Hosted, store};
use crate::auth::EmailBy;
use crate::auth::entity::user;
use crate::auth::noted::{self, AboutAccount};
use roost_platform::db::WriteTx;

/// How an account was linked, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linked {
    /// The person proved both: the account by its session, the identity at the issuer.
    ByBoth,
    /// By the address alone, because the deployment vouches for it.
    ByAddress,
    /// By the address alone, which a person had only typed. Counts the sessions and agents' tokens that ended.
    TakenOver { sessions: u64, agent_tokens: u64 },
}

impl Hosted {
    /// Links an account. `None`: another subject was faster, so the caller looks up again.
    pub(super) async fn adopt(
        &self,
        tx: &WriteTx,
        row: user::Model,
        subject: &str,
        take_over: bool,
        now: DateTime<Utc>,
    ) -> Result<Option<user::Model>, DbErr> {
        if !store::link(tx, row.id, subject).await? {
            return Ok(None);
        }
        let mut adopted = user::Model {
            auth_subject: Some(subject.to_owned()),
            ..row
        };
        let how = match take_over {
            false => Linked::ByAddress,
            true => {
                let sessions = store::end_credentials(tx, adopted.id).await?;
                let agent_tokens = self.departures.end_tokens(tx, adopted.id, now).await?;
                store::vouch(tx, adopted.id).await?;
                adopted.password_hash = None;
                adopted.email_by = EmailBy::Issuer.as_str().to_owned();
                Linked::TakenOver {
                    sessions,
                    agent_tokens,
                }
            }
        };
        self.note_link(tx, &adopted, how, now).await?;
        Ok(Some(adopted))
    }

    /// Takes the address from an account of another subject that only typed it. `false`: look up again.
    pub(super) async fn displace(
        &self,
        tx: &WriteTx,
        row: &user::Model,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let instead = format!("{}@displaced.invalid", row.id);
        if !store::take_address(tx, row.id, &row.email, instead).await? {
            return Ok(false);
        }
        let details = serde_json::json!({ "address": row.email, "issuer": self.settings.issuer });
        self.note_in_each(tx, row, "account.address_taken", &details, now)
            .await?;
        Ok(true)
    }

    /// Records a link in the audit log of each workspace of the account.
    pub(super) async fn note_link(
        &self,
        tx: &WriteTx,
        user: &user::Model,
        how: Linked,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let mut details = serde_json::json!({ "issuer": self.settings.issuer });
        if let Linked::TakenOver {
            sessions,
            agent_tokens,
        } = how
        {
            details["credentials_ended"] = true.into();
            details["sessions_ended"] = sessions.into();
            details["agent_tokens_ended"] = agent_tokens.into();
        }
        self.note_in_each(tx, user, "account.linked", &details, now)
            .await
    }

    pub(super) async fn note_in_each(
        &self,
        tx: &WriteTx,
        user: &user::Model,
        action: &str,
        details: &serde_json::Value,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let entry = AboutAccount {
            account: user.id,
            actor: user.id,
            action,
            details: details.clone(),
            at: now,
        };
        noted::in_each_workspace(tx, &self.ids, entry).await
    }
}
