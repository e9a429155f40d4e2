//! All SQL of users, sessions, one-time logins and operator grants.

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult,
    IdenStatic, Iterable, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set,
    Statement, Value, sea_query::Expr, sea_query::OnConflict, sea_query::Query,
};

use super::EmailBy;
use super::entity::{one_time_login, operator_grant, session, user};
use crate::workspaces::entity::{member, workspace};
use crate::workspaces::{self, MemberRow, WorkspaceRow};
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::{SessionId, UserId, WorkspaceId};

/// The session with this token hash and its user, whatever its age.
pub async fn session_by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
) -> Result<Option<(session::Model, user::Model)>, DbErr> {
    // Every request needs this, so it is one query.
    let found = session::Entity::find()
        .filter(session::Column::TokenSha256.eq(token_sha256))
        .find_also_related(user::Entity)
        .one(db)
        .await?;
    Ok(found.and_then(|(session, user)| Some((session, user?))))
}

/// The rows that decide what the bearer of a token may do.
#[derive(Debug)]
pub struct Bearer {
    pub session: session::Model,
    pub user: user::Model,
    /// The user's address has an operator grant.
    pub granted: bool,
    pub member: Option<(MemberRow, WorkspaceRow)>,
}

/// Reads them in one statement. It is written once, because every request that is not known already runs it.
static BEARER: LazyLock<String> = LazyLock::new(|| {
    fn named<C: IdenStatic>(table: &str, columns: impl Iterator<Item = C>) -> String {
        let named = columns.map(|column| {
            let column = column.as_str();
            format!("{table}.{column} AS {table}_{column}")
        });
        named.collect::<Vec<_>>().join(", ")
    }
    format!(
        "SELECT {}, {}, {}, {}, g.email AS g_email FROM sessions s JOIN users u ON u.id = s.user_id \
         LEFT JOIN members m ON m.user_id = s.user_id AND m.workspace_id = COALESCE($2, s.workspace_id) \
         LEFT JOIN workspaces w ON w.id = m.workspace_id LEFT JOIN operator_grants g ON g.email = u.email \
         WHERE s.token_sha256 = $1",
        named("s", session::Column::iter()),
        named("u", user::Column::iter()),
        named("m", member::Column::iter()),
        named("w", workspace::Column::iter()),
    )
});

/// The session with this token hash, whatever its age, with its user, the user's grant, and the user's membership in
/// `workspace`, or in the session's workspace if there is none.
pub async fn bearer(
    db: &impl ConnectionTrait,
    backend: Backend,
    token_sha256: &str,
    workspace: Option<WorkspaceId>,
) -> Result<Option<Bearer>, DbErr> {
    let workspace = workspace.map(|workspace| workspace.0);
    let values: Vec<Value> = vec![token_sha256.into(), workspace.into()];
    let statement = Statement::from_sql_and_values(backend.into(), BEARER.as_str(), values);
    let Some(row) = db.query_one_raw(statement).await? else {
        return Ok(None);
    };
    let member = MemberRow::from_query_result_optional(&row, "m_")?;
    let workspace = WorkspaceRow::from_query_result_optional(&row, "w_")?;
    Ok(Some(Bearer {
        session: session::Model::from_query_result(&row, "s_")?,
        user: user::Model::from_query_result(&row, "u_")?,
        granted: row.try_get::<Option<String>>("", "g_email")?.is_some(),
        member: member.zip(workspace),
    }))
}

/// A user by e-mail (lower case).
pub async fn user_by_email(
    db: &impl ConnectionTrait,
    email: &str,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::Email.eq(email))
        .one(db)
        .await
}

/// A user by id.
pub async fn user_by_id(
    db: &impl ConnectionTrait,
    id: UserId,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find_by_id(id).one(db).await
}

/// Users by id, unordered.
pub async fn users_by_id(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::Id.is_in(ids))
        .all(db)
        .await
}

