//! What a mission consists of, from the fields of its request: its phases, and the templates of its teams. Pure code.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::model::{PhaseKind, TemplateKind};
use roost_platform::ids::TemplateId;
use roost_web::json::Mistakes;

/// The maximum number of phases of a mission.
pub const MOST_PHASES: usize = 20;
/// The maximum number of teams for one purpose.
pub const MOST_TEAMS: usize = 10;

/// The kinds of phases that teams are minted for: the keys of `config.phase_teams`.
const PURPOSES: [PhaseKind; 2] = [PhaseKind::Research, PhaseKind::Coding];

/// A team to mint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mint {
    pub purpose: PhaseKind,
    pub template: TemplateId,
}

/// The phases of a mission, in order. Adds a mistake for each wrong value.
pub fn phases(
    kind: TemplateKind,
    config: &Map<String, Value>,
    mistakes: &mut Mistakes,
) -> Vec<PhaseKind> {
    let Some(named) = config.get("phases") else {
        if kind.phases().is_empty() {
            mistakes.add(
                "/config/phases",
                "name the phases: a mission of the kind custom has no others",
            );
        }
        return kind.phases().to_vec();
    };
    let Some(named) = named.as_array() else {
        mistakes.add("/config/phases", "must be a list of kinds of phases");
        return Vec::new();
    };
    if named.is_empty() || named.len() > MOST_PHASES {
        let detail = format!("must have 1 to {MOST_PHASES} phases");
        mistakes.add("/config/phases", detail);
    }
    let mut phases = Vec::new();
    for (place, word) in named.iter().take(MOST_PHASES).enumerate() {
        match word.as_str().and_then(PhaseKind::parse) {
            Some(kind) => phases.push(kind),
            None => mistakes.add(
                &format!("/config/phases/{place}"),
                "must be research, coding, benchmark or security_scan",
            ),
        }
    }
    phases
}

/// The teams that `config.phase_teams` names, in the order research, coding. `None` when the config has no such key.
/// Adds a mistake for each wrong value.
pub fn phase_teams(config: &Map<String, Value>, mistakes: &mut Mistakes) -> Option<Vec<Mint>> {
    let named = config.get("phase_teams")?;
    let Some(named) = named.as_object() else {
        mistakes.add(
            "/config/phase_teams",
            "must be an object with lists of template ids under the keys research and coding",
        );
        return Some(Vec::new());
    };
    let mut of_purpose: BTreeMap<PhaseKind, Vec<TemplateId>> = BTreeMap::new();
    for (key, templates) in named {
        let at = format!("/config/phase_teams/{}", escaped(key));
        let purpose = PhaseKind::parse(key).filter(|kind| PURPOSES.contains(kind));
        let Some(purpose) = purpose else {
            mistakes.add(&at, "is not a purpose: use research and coding");
            continue;
        };
        let Some(templates) = templates.as_array() else {
            mistakes.add(&at, "must be a list of template ids");
            continue;
        };
        if templates.len() > MOST_TEAMS {
            mistakes.add(&at, format!("must have at most {MOST_TEAMS} templates"));
        }
        for (place, id) in templates.iter().take(MOST_TEAMS).enumerate() {
            match id.as_str().and_then(|id| Uuid::parse_str(id).ok()) {
                Some(id) => of_purpose.entry(purpose).or_default().push(TemplateId(id)),
                None => mistakes.add(&format!("{at}/{place}"), "must be the id of a template"),
            }
        }
    }
    let mints = of_purpose.into_iter().flat_map(|(purpose, templates)| {
        let mint = move |template| Mint { purpose, template };
        templates.into_iter().map(mint)
    });
    Some(mints.collect())
}

/// The teams that a launch mints: those of the config, else one of the legacy template for the first phase with teams.
pub fn mints(
    config: &Map<String, Value>,
    legacy: Option<TemplateId>,
    phases: &[PhaseKind],
) -> Vec<Mint> {
    let mut ignored = Mistakes::default();
    if let Some(mints) = phase_teams(config, &mut ignored)
        && !mints.is_empty()
    {
        return mints;
    }
    let first = phases.iter().copied().find(|kind| kind.has_teams());
    let purpose = first.unwrap_or(PhaseKind::Coding);
    legacy
        .map(|template| Mint { purpose, template })
        .into_iter()
        .collect()
}

/// Where a mission names the template of a team, as people write it.
pub fn place_of(config: &Map<String, Value>, mints: &[Mint], place: usize) -> String {
    let named = phase_teams(config, &mut Mistakes::default());
    let Some(mint) = mints.get(place).filter(|_| named.as_deref() == Some(mints)) else {
        return "team_template_id".to_owned();
    };
    let before = mints[..place].iter();
    let number = before.filter(|one| one.purpose == mint.purpose).count();
    let purpose = mint.purpose.as_str();
    format!("config.phase_teams.{purpose}[{number}]")
}

