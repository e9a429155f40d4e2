//! Reading valid and invalid configurations.

use super::*;
use secrecy::ExposeSecret;

pub(super) fn from(
    toml: &str,
    set: &[(&str, &str)],
) -> Result<(Config, Vec<String>), ConfigErrors> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roost.toml");
    std::fs::write(&file, toml).unwrap();
    load(&Overrides {
        file: Some(file),
        set: set
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
        without_environment: true,
    })
}

#[test]
fn an_empty_file_is_a_working_configuration() {
    let (config, warnings) = from("", &[]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:7667");
    assert!(config.database_url.expose_secret().ends_with("roost.db"));
    assert_eq!(config.plans.default, "scale");
    assert_eq!(config.plans.signup, "free");
    assert!(config.sandboxes.local && !config.chaos_allow);
    assert!(warnings.is_empty());
}

#[test]
fn the_example_loads_and_every_key_that_it_offers_exists() {
    let example = include_str!("../../../../deploy/config.example.toml");
    from(example, &[]).unwrap();
    // The example with every `#` removed: values may not fit this machine, but every key must be known.
    let offers = |line: &str| {
        let key = line.split(" = ").next().unwrap_or_default();
        let named =
            |key: &str| !key.is_empty() && key.chars().all(|c| c == '_' || c.is_ascii_lowercase());
        line.starts_with('[') || (key != line && named(key))
    };
    let whole: Vec<&str> = example
        .lines()
        .map(|line| {
            line.strip_prefix("# ")
                .filter(|rest| offers(rest))
                .unwrap_or(line)
        })
        .collect();
    let problems =
        from(&whole.join("\n"), &[]).map_or_else(|errors| errors.to_string(), |_| String::new());
    assert!(
        whole.len() > 100 && !problems.contains("not a key"),
        "{problems}"
    );
}

#[test]
fn a_section_may_be_empty_when_it_exists() {
    from("[oauth]\n[auth]\n", &[]).unwrap();
    for wrong in ["[oatuh]\n", "oauth = 5\n"] {
        let error = from(wrong, &[]).unwrap_err().to_string();
        assert!(error.contains("is not a key"), "{error}");
    }
}

#[test]
fn kill_points_are_armed_only_where_it_is_allowed_and_each_wrong_order_is_named() {
    let order = "events.writer.before_commit=abort@2";
    let two = format!("{order}, actor.before_handle=panic");
    let allowed = [("chaos.allow", "true"), ("chaos.arm", two.as_str())];
    let (config, _) = from("", &allowed).unwrap();
    let armed: Vec<String> = config.chaos_arm.iter().map(ToString::to_string).collect();
    assert_eq!(armed, [order, "actor.before_handle=panic"]);
    let error = from("", &[("chaos.arm", order)]).unwrap_err().to_string();
    assert!(error.contains("chaos.allow"), "{error}");
    let wrong = [("chaos.allow", "true"), ("chaos.arm", "nowhere=panic,x")];
    let error = from("", &wrong).unwrap_err().to_string();
    assert!(
        error.contains("nowhere") && error.contains("\"x\""),
        "{error}"
    );
}

#[test]
fn flags_win_over_the_file() {
    let toml = "listen = \"127.0.0.1:1\"\n[plans]\ndefault = \"team\"\n[plans.tiny]\nagents = 1\nlive_containers = 0\n";
    let set = [("listen", "127.0.0.1:2"), ("plans.default", "tiny")];
    let (config, _) = from(toml, &set).unwrap();
    assert_eq!(config.listen.port(), 2);
    assert_eq!(config.plans.default, "tiny");
    assert_eq!(config.plans.tiers["tiny"].agents, 1);
    assert!(config.plans.tiers.contains_key("scale"));
}

#[test]
fn every_mistake_is_named_at_once_with_its_key() {
    let toml = r#"
        listen = "here"
        lisen = "127.0.0.1:1"
        heartbeat.seconds = 0
        sessions = { idle_days = 100, absolute_days = "long" }
        plans = { default = "huge" }
        log = { format = "xml" }
        tls = { cert = "/does/not/exist" }
        database = { url = "mysql://x" }
    "#;
    let mistakes = from(toml, &[]).unwrap_err().0;
    let keys: BTreeSet<&str> = mistakes.iter().map(|m| m.key.as_str()).collect();
    let expected = [
        "listen",
        "lisen",
        "heartbeat.seconds",
        "sessions.absolute_days",
        "plans.default",
        "log.format",
        "tls.cert",
        "tls.key",
        "database.url",
    ];
    assert_eq!(keys, expected.into(), "{mistakes:#?}");
    let typo = mistakes.iter().find(|m| m.key == "lisen").unwrap();
    assert!(typo.problem.contains("`listen`"), "{typo:?}");
}

#[test]
fn sandbox_caps_are_read_and_each_wrong_cap_is_named() {
    let set = [
        ("sandboxes.most_memory_bytes", "8589934592"),
        ("sandboxes.each_cpus", "1.5"),
        ("sandboxes.each_pids", "512"),
        ("limits.commands_per_minute", "60"),
    ];
    let (config, _) = from("", &set).unwrap();
    let policy = &config.sandboxes.policy;
    assert_eq!(policy.most_memory_bytes, Some(8 << 30));
    assert_eq!((policy.each_cpus, policy.each_pids), (Some(1.5), Some(512)));
    assert_eq!(config.limits.commands.a_user, 60);
    let (config, _) = from("[sandboxes]\nmost_cpus = 4\n", &[]).unwrap();
    assert_eq!(config.sandboxes.policy.most_cpus, Some(4.0));
    let wrong = "[sandboxes]\neach_pids = 1\nmost_sandboxes = 0\nimage = \"--privileged\"\n";
    let mistakes = from(wrong, &[]).unwrap_err().0;
    let keys: BTreeSet<&str> = mistakes.iter().map(|m| m.key.as_str()).collect();
    let expected = [
        "sandboxes.each_pids",
        "sandboxes.most_sandboxes",
        "sandboxes.image",
    ];
    assert_eq!(keys, expected.into(), "{mistakes:#?}");
}

#[test]
fn a_file_that_is_not_toml_and_one_that_is_not_there_are_named() {
    assert!(from("listen = ", &[]).is_err());
    let missing = Overrides {
        file: Some("/does/not/exist.toml".into()),
        without_environment: true,
        ..Overrides::default()
    };
    let error = load(&missing).unwrap_err().to_string();
    assert!(error.contains("/does/not/exist.toml"), "{error}");
}
