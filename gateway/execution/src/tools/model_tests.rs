//! The gate, for every profile with every set of bundles.

use proptest::prelude::*;

use super::*;

fn every_set() -> Vec<BTreeSet<Bundle>> {
    (0..16_u8)
        .map(|bits| {
            Bundle::ALL
                .into_iter()
                .enumerate()
                .filter_map(|(at, bundle)| (bits >> at & 1 == 1).then_some(bundle))
                .collect()
        })
        .collect()
}

fn names(profile: Profile, bundles: &[Bundle]) -> Vec<&'static str> {
    offered(profile, &bundles.iter().copied().collect())
        .iter()
        .map(|tool| tool.name)
        .collect()
}

#[test]
fn a_profile_offers_exactly_what_is_written_here() {
    use Bundle::{Door, Repo, Sandbox, Skills};
    let all = [Skills, Sandbox, Repo];
    assert_eq!(
        names(Profile::Toolfree, &all),
        ["list_skills", "read_skill"]
    );
    assert_eq!(
        names(Profile::ResearchReadonly, &all),
        [
            "list_skills",
            "read_skill",
            "read_file",
            "list_files",
            "status",
            "diff",
            "log"
        ]
    );
    assert_eq!(
        names(Profile::CodingReadwrite, &all),
        [
            "list_skills",
            "read_skill",
            "shell",
            "read_file",
            "write_file",
            "list_files",
            "status",
            "diff",
            "commit",
            "log"
        ]
    );
    assert!(names(Profile::CodingReadwrite, &[]).is_empty());
    assert_eq!(
        names(Profile::Toolfree, &[Door]),
        ["door.actions", "door.ask"]
    );
    assert_eq!(
        names(Profile::CodingReadwrite, &[Repo]),
        ["status", "diff", "commit", "log"]
    );
}

#[test]
fn a_stronger_profile_offers_all_that_a_weaker_one_does_and_no_bundle_leaks_into_another() {
    for bundles in every_set() {
        let of = |profile| {
            offered(profile, &bundles)
                .into_iter()
                .map(|tool| tool.name)
                .collect::<BTreeSet<_>>()
        };
        let [weak, middle, strong] = Profile::ALL.map(of);
        assert!(
            weak.is_subset(&middle) && middle.is_subset(&strong),
            "{bundles:?}"
        );
        for tool in offered(Profile::CodingReadwrite, &bundles) {
            assert!(bundles.contains(&tool.bundle), "{}", tool.name);
        }
    }
}

#[test]
fn no_tool_under_any_profile_speaks_http_or_drives_a_browser() {
    for tool in catalogue::all() {
        let Some(fields) = tool.schema["properties"].as_object() else {
            panic!("{} has no properties", tool.name);
        };
        for field in fields.keys() {
            assert!(
                !["url", "uri", "host", "method", "headers", "header"].contains(&field.as_str()),
                "{} takes {field}",
                tool.name
            );
        }
        for word in ["http", "fetch", "browser", "navigate", "curl", "request"] {
            assert!(!tool.name.contains(word), "{}", tool.name);
        }
        assert_eq!(tool.schema["additionalProperties"], false, "{}", tool.name);
    }
}

#[test]
fn names_are_unique_and_fit_every_protocol() {
    let tools = catalogue::all();
    let names: BTreeSet<_> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), tools.len());
    for tool in tools {
        // MCP accepts a dot. Models see an underscore instead (`tool_names.rs` of the runtime).
        let dot = tool.bundle == Bundle::Door;
        let fits = |c: char| c.is_ascii_lowercase() || c == '_' || (c == '.' && dot);
        assert!(
            tool.name.len() <= 64 && tool.name.chars().all(fits),
            "{}",
            tool.name
        );
    }
}

