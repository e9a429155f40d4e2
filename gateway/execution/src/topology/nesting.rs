//! Teams that work in teams: whether one contains itself, and how deep they are nested. Without recursion, because users
//! supply the graphs.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::graph::{Graph, NodeKind};

/// A team, and the teams that work in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    pub name: String,
    pub teams: Vec<Uuid>,
}

/// Teams by their ids.
pub type Nesting = BTreeMap<Uuid, Nested>;

/// The teams that work in a graph, each once.
pub fn teams_of(graph: &Graph) -> Vec<Uuid> {
    let mut seen = BTreeSet::new();
    let teams = graph
        .nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Team)
        .filter_map(|node| node.attributes.team);
    teams.filter(|team| seen.insert(*team)).collect()
}

/// The number of levels below and including this team. A team without teams in it has one.
///
/// # Errors
/// The circle, with its first team again at its end, when a team contains itself.
pub fn levels(nesting: &Nesting, from: Uuid) -> Result<usize, Vec<Uuid>> {
    let mut known: BTreeMap<Uuid, usize> = BTreeMap::new();
    // The way down, each team with the number of its teams that were visited.
    let mut way: Vec<(Uuid, usize)> = vec![(from, 0)];
    while let Some((team, visited)) = way.last_mut() {
        let teams = nesting.get(team).map_or(&[][..], |nested| &nested.teams);
        if let Some(&next) = teams.get(*visited) {
            *visited += 1;
            if let Some(start) = way.iter().position(|(team, _)| *team == next) {
                let circle = way[start..].iter().map(|(team, _)| *team);
                return Err(circle.chain([next]).collect());
            }
            if !known.contains_key(&next) {
                way.push((next, 0));
            }
            continue;
        }
        let below = teams.iter().filter_map(|team| known.get(team)).max();
        known.insert(*team, 1 + below.copied().unwrap_or(0));
        way.pop();
    }
    Ok(known.get(&from).copied().unwrap_or(1))
}

/// A circle in words: `Writers → Reviewers → Writers`.
pub fn circle_in_words(nesting: &Nesting, circle: &[Uuid]) -> String {
    let name = |team: &Uuid| match nesting.get(team) {
        Some(nested) => nested.name.clone(),
        None => team.to_string(),
    };
    let names: Vec<String> = circle.iter().map(name).collect();
    names.join(" → ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(n: usize) -> Uuid {
        Uuid::from_u128(n as u128)
    }

    fn nesting(edges: &[(usize, usize)]) -> Nesting {
        let mut nesting = Nesting::new();
        for &(from, to) in edges {
            for n in [from, to] {
                nesting.entry(id(n)).or_insert_with(|| Nested {
                    name: format!("T{n}"),
                    teams: Vec::new(),
                });
            }
            if let Some(nested) = nesting.get_mut(&id(from)) {
                nested.teams.push(id(to));
            }
        }
        nesting
    }

    #[test]
    fn circle_is_named_from_the_team_that_closes_it() {
        let nesting = nesting(&[(1, 2), (2, 3), (3, 4), (4, 2)]);
        let circle = levels(&nesting, id(1)).unwrap_err();
        assert_eq!(circle_in_words(&nesting, &circle), "T2 → T3 → T4 → T2");
        let own = levels(&self::nesting(&[(1, 1)]), id(1)).unwrap_err();
        assert_eq!(own, [id(1), id(1)]);
    }

    #[test]
    fn diamond_is_not_a_circle() {
        let nesting = nesting(&[(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]);
        assert_eq!(levels(&nesting, id(1)), Ok(4));
        assert_eq!(levels(&nesting, id(9)), Ok(1));
    }

    proptest! {
        #[test]
        fn edges_that_go_up_have_levels_and_one_that_goes_back_makes_a_circle(
            edges in prop::collection::vec((0..12usize, 0..12usize), 1..40),
        ) {
            let up: Vec<(usize, usize)> = edges
                .iter()
                .filter(|(from, to)| from != to)
                .map(|&(a, b)| (a.min(b), a.max(b)))
                .collect();
            prop_assume!(!up.is_empty());
            let (first, last) = up[0];
            let levels_of = levels(&nesting(&up), id(first));
            prop_assert!((2..=12).contains(&levels_of.unwrap()));
            let back: Vec<(usize, usize)> = up.iter().copied().chain([(last, first)]).collect();
            let circle = levels(&nesting(&back), id(first)).unwrap_err();
            prop_assert_eq!(circle.first(), circle.last());
            prop_assert!(circle.len() >= 3);
        }
    }
}
