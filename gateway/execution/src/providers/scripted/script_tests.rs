//! Scripts: which turn follows, what is filled in, and which mistakes are refused.

use super::*;

fn conversation(prompt: &str, results: &[&str]) -> Conversation {
    Conversation {
        prompt: prompt.to_owned(),
        results: results.iter().map(|text| (*text).to_owned()).collect(),
        tools: Vec::new(),
    }
}

const SMALL: &str = r#"
    [[scene]]
    slot = "tester"
      [[scene.turn]]
      say = "I run them."
      calls = [{ tool = "shell", arguments = { command = "make test" } }]
      [[scene.turn]]
      when = 'status=0'
      say = "They pass."
      [[scene.turn]]
      when = 'status=(?<code>\d+)'
      say = "It failed with ${code}, not ${other}."
      calls = [{ tool = "read_file", arguments = { path = "/tmp/${code}" } }]
      [[scene.turn]]
      say = "The end after ${code}."
"#;

#[test]
fn the_script_that_comes_with_roost_is_one() {
    assert!(!Script::demonstration().scenes.is_empty());
}

#[test]
fn results_decide_the_scripts_turn_and_names_are_kept() {
    let script = Script::parse(SMALL).unwrap();
    let line = script.line("tester", "work", &conversation("go", &[]));
    assert_eq!(line.calls[0].0, "shell");
    assert_eq!(
        script
            .line("tester", "work", &conversation("go", &["status=0"]))
            .say,
        "They pass."
    );
    let failed = script.line("tester", "work", &conversation("go", &["status=101"]));
    assert_eq!(failed.say, "It failed with 101, not ${other}.");
    assert_eq!(failed.calls[0].1["path"], "/tmp/101");
    let end = script.line(
        "tester",
        "work",
        &conversation("go", &["status=101", "whatever"]),
    );
    assert_eq!(
        (end.say.as_str(), end.calls.len()),
        ("The end after 101.", 0)
    );
}

#[test]
fn script_continues_from_the_bookmark_of_its_summary() {
    let script = Script::parse(SMALL).unwrap();
    let whole = conversation("go", &["status=101", "whatever"]);
    let older = conversation("go", &["status=101"]);
    let summary = script.summary("tester", "work", &older);
    let rest = conversation(&format!("go\n\n{summary}\nmore"), &["whatever"]);
    assert_eq!(
        script.line("tester", "work", &rest),
        script.line("tester", "work", &whole)
    );
    // A summary of a summary has the bookmark of both.
    let nothing = conversation(&format!("go\n\n{summary}"), &[]);
    let again = script.summary("tester", "work", &nothing);
    assert_eq!(bookmark(&again), bookmark(&summary));
    let small = format!("window = 9000\n{SMALL}");
    assert_eq!(Script::parse(&small).unwrap().window, 9_000);
    assert_eq!(script.window, WINDOW);
}

#[test]
fn unknown_prompt_is_reported_and_ends_the_script() {
    let script = Script::parse(SMALL).unwrap();
    for line in [
        script.line("poet", "work", &conversation("go", &[])),
        script.line(
            "tester",
            "work",
            &conversation("go", &["status=1", "x", "y"]),
        ),
    ] {
        assert!(
            line.calls.is_empty() && line.say.contains("script"),
            "{line:?}"
        );
    }
}

#[test]
fn a_turn_is_passed_over_when_what_came_back_is_what_it_is_not_for() {
    let script = Script::parse(
        "[[scene]]\n[[scene.turn]]\nunless = 'known'\nsay = 'unknown'\n[[scene.turn]]\nsay = 'go on'",
    );
    let script = script.unwrap();
    assert_eq!(
        script.line("any", "plan", &conversation("known", &[])).say,
        "go on"
    );
    assert_eq!(
        script.line("any", "plan", &conversation("new", &[])).say,
        "unknown"
    );
}

#[test]
fn turn_is_skipped_where_its_tool_is_not_offered() {
    let script = Script::parse(
        "[[scene]]\n[[scene.turn]]\noffered = 'door.ask'\nsay = 'I ask'\n[[scene.turn]]\nsay = 'I cannot ask'",
    );
    let script = script.unwrap();
    let mut asked = conversation("go", &[]);
    assert_eq!(script.line("any", "work", &asked).say, "I cannot ask");
    asked.tools.push("door_ask".to_owned());
    assert_eq!(script.line("any", "work", &asked).say, "I ask");
}

#[test]
fn scene_for_a_prompt_is_used_where_it_matches() {
    let script = Script::parse(
        "[[scene]]\nprompt = 'demo/\\w+'\n[[scene.turn]]\nsay = 'known'\n[[scene]]\n[[scene.turn]]\nsay = 'any'",
    );
    let script = script.unwrap();
    let said = |prompt| script.line("any", "work", &conversation(prompt, &[])).say;
    assert_eq!(said("The repository demo/tally"), "known");
    assert_eq!(said("The repository acme/tally"), "any");
    let wrong = Script::parse("[[scene]]\nprompt = '('\n[[scene.turn]]\nsay = 'x'");
    assert!(matches!(wrong, Err(ScriptError::Prompt { scene: 1, .. })));
}

#[test]
fn a_script_with_a_mistake_says_where() {
    let wrong = SMALL.replace("status=0", "status=(");
    let error = Script::parse(&wrong).unwrap_err().to_string();
    assert!(error.contains("scene 1, turn 2"), "{error}");
    assert!(matches!(
        Script::parse("[[scene]]\nturn = []"),
        Err(ScriptError::Empty(1))
    ));
    assert!(matches!(
        Script::parse("[[scene]]\nslot = 1"),
        Err(ScriptError::Form(_))
    ));
}
