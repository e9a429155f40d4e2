//! Messages of the command line: ambiguous names, mistakes, unreachable addresses.

use roost_tests::{Gateway, eventually};
use serde_json::{Value, json};

use super::Terminal;

async fn team(gateway: &Gateway, name: &str) -> String {
    let new = json!({ "name": name, "topology": "single", "roles": [{ "slot": "writer" }], "model_binding": "scripted" });
    let owner = gateway.owner().await;
    let made = owner.post("/api/teams").json(&new).expect(201).await;
    made.str("/id").to_owned()
}

#[tokio::test]
async fn two_of_one_name_are_listed_with_their_ids_and_what_is_missing_is_named() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let (one, two) = (team(&gateway, "Ledger").await, {
        // An agent's name is its own, so the second team names its agent.
        let new = json!({ "name": "Ledger", "topology": "single", "model_binding": "scripted",
            "roles": [{ "slot": "writer", "name": "Another" }] });
        let made = owner.post("/api/teams").json(&new).expect(201).await;
        made.str("/id").to_owned()
    });
    let err = terminal.refused(&["team", "show", "Ledger"]).await;
    for part in ["2 teams are called \"Ledger\"", &one, &two, "by its id"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert!(terminal.runs(&["team", "show", &one]).await.ok);

    let nowhere = terminal.refused(&["workspace", "switch", "nope"]).await;
    assert!(
        nowhere.contains("no workspace of yours is called \"nope\"; see `roost workspace list`"),
        "{nowhere}"
    );
    let nowhere = terminal
        .refused(&["--workspace", "bad", "claw", "list"])
        .await;
    assert!(
        nowhere.contains("no workspace of yours is called \"bad\""),
        "{nowhere}"
    );
    let unknown = "00000000-0000-0000-0000-000000000001";
    let nowhere = terminal
        .refused(&["--workspace", unknown, "claw", "list"])
        .await;
    assert!(
        nowhere.contains("There is no such workspace, or you do not belong to it."),
        "{nowhere}"
    );
    let me = owner.get("/api/auth/me").expect(200).await;
    let name = me.str("/workspace/name");
    let listed = terminal.runs(&["--workspace", name, "team", "list"]).await;
    // Lists show the ends of ids, and commands take them.
    let end = one.get(one.len() - 8..).expect("an id");
    assert!(listed.ok && listed.out.contains(end), "{}", listed.err);
    assert!(terminal.runs(&["team", "show", end]).await.ok);
    gateway.stop().await;
}

#[tokio::test]
async fn mistake_is_reported_once_with_the_field_and_a_command() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let err = terminal.refused(&["claw", "create", ""]).await;
    assert_eq!(err.matches("must have 1 to").count(), 1, "{err}");
    assert!(
        err.starts_with("roost: name: ") && !err.contains("/name"),
        "{err}"
    );

    assert!(terminal.runs(&["claw", "create", "Ada"]).await.ok);
    let err = terminal
        .refused(&["sandbox", "exec", "Ada", "--", "true"])
        .await;
    assert!(
        err.contains("roost sandbox provision") && !err.contains("/api/"),
        "{err}"
    );
    let compare = [
        "team",
        "create",
        "x",
        "--topology",
        "compare",
        "--role",
        "a",
    ];
    let err = terminal.refused(&compare).await;
    assert!(
        err.contains("`roost run compare`") && !err.contains("/api/"),
        "{err}"
    );

    let single = [
        "team",
        "create",
        "x",
        "--topology",
        "single",
        "--role",
        "a",
        "--role",
        "b",
    ];
    let err = terminal.refused(&single).await;
    assert!(
        err.contains("a team of the kind single is one agent, and these are 2 roles (a, b)"),
        "{err}"
    );
    let listed = terminal.runs(&["team", "list", "--json"]).await;
    assert_eq!(listed.out.trim(), "[]");
    gateway.stop().await;
}

#[tokio::test]
async fn a_template_of_several_roles_is_no_single_until_one_of_them_is_named() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let templates = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = templates.body["items"].as_array().expect("a list");
    let sdlc = items.iter().find(|one| one["key"] == "rust_sdlc");
    let mut new = json!({ "name": "Alone", "template_id": sdlc.expect("it is built in")["id"], "topology": "single" });
    let refused = owner.post("/api/teams").json(&new);
    let refused = refused.refused(400, "validation").await;
    assert_eq!(refused.str("/errors/0/pointer"), "/roles");
    new["roles"] = json!([{ "slot": "coder" }]);
    let made = owner.post("/api/teams").json(&new).expect(201).await;
    assert_eq!(made.body["members"].as_array().map(Vec::len), Some(1));
    gateway.stop().await;
}

