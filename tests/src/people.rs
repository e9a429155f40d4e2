//! People in every role. Memberships are put right into the store, which is quicker than an invitation for each;
//! sessions are opened by signing in like everybody.

use std::ops::Deref;

use roost_gateway::clock::{Clock, SystemClock};
use roost_gateway::domains::auth::{self, commands, entity::user};
use roost_gateway::domains::workspaces::{self, entity::member};
use roost_gateway::ids::{UserId, UuidV7, WorkspaceId, fresh};
use serde_json::{Value, json};

use crate::{Client, Gateway};

/// Somebody who is signed in. Derefs to their client.
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
    let person = user::Model {
        id,
        email: format!("{role}-{id}@example.test"),
        name: format!("A {role}"),
        password_hash: None,
        created_at: SystemClock.now(),
        auth_subject: None,
        hosted_role: None,
        hosted_at: None,
    };
    auth::store::insert_user(&*tx, person)
        .await
        .expect("a user");
    let membership = member::Model {
        workspace_id: workspace.parse().expect("a workspace id"),
        user_id: id,
        role: role.to_owned(),
        created_at: SystemClock.now(),
    };
    workspaces::store::insert_member(&*tx, membership)
        .await
        .expect("a member");
    let token = commands::issue_one_time(&tx, &clock, &ids, id, 15)
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
    let workspace = workspaces::entity::workspace::Model {
        id,
        name: "Elsewhere".to_owned(),
        plan: "free".to_owned(),
        created_at: SystemClock.now(),
        version: 1,
    };
    workspaces::store::insert(&tx, workspace)
        .await
        .expect("a workspace");
    tx.commit().await.expect("a commit");
    join(gateway, &id.to_string(), "owner").await
}
