//! People in every role. Memberships are written directly into the database, which is faster than invitations; sessions
//! are opened by a normal sign-in.

use std::ops::Deref;

use roost_platform::clock::{Clock, SystemClock};
use roost_platform::ids::{UserId, UuidV7, WorkspaceId, fresh};
use roost_tenancy::auth::{self, entity::user};
use roost_tenancy::workspaces::{self, entity::member};
use serde_json::{Value, json};

use crate::{Client, Gateway};

/// A signed-in person. It derefs to the person's client.
#[derive(Debug, Clone)]
pub struct Person {
    pub client: Client,
    pub id: String,
    pub email: String,
    /// The workspace of the session.
    pub workspace: String,
    pub token: String,
}

impl Deref for Person {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

pub(crate) async fn sign_in(gateway: &Gateway, credentials: Value) -> Person {
    let answer = gateway
        .anonymous()
        .post("/api/auth/login")
        .json(&credentials)
        .expect(200)
        .await;
    let token = answer.str("/token").to_owned();
    Person {
        client: gateway.anonymous().with_token(&token),
        id: answer.str("/user/id").to_owned(),
        email: answer.str("/user/email").to_owned(),
        workspace: answer.str("/workspace/id").to_owned(),
        token,
    }
}

pub(crate) async fn join(gateway: &Gateway, workspace: &str, role: &str) -> Person {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    let id: UserId = fresh(&ids);
    let tx = gateway.app().db().write().await.expect("a transaction");
    // Like a person who accepted an invitation.
    let email = format!("{role}-{id}@example.test");
    let typed = (email.as_str(), auth::EmailBy::Person);
    let person = user::Model::new(id, typed, format!("A {role}"), SystemClock.now());
    auth::store::insert_user(&*tx, person)
        .await
        .expect("a user");
    let membership = member::Model {
        workspace_id: workspace.parse().expect("a workspace id"),
        user_id: id,
        role: role.to_owned(),
        created_at: SystemClock.now(),
    };
    workspaces::insert_member(&*tx, membership)
        .await
        .expect("a member");
    let token = auth::issue_one_time(&tx, &clock, &ids, id, 15)
        .await
        .expect("a one-time login");
    tx.commit().await.expect("a commit");
    sign_in(gateway, json!({ "one_time": token.reveal() })).await
}

pub(crate) async fn stranger(gateway: &Gateway) -> Person {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    let id: WorkspaceId = fresh(&ids);
    let tx = gateway.app().db().write().await.expect("a transaction");
    let (name, plan) = ("Elsewhere".to_owned(), "free".to_owned());
    let workspace = workspaces::WorkspaceRow::new(id, name, plan, SystemClock.now());
    workspaces::insert(&tx, workspace)
        .await
        .expect("a workspace");
    tx.commit().await.expect("a commit");
    join(gateway, &id.to_string(), "owner").await
}
