//! What a person means by a name: one thing, nothing, or several that must be told apart.

use anyhow::bail;
use serde::de::DeserializeOwned;

use crate::api::{Api, Call, Page, Parsed};
use crate::show::Shown;

/// How a kind of things is called.
pub(super) struct Kind {
    /// `agent`
    pub one: &'static str,
    /// `agents`
    pub many: &'static str,
    /// The command that lists them.
    pub list: &'static str,
}

/// Things that have names.
pub(super) trait Named {
    type Id: Clone + From<String> + Shown;

    const KIND: Kind;

    fn id(&self) -> &Self::Id;

    fn is_called(&self, name: &str) -> bool;

    /// Facts that distinguish things of the same name; a dash for an unknown one.
    fn about(&self) -> Vec<String>;
}

/// Whether it is an id, which needs no looking up.
pub(super) fn is_id(wanted: &str) -> bool {
    uuid::Uuid::parse_str(wanted).is_ok()
}

/// The end of an id, which differs between ids that were made one after the other.
pub(super) fn short(id: &impl Shown) -> String {
    let text = id.shown();
    let from = text.len().saturating_sub(8);
    text.get(from..).unwrap_or(&text).to_owned()
}

/// Whether it can be the end of an id, as lists show it.
pub(super) fn is_short(wanted: &str) -> bool {
    wanted.len() >= 4
        && wanted
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// The id that `wanted` is, or the id of the one thing in the list with this name.
///
/// # Errors
/// As [`the_one`], or what the gateway said.
pub(super) async fn find<T: Named + DeserializeOwned>(
    api: &Api,
    wanted: &str,
    list: impl Fn(Option<u64>, Option<&str>) -> Call<Page<T>>,
) -> anyhow::Result<T::Id> {
    if is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let items = api.all(list).await?;
    Ok(the_one(wanted, &items)?.id().clone())
}

/// The one of `items` that has this name.
///
/// # Errors
/// When nothing is called so, or several are; then with the id of each.
pub(super) fn the_one<'a, T: Named>(
    wanted: &str,
    items: &'a [Parsed<T>],
) -> anyhow::Result<&'a Parsed<T>> {
    let mut found: Vec<&Parsed<T>> = items.iter().filter(|item| item.is_called(wanted)).collect();
    let kind = T::KIND;
    // A name goes before the end of an id.
    if found.is_empty() && is_short(wanted) {
        let ends = |item: &&Parsed<T>| item.id().shown().ends_with(wanted);
        found = items.iter().filter(ends).collect();
    }
    match found.as_slice() {
        [one] => Ok(one),
        [] => bail!("no {} is called {wanted:?}; see `{}`", kind.one, kind.list),
        several => bail!(
            "{} {} are called {wanted:?}; say which one by its id instead of its name:{}",
            several.len(),
            kind.many,
            several.iter().map(|one| line(&***one)).collect::<String>()
        ),
    }
}

/// When something was made, for [`Named::about`].
pub(super) fn made(at: &impl Shown) -> String {
    match at.shown() {
        unknown if unknown == "-" => unknown,
        at => format!("made {at}"),
    }
}

fn line(item: &impl Named) -> String {
    let mut line = format!("\n  {}", item.id().shown());
    for word in item.about().iter().filter(|word| *word != "-") {
        line.push_str(&format!("  {word}"));
    }
    line
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::api::Moment;

    #[derive(Deserialize)]
    struct Team {
        id: String,
        name: String,
        created_at: Option<Moment>,
        state: Option<String>,
    }

    impl Named for Team {
        type Id = String;

        const KIND: Kind = Kind {
            one: "team",
            many: "teams",
            list: "roost team list",
        };

        fn id(&self) -> &String {
            &self.id
        }

        fn is_called(&self, name: &str) -> bool {
            self.name == name
        }

        fn about(&self) -> Vec<String> {
            vec![made(&self.created_at), self.state.shown()]
        }
    }

    #[test]
    fn two_of_one_name_differ_by_their_details() {
        let items: Vec<Parsed<Team>> = serde_json::from_value(json!([
            { "id": "1", "name": "Ada", "created_at": "2026-11-21T05:09:40Z", "state": "ready" },
            { "id": "2", "name": "Ada" },
            { "id": "3", "name": "Bob" },
        ]))
        .unwrap();
        assert_eq!(the_one("Bob", &items).map(|one| &*one.id).unwrap(), "3");
        let fault = |name: &str| the_one(name, &items).map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            fault("Ada"),
            "2 teams are called \"Ada\"; say which one by its id instead of its name:\
             \n  1  made 2026-11-21 05:09:40 UTC  ready\n  2"
        );
        assert_eq!(
            fault("Eve"),
            "no team is called \"Eve\"; see `roost team list`"
        );
    }
}
