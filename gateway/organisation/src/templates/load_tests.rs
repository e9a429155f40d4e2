//! Repeated loading, of older and newer versions.

use super::*;
use crate::templates::model::{Category, Content, Role};
use roost_platform::ids::WorkspaceId;
use roost_tenancy::auth::WorkspaceScope;
use roost_test_database::Scratch;

fn template(key: &str, version: i64, prompt: &str) -> Builtin {
    let role = Role {
        slot: "coder".to_owned(),
        title: "Coder".to_owned(),
        seat: None,
        on_reject: None,
        back_to: None,
        summary: String::new(),
        system_prompt: prompt.to_owned(),
        skills: vec!["nobody-wrote-this".to_owned()],
        brain_seed: "seed".to_owned(),
    };
    Builtin {
        key: key.to_owned(),
        version,
        content: Content {
            name: key.to_owned(),
            description: String::new(),
            stack: "any".to_owned(),
            default_topology: "single".to_owned(),
            risk_profile: "toolfree".to_owned(),
            mcp_bundles: vec!["skills".to_owned()],
            category: Category::Development,
            image: None,
            needs: Vec::new(),
            roles: vec![role],
        },
    }
}

async fn loaded(scratch: &Scratch, all: &[Builtin]) -> usize {
    let tx = scratch.db.write().await.unwrap();
    let written = load_all(&tx, DateTime::UNIX_EPOCH, all).await.unwrap();
    tx.commit().await.unwrap();
    written
}

#[tokio::test]
async fn a_higher_number_is_a_version_more_and_the_former_one_stays_readable() {
    for scratch in Scratch::all().await {
        let (one, two) = (template("t", 1, "first"), template("t", 2, "second"));
        assert_eq!(loaded(&scratch, std::slice::from_ref(&one)).await, 1);
        assert_eq!(loaded(&scratch, std::slice::from_ref(&one)).await, 0);
        assert_eq!(loaded(&scratch, std::slice::from_ref(&two)).await, 1);
        // An older gateway starts beside the newer one.
        assert_eq!(loaded(&scratch, std::slice::from_ref(&one)).await, 0);
        let scope = WorkspaceScope::of_row(WorkspaceId(uuid::Uuid::nil()));
        let id = builtin_id("t");
        let now = store::get(scratch.db.read(), scope, id)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((now.row.version, now.content()), (2, two.content));
        for (version, content) in [(1, Some(one.content)), (3, None)] {
            let row = store::version(scratch.db.read(), scope, id, version)
                .await
                .unwrap();
            let found = row.map(|row| Content::from_stored(&row.content).unwrap());
            assert_eq!(found, content);
        }
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_text_that_is_being_written_overwrites_its_own_version() {
    for scratch in Scratch::all().await {
        assert_eq!(loaded(&scratch, &[template("t", 1, "first")]).await, 1);
        let changed = template("t", 1, "first, written on");
        assert_eq!(loaded(&scratch, std::slice::from_ref(&changed)).await, 1);
        assert_eq!(loaded(&scratch, std::slice::from_ref(&changed)).await, 0);
        let scope = WorkspaceScope::of_row(WorkspaceId(uuid::Uuid::nil()));
        let now = store::get(scratch.db.read(), scope, builtin_id("t"))
            .await
            .unwrap()
            .unwrap();
        assert_eq!((now.row.version, now.content()), (1, changed.content));
        scratch.remove().await;
    }
}
