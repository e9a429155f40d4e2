//! Reads the sums, and the names of their keys.

use std::collections::HashMap;

use sea_orm::DbErr;
use uuid::Uuid;

use super::context::RunUseContext;
use super::dto::{UseBy, UseRow};
use super::model::{Key, Keyed, folded, ordered};
use roost_execution::runs::{self, Sums, SumsBy, Times};
use roost_missions::missions;
use roost_organisation::{teams, templates};
use roost_platform::ids::{MissionId, TeamId, TemplateId, UserId};
use roost_tenancy::auth::{self, WorkspaceScope};

/// SQLite limits the parameters of a statement.
const AT_ONCE: usize = 500;

/// The rows in their order, and the sums of those without room.
pub(super) async fn rows(
    context: &RunUseContext,
    scope: WorkspaceScope,
    by: UseBy,
    times: Times,
) -> Result<(Vec<UseRow>, Option<Sums>), DbErr> {
    let sums_by = match by {
        UseBy::Team | UseBy::Template => SumsBy::Team,
        UseBy::Mission => SumsBy::Mission,
        UseBy::Person => SumsBy::Person,
        UseBy::Model => SumsBy::Model,
        UseBy::Day => SumsBy::Day,
    };
    let sums = runs::sums(context.db.read(), scope, sums_by, times).await?;
    let mut found: Vec<Keyed> = sums.into_iter().map(Keyed::from).collect();
    if by == UseBy::Template {
        found = by_template(context, scope, found).await?;
    }
    let (found, others) = ordered(found);
    let ids: Vec<Uuid> = found.iter().filter_map(id).collect();
    let names = names(context, scope, by, &ids).await?;
    let named = |row: Keyed| {
        let name = match &row.key {
            Some(Key::Id(id)) => names.get(id).cloned(),
            Some(key) => Some(key.to_string()),
            None => None,
        };
        UseRow::new(row, name)
    };
    Ok((found.into_iter().map(named).collect(), others))
}

fn id(row: &Keyed) -> Option<Uuid> {
    match row.key {
        Some(Key::Id(id)) => Some(id),
        _ => None,
    }
}

/// The sums of teams, by their templates. A deleted team has no template any more.
async fn by_template(
    context: &RunUseContext,
    scope: WorkspaceScope,
    rows: Vec<Keyed>,
) -> Result<Vec<Keyed>, DbErr> {
    let ids: Vec<TeamId> = rows.iter().filter_map(id).map(TeamId).collect();
    let mut of_teams = HashMap::new();
    for some in ids.chunks(AT_ONCE) {
        of_teams.extend(teams::templates(context.db.read(), scope, some).await?);
    }
    let with_template = rows.into_iter().map(|row| {
        let template = id(&row).and_then(|team| *of_teams.get(&TeamId(team))?);
        Keyed {
            key: template.map(|template| Key::Id(template.0)),
            ..row
        }
    });
    Ok(folded(with_template.collect()))
}

/// The names of these ids, as far as the things exist.
async fn names(
    context: &RunUseContext,
    scope: WorkspaceScope,
    by: UseBy,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, String>, DbErr> {
    let db = context.db.read();
    let ids = ids.iter().copied();
    Ok(match by {
        UseBy::Team => {
            let ids: Vec<TeamId> = ids.map(TeamId).collect();
            let names = teams::names(db, scope, &ids).await?;
            names.into_iter().map(|(id, name)| (id.0, name)).collect()
        }
        UseBy::Template => {
            let ids: Vec<TemplateId> = ids.map(TemplateId).collect();
            let names = templates::names(db, scope, &ids).await?;
            names.into_iter().map(|(id, name)| (id.0, name)).collect()
        }
        UseBy::Mission => {
            let ids: Vec<MissionId> = ids.map(MissionId).collect();
            let names = missions::titles(db, scope, &ids).await?;
            names.into_iter().map(|(id, name)| (id.0, name)).collect()
        }
        UseBy::Person => {
            let people = auth::users_by_id(db, ids.map(UserId)).await?;
            people
                .into_iter()
                .map(|user| (user.id.0, user.name))
                .collect()
        }
        UseBy::Model | UseBy::Day => HashMap::new(),
    })
}
