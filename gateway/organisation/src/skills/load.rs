//! Loads the built-in skills when a gateway starts. It writes only what changed. Of gateways that start at once, one
//! writes, and the others find nothing to do.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::{skill, version};
use super::model::{Loading, SourceKind, Visibility, builtin_id, loading};
use super::{builtin, store};
use roost_platform::db::WriteTx;
use roost_platform::ids::UserId;

/// The key of the lock for loading, "skil" in ASCII. Of gateways that start at once, one loads, and the others find
/// nothing to do.
const LOADING: i64 = 0x736b_696c;

/// Updates the rows to the texts of this program. Returns how many were written. A text that this program does not
/// have any more stays, because agents may use it.
///
/// # Errors
/// When the database fails.
pub async fn load(tx: &WriteTx, now: DateTime<Utc>) -> Result<usize, DbErr> {
    load_texts(tx, now, builtin::all()).await
}

async fn load_texts(
    tx: &WriteTx,
    now: DateTime<Utc>,
    texts: &[builtin::Text],
) -> Result<usize, DbErr> {
    tx.alone(LOADING).await?;
    let present = store::builtin(&**tx, None).await?;
    let mut written = 0;
    for text in texts {
        let wanted = row(text, now);
        let there = present.iter().find(|row| row.id == wanted.id);
        let what = loading(there, &wanted);
        written += usize::from(what != Loading::Same);
        let row = match (what, there) {
            (Loading::Insert, _) | (_, None) => {
                store::insert(&**tx, wanted.clone()).await?;
                wanted
            }
            (Loading::Same, _) => continue,
            (_, Some(there)) => {
                let row = skill::Model {
                    created_at: there.created_at,
                    current_version: there.current_version + i64::from(what == Loading::Version),
                    ..wanted
                };
                store::replace(&**tx, &row, there.current_version).await?;
                row
            }
        };
        if what != Loading::About {
            store::insert_version(&**tx, version_of(&row)).await?;
        }
    }
    Ok(written)
}

fn row(text: &builtin::Text, now: DateTime<Utc>) -> skill::Model {
    skill::Model {
        id: builtin_id(&text.head.name),
        workspace_id: None,
        name: text.head.name.clone(),
        title: text.head.title.clone(),
        when_to_use: text.head.when_to_use.clone(),
        tags: serde_json::json!(text.head.tags).to_string(),
        source_kind: SourceKind::Builtin.as_str().to_owned(),
        visibility: Visibility::Builtin.as_str().to_owned(),
        foundation: text.head.foundation,
        current_version: 1,
        body: text.body.clone(),
        created_at: now,
        updated_at: now,
        deleted_at: None,
    }
}

fn version_of(row: &skill::Model) -> version::Model {
    version::Model {
        skill_id: row.id,
        version: row.current_version,
        workspace_id: None,
        title: row.title.clone(),
        when_to_use: row.when_to_use.clone(),
        tags: row.tags.clone(),
        body: row.body.clone(),
        promoted_from: None,
        restored_from: None,
        author: UserId::SYSTEM,
        at: row.updated_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_test_database::Scratch;

    fn text(name: &str, body: &str) -> builtin::Text {
        builtin::Text {
            head: builtin::Head {
                name: name.to_owned(),
                title: "A".to_owned(),
                when_to_use: "x".to_owned(),
                tags: vec!["t".to_owned()],
                foundation: false,
            },
            body: body.to_owned(),
        }
    }

    async fn loaded(scratch: &Scratch, texts: &[builtin::Text]) -> usize {
        let tx = scratch.db.write().await.unwrap();
        let written = load_texts(&tx, DateTime::UNIX_EPOCH, texts).await.unwrap();
        tx.commit().await.unwrap();
        written
    }

    #[tokio::test]
    async fn only_another_body_makes_another_version_and_a_text_that_is_gone_stays() {
        for scratch in Scratch::all().await {
            let (ant, bee) = (text("ant", "one"), text("bee", "two"));
            assert_eq!(loaded(&scratch, &[ant.clone(), bee.clone()]).await, 2);
            assert_eq!(loaded(&scratch, &[ant.clone(), bee.clone()]).await, 0);
            let mut said = ant.clone();
            said.head.title = "Ants".to_owned();
            assert_eq!(loaded(&scratch, &[said.clone(), bee]).await, 1);
            said.body = "three".to_owned();
            assert_eq!(loaded(&scratch, &[said]).await, 1);
            let rows = store::builtin(scratch.db.read(), None).await.unwrap();
            let of = |name: &str| rows.iter().find(|row| row.name == name).unwrap().clone();
            let (ant, bee) = (of("ant"), of("bee"));
            assert_eq!(
                (ant.current_version, ant.body.as_str(), ant.title.as_str()),
                (2, "three", "Ants")
            );
            assert_eq!((bee.current_version, bee.deleted_at), (1, None));
            let all = roost_web::pagination::PageRequest {
                limit: 9,
                after: None,
            };
            let versions = store::history(scratch.db.read(), &ant, all).await.unwrap();
            let numbers: Vec<i64> = versions.iter().map(|one| one.version).collect();
            assert_eq!(numbers, [2, 1]);
            scratch.remove().await;
        }
    }
}
