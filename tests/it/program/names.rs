//! Names that people give to things: which are refused, and what becomes of those that look odd but are right.

use roost_tests::{Gateway, Person};
use serde_json::{Value, json};

/// A kind of things, with the request that makes one of them with a name.
struct Kind {
    what: &'static str,
    path: &'static str,
    /// The field with the name.
    field: &'static str,
    /// The longest name, in characters.
    most: usize,
    /// The rest of the request. The number differs from request to request.
    rest: fn(u32) -> Value,
    /// A second one of the same name is refused. Otherwise their ids tell them apart.
    unique: bool,
}

const KINDS: &[Kind] = &[
    Kind {
        what: "agent",
        path: "/api/claws",
        field: "name",
        most: 100,
        rest: |_| json!({}),
        unique: true,
    },
    Kind {
        what: "team",
        path: "/api/teams",
        field: "name",
        most: 100,
        rest: |_| json!({ "topology": "single", "roles": [{ "slot": "one" }] }),
        unique: false,
    },
    Kind {
        what: "skill",
        path: "/api/skills",
        field: "title",
        most: 120,
        rest: |n| json!({ "name": format!("skill-{n}"), "when_to_use": "Never.", "tags": [], "body": "# Nothing" }),
        unique: false,
    },
    Kind {
        what: "template",
        path: "/api/team-templates",
        field: "name",
        most: 100,
        rest: |n| {
            json!({ "key": format!("template_{n}"), "description": "", "stack": "any", "category": "ops",
                "default_topology": "single", "risk_profile": "toolfree", "mcp_bundles": ["skills"],
                "roles": [{ "slot": "one", "title": "One", "summary": "", "system_prompt": "Work.",
                    "skills": [], "brain_seed": "# Seed" }] })
        },
        unique: false,
    },
    Kind {
        what: "mission",
        path: "/api/missions",
        field: "title",
        most: 200,
        rest: |_| json!({ "template_kind": "research", "goal": "Read." }),
        unique: false,
    },
    Kind {
        what: "API token",
        path: "/api/auth/sessions",
        field: "label",
        most: 100,
        rest: |_| json!({}),
        unique: false,
    },
    Kind {
        what: "workspace",
        path: "/api/workspaces",
        field: "name",
        most: 100,
        rest: |_| json!({}),
        unique: false,
    },
];

/// Right, and shown as they are.
const RIGHT: &[&str] = &[
    "שלום עולם",
    "مرحبا",
    "می\u{200c}خواهم",
    "👩\u{200d}💻 crew 🇪🇺",
    "Ada",
    // With a Cyrillic letter, so another name that looks the same.
    "\u{410}da",
    "e\u{301}",
    "<b>& \"it's\" {{x}} $(id)</b>",
];

/// Refused: they hide something, or are more than a line.
const WRONG: &[&str] = &[
    "",
    " \t ",
    "two\nlines",
    "a\ttab",
    "nul\u{0}",
    "bell\u{7}",
    "esc\u{1b}[2J",
    "gpj.\u{202e}exe",
    "zero\u{200b}width",
    "mark\u{200f}",
    "iso\u{2066}late",
    "soft\u{ad}hyphen",
    "tag\u{e0041}",
    "\u{200d}joiner",
    "line\u{2028}end",
    "\u{feff}begin",
];

struct Names<'a> {
    owner: &'a Person,
    made: u32,
}

impl Names<'_> {
    fn body(&mut self, kind: &Kind, name: &str) -> Value {
        self.made += 1;
        let mut body = (kind.rest)(self.made);
        body[kind.field] = json!(name);
        body
    }

    async fn is_made(&mut self, kind: &Kind, name: &str) -> String {
        let body = self.body(kind, name);
        let made = self.owner.post(kind.path).json(&body).expect(201).await;
        assert_eq!(made.str(&format!("/{}", kind.field)), name, "{}", kind.what);
        made.str("/id").to_owned()
    }

    async fn is_refused(&mut self, kind: &Kind, name: &str) {
        let body = self.body(kind, name);
        let refused = self.owner.post(kind.path).json(&body);
        let refused = refused.refused(400, "validation").await;
        let pointer = format!("/{}", kind.field);
        assert_eq!(refused.str("/errors/0/pointer"), pointer, "{}", kind.what);
    }
}

#[tokio::test]
async fn names_are_one_line_that_can_be_seen_and_stay_as_they_were_given() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut names = Names { owner, made: 0 };
    for kind in KINDS {
        for name in WRONG {
            names.is_refused(kind, name).await;
        }
        names.is_refused(kind, &"ä".repeat(kind.most + 1)).await;
        names.is_made(kind, &"ä".repeat(kind.most)).await;
        for name in RIGHT {
            names.is_made(kind, name).await;
        }
        let again = names.body(kind, "Ada");
        match kind.unique {
            true => {
                let refused = owner.post(kind.path).json(&again);
                refused.refused(409, "name-taken").await;
            }
            false => {
                let (one, other) = (
                    names.is_made(kind, "Twin").await,
                    names.is_made(kind, "Twin").await,
                );
                assert_ne!(one, other, "{}", kind.what);
            }
        }
    }
    gateway.stop().await;
}