#[test]
fn words_of_the_store_come_back_as_they_were_and_unknown_ones_do_not() {
    for profile in Profile::ALL {
        assert_eq!(Profile::parse(profile.as_str()), Some(profile));
        assert_eq!(serde_json::json!(profile), profile.as_str());
    }
    for bundle in Bundle::ALL {
        assert_eq!(Bundle::parse(bundle.as_str()), Some(bundle));
        assert_eq!(serde_json::json!(bundle), bundle.as_str());
    }
    assert_eq!(
        (Profile::parse("admin"), Bundle::parse("web")),
        (None, None)
    );
}

proptest! {
    #[test]
    fn parts_of_effects_are_the_same_each_time_and_never_meet(a in any::<u128>(), b in any::<u128>(), x in ".{0,20}", y in ".{0,20}") {
        let (first, second) = (EffectKey(Uuid::from_u128(a)), EffectKey(Uuid::from_u128(b)));
        prop_assert_eq!(first.part(&x), first.part(&x));
        prop_assert_ne!(first.part(&x), first);
        if a != b { prop_assert_ne!(first.part(&x), second.part(&x)); }
        if x != y { prop_assert_ne!(first.part(&x), first.part(&y)); }
    }
}

fn grant() -> impl Strategy<Value = Grant> {
    let profile = proptest::option::of(proptest::sample::select(&Profile::ALL[..]));
    let bundles =
        proptest::collection::btree_set(proptest::sample::select(&Bundle::ALL[..]), 0..=4);
    (profile, bundles).prop_map(|(profile, bundles)| Grant { profile, bundles })
}

proptest! {
    /// A step may use exactly what one of the sources grants and the effective profile allows.
    #[test]
    fn effective_bundles_are_the_union_of_all_sources_cut_by_the_profile(
        record in grant(), template in proptest::option::of(grant()), team in proptest::option::of(grant()),
    ) {
        let (profile, bundles) = effective(&record, template.as_ref(), team.as_ref());
        let of = |grant: &Option<Grant>| grant.as_ref().and_then(|grant| grant.profile);
        let expected = of(&team).or(of(&template)).or(record.profile).unwrap_or(Profile::Toolfree);
        prop_assert_eq!(profile, expected);
        let sources = [Some(&record), template.as_ref(), team.as_ref()];
        let granted: BTreeSet<Bundle> = sources.into_iter().flatten().flat_map(|grant| grant.bundles.clone()).collect();
        for bundle in Bundle::ALL {
            let needs_sandbox = matches!(bundle, Bundle::Sandbox | Bundle::Repo);
            let is_cut = needs_sandbox && profile == Profile::Toolfree;
            prop_assert_eq!(bundles.contains(&bundle), granted.contains(&bundle) && !is_cut);
        }
        // The cut changes what is shown, and never what is offered.
        prop_assert_eq!(offered(profile, &bundles), offered(profile, &granted));
    }
}

#[test]
fn door_of_a_minted_record_reaches_a_step_of_a_team_that_does_not_name_it() {
    let record = Grant {
        profile: Some(Profile::Toolfree),
        bundles: BTreeSet::from([Bundle::Door]),
    };
    let template = Grant {
        profile: Some(Profile::CodingReadwrite),
        bundles: BTreeSet::from([Bundle::Sandbox]),
    };
    let (profile, bundles) = effective(&record, Some(&template), Some(&Grant::default()));
    assert_eq!(profile, Profile::CodingReadwrite);
    assert_eq!(bundles, BTreeSet::from([Bundle::Door, Bundle::Sandbox]));
}

#[test]
fn unknown_profile_of_a_row_is_the_narrowest_one() {
    let team = Grant::from_stored(Some("all_of_it"), BTreeSet::from([Bundle::Sandbox]));
    let record = Grant {
        profile: Some(Profile::CodingReadwrite),
        ..Grant::default()
    };
    assert_eq!(
        effective(&record, None, Some(&team)),
        (Profile::Toolfree, BTreeSet::new())
    );
}