/// Locks the user's row for the rest of the transaction, so that transactions that count before they add run one by
/// one.
pub async fn hold_user(tx: &WriteTx, user: UserId) -> Result<(), DbErr> {
    user::Entity::update_many()
        .col_expr(user::Column::Name, Expr::col(user::Column::Name))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Whether any person has set a password. The reserved user does not count.
pub async fn anyone_has_a_password(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let row = user::Entity::find()
        .filter(user::Column::PasswordHash.is_not_null())
        .one(db)
        .await?;
    Ok(row.is_some())
}

/// Inserts a user.
pub async fn insert_user(db: &impl ConnectionTrait, user: user::Model) -> Result<(), DbErr> {
    user::Entity::insert(user::ActiveModel::from(user))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Inserts a session.
pub async fn insert_session(
    db: &impl ConnectionTrait,
    session: session::Model,
) -> Result<(), DbErr> {
    session::Entity::insert(session::ActiveModel::from(session))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Inserts a one-time login.
pub async fn insert_one_time(
    db: &impl ConnectionTrait,
    login: one_time_login::Model,
) -> Result<(), DbErr> {
    one_time_login::Entity::insert(one_time_login::ActiveModel::from(login))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes and returns a one-time login in one statement, so that it works once.
pub async fn take_one_time(
    db: &impl ConnectionTrait,
    token_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<UserId>, DbErr> {
    let taken = one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::TokenSha256.eq(token_sha256))
        .exec_with_returning(db)
        .await?;
    Ok(taken
        .into_iter()
        .find(|login| login.expires_at > now)
        .map(|login| login.user_id))
}

/// Deletes what has expired.
pub async fn forget_expired(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    session::Entity::delete_many()
        .filter(session::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// Records that a session was used.
pub async fn touch_session(
    db: &impl ConnectionTrait,
    id: SessionId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    session::Entity::update_many()
        .col_expr(session::Column::LastSeenAt, Expr::value(now))
        .filter(session::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// The user's sessions, newest first.
pub async fn sessions_of(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<session::Model>, DbErr> {
    session::Entity::find()
        .filter(session::Column::UserId.eq(user))
        .order_by_desc(session::Column::Id)
        .all(db)
        .await
}

/// Counts a user's sessions of a kind that have not expired.
pub async fn count_sessions(
    db: &impl ConnectionTrait,
    user: UserId,
    kind: &str,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    session::Entity::find()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::Kind.eq(kind))
        .filter(session::Column::ExpiresAt.gt(now))
        .count(db)
        .await
}

/// Ends the sign-ins of a user that were unused longest, so that `keep` remain.
pub async fn end_oldest_sign_ins(tx: &WriteTx, user: UserId, keep: u64) -> Result<(), DbErr> {
    tx.changes_authority();
    let over: Vec<SessionId> = session::Entity::find()
        .select_only()
        .column(session::Column::Id)
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::Kind.eq("login"))
        .order_by_desc(session::Column::LastSeenAt)
        .order_by_desc(session::Column::Id)
        .offset(keep)
        .limit(1_000)
        .into_tuple()
        .all(&**tx)
        .await?;
    if !over.is_empty() {
        session::Entity::delete_many()
            .filter(session::Column::Id.is_in(over))
            .exec(&**tx)
            .await?;
    }
    Ok(())
}

/// Users that have an issuer's tokens at the broker and no living session that rests on the issuer.
pub async fn users_with_idle_grant(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
) -> Result<Vec<UserId>, DbErr> {
    let living = Query::select()
        .column(session::Column::UserId)
        .from(session::Entity)
        .and_where(session::Column::ByIssuer.eq(true))
        .and_where(session::Column::ExpiresAt.gt(now))
        .to_owned();
    user::Entity::find()
        .select_only()
        .column(user::Column::Id)
        .filter(user::Column::IssuerGrant.is_not_null())
        .filter(user::Column::Id.not_in_subquery(living))
        .into_tuple()
        .all(db)
        .await
}

/// The sessions among these that exist and have not ended.
pub async fn living_sessions(
    db: &impl ConnectionTrait,
    ids: HashSet<SessionId>,
    now: DateTime<Utc>,
) -> Result<HashSet<SessionId>, DbErr> {
    let (ids, mut living) = (Vec::from_iter(ids), HashSet::new());
    // SQLite limits the parameters of a statement, and one statement should not ask for too many rows.
    for some in ids.chunks(500) {
        let found: Vec<SessionId> = session::Entity::find()
            .select_only()
            .column(session::Column::Id)
            .filter(session::Column::Id.is_in(some.iter().copied()))
            .filter(session::Column::ExpiresAt.gt(now))
            .into_tuple()
            .all(db)
            .await?;
        living.extend(found);
    }
    Ok(living)
}

/// The users among these that operate the deployment by a grant: of their account, or of their address. A grant of an
/// address counts only if the address is vouched for.
pub async fn granted_among(
    db: &impl ConnectionTrait,
    users: HashSet<UserId>,
) -> Result<HashSet<UserId>, DbErr> {
    let (users, mut all) = (Vec::from_iter(users), HashSet::new());
    for some in users.chunks(500) {
        let grants = Query::select()
            .column(operator_grant::Column::Email)
            .from(operator_grant::Entity)
            .to_owned();
        let found: Vec<UserId> = user::Entity::find()
            .select_only()
            .column(user::Column::Id)
            .filter(user::Column::Id.is_in(some.iter().copied()))
            .filter(
                Condition::any().add(user::Column::Operates.eq(true)).add(
                    Condition::all()
                        .add(user::Column::EmailBy.ne(EmailBy::Person.as_str()))
                        .add(user::Column::Email.in_subquery(grants)),
                ),
            )
            .into_tuple()
            .all(db)
            .await?;
        all.extend(found);
    }
    Ok(all)
}

/// Deletes a session of the user; `None` when there is none.
pub async fn delete_session(
    tx: &WriteTx,
    user: UserId,
    id: SessionId,
) -> Result<Option<session::Model>, DbErr> {
    tx.changes_authority();
    let deleted = session::Entity::delete_many()
        .filter(session::Column::Id.eq(id))
        .filter(session::Column::UserId.eq(user))
        .exec_with_returning(&**tx)
        .await?;
    Ok(deleted.into_iter().next())
}

/// Ends all sign-ins of a user but one. With `tokens` it also ends the tokens of their programs.
pub async fn delete_other_sessions(
    tx: &WriteTx,
    user: UserId,
    keep: SessionId,
    tokens: bool,
) -> Result<(), DbErr> {
    tx.changes_authority();
    let mut others = session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::Id.ne(keep));
    if !tokens {
        others = others.filter(session::Column::Kind.eq("login"));
    }
    others.exec(&**tx).await?;
    session::Entity::update_many()
        .col_expr(
            session::Column::SetPasswordWithoutCurrent,
            Expr::value(false),
        )
        .filter(session::Column::UserId.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Makes another workspace the active one of a session.
pub async fn switch_session(
    tx: &WriteTx,
    id: SessionId,
    workspace: WorkspaceId,
) -> Result<(), DbErr> {
    tx.changes_authority();
    session::Entity::update_many()
        .col_expr(session::Column::WorkspaceId, Expr::value(workspace))
        .filter(session::Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Ends a user's access to a workspace that they left. Tokens for it are deleted. Sign-ins continue in another
/// workspace of the user, or end if there is none.
pub async fn leave_workspace(tx: &WriteTx, user: UserId, left: WorkspaceId) -> Result<(), DbErr> {
    tx.changes_authority();
    let elsewhere = workspaces::first_membership(&**tx, user).await?;
    let mut dead = session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::WorkspaceId.eq(left));
    if elsewhere.is_some() {
        dead = dead.filter(session::Column::Kind.ne("login"));
    }
    dead.exec(&**tx).await?;
    if let Some(member) = elsewhere {
        session::Entity::update_many()
            .col_expr(
                session::Column::WorkspaceId,
                Expr::value(member.workspace_id),
            )
            .filter(session::Column::UserId.eq(user))
            .filter(session::Column::WorkspaceId.eq(left))
            .exec(&**tx)
            .await?;
    }
    Ok(())
}

/// Stores a new password hash.
pub async fn set_password(tx: &WriteTx, user: UserId, hash: String) -> Result<(), DbErr> {
    tx.changes_authority();
    user::ActiveModel {
        id: Set(user),
        password_hash: Set(Some(hash)),
        ..Default::default()
    }
    .update(&**tx)
    .await?;
    Ok(())
}

/// Whether an address has the operator grant in the database. The grant counts only if the account's address is
/// vouched for.
pub async fn is_granted(db: &impl ConnectionTrait, email: &str) -> Result<bool, DbErr> {
    Ok(operator_grant::Entity::find_by_id(email.to_owned())
        .one(db)
        .await?
        .is_some())
}

/// Records that the deployment vouches for the address of an account from now on.
pub async fn vouch_by_deployment(tx: &WriteTx, user: UserId) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(
            user::Column::EmailBy,
            Expr::value(EmailBy::Deployment.as_str()),
        )
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Accounts with an address that is not vouched for.
fn unvouched() -> Select<user::Entity> {
    user::Entity::find()
        .select_only()
        .column(user::Column::Email)
        .filter(user::Column::EmailBy.eq(EmailBy::Person.as_str()))
        .order_by_asc(user::Column::Email)
}

/// The addresses among these that belong to an account and are not vouched for.
pub async fn unvouched_among(
    db: &impl ConnectionTrait,
    addresses: &[String],
) -> Result<Vec<String>, DbErr> {
    let found = unvouched().filter(user::Column::Email.is_in(addresses));
    found.into_tuple().all(db).await
}

/// Addresses of accounts that are linked to an issuer's person and still have a password from before the address was
/// vouched for.
pub async fn linked_with_own_password(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let found = unvouched()
        .filter(user::Column::AuthSubject.is_not_null())
        .filter(user::Column::PasswordHash.is_not_null());
    found.into_tuple().all(db).await
}

/// Grants operation of the deployment to an e-mail address.
pub async fn grant_operator(tx: &WriteTx, email: &str, now: DateTime<Utc>) -> Result<(), DbErr> {
    tx.changes_authority();
    operator_grant::Entity::insert(operator_grant::ActiveModel {
        email: Set(email.to_owned()),
        granted_at: Set(now),
    })
    .on_conflict(
        OnConflict::column(operator_grant::Column::Email)
            .update_column(operator_grant::Column::Email)
            .to_owned(),
    )
    .exec_without_returning(&**tx)
    .await?;
    Ok(())
}
