//! A command beside the gateway creates no database and changes no schema.

use sea_orm::ConnectionTrait;

use roost_platform::db::{Access, Db, DbError, Missing};
use roost_platform::events::Hub;
use roost_test_database::Scratch;

async fn refused(url: &str, access: Access) -> DbError {
    let opened = Db::open(url, access, Hub::default()).await;
    opened.err().expect("there is nothing to work on")
}

#[tokio::test]
async fn missing_file_is_named_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/roost.db");
    let url = format!("sqlite:{}?mode=rwc", file.display());
    for access in [Access::Beside, Access::Saving] {
        let error = refused(&url, access).await;
        assert!(
            error.to_string().contains(&file.display().to_string()),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_without_anything_of_roost_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roost.db");
    std::fs::write(&file, "").unwrap();
    let error = refused(&format!("sqlite:{}", file.display()), Access::Saving).await;
    assert!(
        matches!(error, DbError::Missing(Missing::Empty(_))),
        "{error}"
    );
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn an_older_schema_is_not_brought_up_to_date_by_a_command() {
    for scratch in Scratch::all().await {
        let forget = "DELETE FROM seaql_migrations \
                      WHERE version = (SELECT MAX(version) FROM seaql_migrations)";
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared(forget).await.unwrap();
        tx.commit().await.unwrap();
        for _ in 0..2 {
            let error = refused(&scratch.url, Access::Beside).await;
            assert!(matches!(error, DbError::Older { .. }), "{error}");
        }
        let saving = Db::open(&scratch.url, Access::Saving, Hub::default());
        saving.await.unwrap().close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn an_empty_database_of_a_server_is_refused_and_stays_empty() {
    let Some(scratch) = Scratch::postgres().await else {
        return;
    };
    let tx = scratch.db.write().await.unwrap();
    tx.execute_unprepared("CREATE SCHEMA empty").await.unwrap();
    tx.commit().await.unwrap();
    let mut url = url::Url::parse(&scratch.url).unwrap();
    url.query_pairs_mut()
        .append_pair("options", "-c search_path=empty");
    for _ in 0..2 {
        let error = refused(url.as_str(), Access::Beside).await;
        assert!(
            matches!(error, DbError::Missing(Missing::Empty(_))),
            "{error}"
        );
    }
    scratch.remove().await;
}