/// The teams of a phase: those of its purpose, else all. So a mission with one team gives it all phases.
pub fn teams_of<T>(
    teams: &[T],
    purpose: impl Fn(&T) -> Option<PhaseKind>,
    kind: PhaseKind,
) -> Vec<&T> {
    let own: Vec<&T> = teams
        .iter()
        .filter(|team| purpose(team) == Some(kind))
        .collect();
    match own.is_empty() {
        true => teams.iter().take(1).collect(),
        false => own,
    }
}

/// A key in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn wrong(mistakes: Mistakes) -> Vec<String> {
        let error = mistakes.done().err();
        let errors = error.map(|error| error.errors).unwrap_or_default();
        errors.into_iter().map(|error| error.pointer).collect()
    }

    fn id(n: u128) -> TemplateId {
        TemplateId(Uuid::from_u128(n))
    }

    #[test]
    fn config_overrides_the_phases_of_the_kind() {
        let mut mistakes = Mistakes::default();
        let config = object(json!({ "phases": ["coding", "benchmark"] }));
        let found = phases(TemplateKind::Research, &config, &mut mistakes);
        assert_eq!(found, [PhaseKind::Coding, PhaseKind::Benchmark]);
        let found = phases(TemplateKind::Development, &Map::new(), &mut mistakes);
        assert_eq!(found, [PhaseKind::Research, PhaseKind::Coding]);
        assert!(mistakes.done().is_ok());
    }

    #[test]
    fn wrong_phases_name_their_place() {
        for (config, pointer) in [
            (json!({ "phases": "coding" }), "/config/phases"),
            (json!({ "phases": [] }), "/config/phases"),
            (json!({ "phases": ["coding", "magic"] }), "/config/phases/1"),
            (json!({ "phases": [7] }), "/config/phases/0"),
            (json!({}), "/config/phases"),
            (json!({ "phases": vec!["coding"; 21] }), "/config/phases"),
        ] {
            let mut mistakes = Mistakes::default();
            phases(TemplateKind::Custom, &object(config), &mut mistakes);
            assert_eq!(wrong(mistakes), [pointer]);
        }
    }

    #[test]
    fn teams_are_minted_in_the_order_research_coding() {
        let config = object(
            json!({ "phase_teams": { "coding": [id(2).0, id(3).0], "research": [id(1).0] } }),
        );
        let found = mints(&config, Some(id(9)), &[]);
        let of = |purpose, n| Mint {
            purpose,
            template: id(n),
        };
        let expected = [
            of(PhaseKind::Research, 1),
            of(PhaseKind::Coding, 2),
            of(PhaseKind::Coding, 3),
        ];
        assert_eq!(found, expected);
        let places = [0, 1, 2].map(|place| place_of(&config, &found, place));
        let expected = ["research[0]", "coding[0]", "coding[1]"];
        assert_eq!(
            places,
            expected.map(|at| format!("config.phase_teams.{at}"))
        );
    }

    #[test]
    fn legacy_template_is_used_without_phase_teams() {
        let phases = [PhaseKind::Benchmark, PhaseKind::Coding];
        for config in [json!({}), json!({ "phase_teams": {} })] {
            let found = mints(&object(config.clone()), Some(id(9)), &phases);
            let expected = Mint {
                purpose: PhaseKind::Coding,
                template: id(9),
            };
            assert_eq!(found, [expected]);
            let place = place_of(&object(config), &found, 0);
            assert_eq!(place, "team_template_id");
        }
        assert_eq!(mints(&Map::new(), None, &phases), []);
    }

    #[test]
    fn wrong_phase_teams_name_their_place() {
        for (config, pointer) in [
            (json!({ "phase_teams": [] }), "/config/phase_teams"),
            (
                json!({ "phase_teams": { "benchmark": [] } }),
                "/config/phase_teams/benchmark",
            ),
            (
                json!({ "phase_teams": { "a/b": [] } }),
                "/config/phase_teams/a~1b",
            ),
            (
                json!({ "phase_teams": { "coding": "x" } }),
                "/config/phase_teams/coding",
            ),
            (
                json!({ "phase_teams": { "coding": ["x"] } }),
                "/config/phase_teams/coding/0",
            ),
            (
                json!({ "phase_teams": { "coding": vec![id(1).0; 11] } }),
                "/config/phase_teams/coding",
            ),
        ] {
            let mut mistakes = Mistakes::default();
            phase_teams(&object(config), &mut mistakes);
            assert_eq!(wrong(mistakes), [pointer]);
        }
    }

    #[test]
    fn phase_without_a_team_of_its_own_gets_the_first_team() {
        let teams = [(1, PhaseKind::Research), (2, PhaseKind::Research)];
        let purpose = |team: &(i32, PhaseKind)| Some(team.1);
        assert_eq!(teams_of(&teams, purpose, PhaseKind::Research).len(), 2);
        let coding = teams_of(&teams, purpose, PhaseKind::Coding);
        assert_eq!(coding, [&(1, PhaseKind::Research)]);
    }
}