#[tokio::test]
async fn runs_are_listed_with_their_titles_and_their_teams() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let id = team(&gateway, "Ledger").await;
    let started = terminal
        .runs(&["team", "run", &id, "Say something.", "--detach"])
        .await;
    assert!(started.ok, "{}", started.err);
    let run = started.out.trim();
    let whole: Value = owner
        .get(&format!("/api/topology-runs/{run}"))
        .expect(200)
        .await
        .body
        .clone();
    let title = whole["title"].as_str().expect("a title");
    let listed = terminal.runs(&["run", "list"]).await;
    let mut lines = listed.out.lines();
    let head = lines.next().expect("a head");
    let row = lines.next().expect("the run");
    for (name, cell) in [("TITLE", title), ("TEAM", "Ledger")] {
        let at = head.find(name).expect("the column");
        assert!(row[at..].starts_with(cell), "{name}:\n{head}\n{row}");
    }
    eventually("the run is over", async || {
        let shown = terminal.runs(&["run", "show", run]).await;
        shown.out.contains("completed").then_some(())
    })
    .await;
    let shown = terminal.runs(&["run", "show", run]).await;
    assert!(shown.out.contains("team     Ledger\n"), "{}", shown.out);
    gateway.stop().await;
}

#[tokio::test]
async fn a_join_code_for_another_machine_says_when_its_address_leads_nowhere_from_there() {
    let warning = "Other machines cannot reach this address.";
    let here = Gateway::start().await;
    let terminal = Terminal::signed_in(&here.url(), &here.owner().await.token).await;
    let said = terminal.runs(&["node", "pair"]).await;
    assert!(said.ok && said.err.contains(warning), "{}", said.err);
    assert!(said.err.contains("`public_url`"), "{}", said.err);
    // A script that pairs the gateway's own machine, as `make run` does, has no use for it.
    let json = terminal.runs(&["node", "pair", "--json"]).await;
    assert!(json.ok && json.err.is_empty(), "{}", json.err);
    here.stop().await;

    let known = Gateway::start_with(&[("public_url", "https://roost.example.com")]).await;
    let terminal = Terminal::signed_in(&known.url(), &known.owner().await.token).await;
    let said = terminal.runs(&["node", "pair"]).await;
    assert!(
        said.ok && !said.err.contains("cannot reach"),
        "{}",
        said.err
    );
    known.stop().await;
}

#[tokio::test]
async fn an_operator_sets_a_plan_by_name_and_a_team_that_does_not_fit_says_what_is_missing() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let (operator, person) = (gateway.owner().await, gateway.stranger().await);
    let terminal = Terminal::signed_in(&gateway.url(), &operator.token).await;
    let theirs = Terminal::signed_in(&gateway.url(), &person.token).await;
    let crew = ["team", "create", "Crew", "--template", "rust_sdlc"];
    for name in ["One", "Two"] {
        let claw = person.post("/api/claws").json(&json!({ "name": name }));
        claw.expect(201).await;
    }
    let err = theirs.refused(&crew).await;
    assert!(
        err.contains("This needs 5 agents") && err.contains("2 are missing"),
        "{err}"
    );
    let err = theirs
        .refused(&["workspace", "plan", "Elsewhere", "team"])
        .await;
    assert!(err.contains("Only operators of the deployment"), "{err}");
    let plans = terminal.runs(&["workspace", "plans"]).await;
    assert!(
        plans.ok && plans.out.contains("scale"),
        "{}{}",
        plans.out,
        plans.err
    );
    let wrong = terminal
        .refused(&["workspace", "plan", "Elsewhere", "huge"])
        .await;
    assert!(
        wrong.contains("plan: must be a plan of this deployment: free, scale, team"),
        "{wrong}"
    );
    let nobody = terminal
        .refused(&["workspace", "plan", "Nowhere", "team"])
        .await;
    assert!(
        nobody.contains("no workspace of this deployment is called \"Nowhere\""),
        "{nobody}"
    );
    let set = terminal
        .runs(&["workspace", "plan", "Elsewhere", "team"])
        .await;
    assert!(
        set.ok && set.out.contains("Elsewhere has the plan team now."),
        "{}{}",
        set.out,
        set.err
    );
    let made = theirs.runs(&crew).await;
    assert!(made.ok, "{}", made.err);
    let log = theirs
        .runs(&["audit", "list", "--action", "workspace.*"])
        .await;
    let line = log
        .out
        .lines()
        .find(|line| line.contains("workspace.plan_set"));
    let line = line.unwrap_or_default();
    assert!(
        line.contains(&operator.email) && line.ends_with("team"),
        "{}{}",
        log.out,
        log.err
    );
    gateway.stop().await;
}

#[tokio::test]
async fn completions_name_the_commands_and_a_shell_reads_them() {
    let terminal = Terminal::new();
    for shell in ["bash", "zsh", "fish"] {
        let said = terminal.runs(&["completions", shell]).await;
        assert!(said.ok, "{shell}: {}", said.err);
        for command in ["agent", "approval", "sandbox", "completions"] {
            assert!(said.out.contains(command), "{shell} lacks {command}");
        }
        if shell == "bash" {
            let file = terminal.folder().join("roost.bash");
            std::fs::write(&file, &said.out).expect("written");
            let checked = std::process::Command::new("bash")
                .arg("-n")
                .arg(&file)
                .status();
            assert!(checked.expect("bash starts").success());
        }
    }
    let refused = terminal.refused(&["completions", "tcsh"]).await;
    assert!(refused.contains("possible values"), "{refused}");
    let help = terminal.runs(&["--help"]).await.out;
    assert!(
        help.contains("agent") && help.contains("[alias: claw]"),
        "{help}"
    );
    assert!(!help.contains("chaos"), "{help}");
}
