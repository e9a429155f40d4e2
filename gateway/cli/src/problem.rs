//! Problems of the API as people at a terminal read them: each mistake once, fields by their names, and commands where the
//! API names its routes.

use crate::api::types::{FieldError, Problem};
use crate::show::clean;

/// What the API calls by its routes, and how it is done here.
const COMMANDS: &[(&str, &str)] = &[
    (
        "POST /api/claws/{id}/sandbox",
        "`roost sandbox provision AGENT`",
    ),
    ("POST /api/topology-runs/compare", "`roost run compare`"),
];

/// A problem in a sentence, or one for each mistake, with what finds it again in the log.
pub(super) fn sentence(problem: &Problem, status: u16) -> String {
    let text_of = |field: &Option<String>| field.as_deref().map(clean);
    let (title, detail) = (text_of(&problem.title), text_of(&problem.detail));
    let errors = problem.errors.iter().flatten();
    let mistakes: Vec<Mistake> = errors.map(Mistake::of).collect();
    // The detail of a problem repeats its first mistake where nothing is to be said of all of them.
    let repeats = |detail: &String| {
        mistakes.iter().any(|mistake| {
            *detail == mistake.detail
                || *detail == format!("{}: {}", mistake.pointer, mistake.detail)
        })
    };
    let whole = detail.clone().filter(|detail| !repeats(detail));
    let text = match (whole, mistakes.as_slice()) {
        (None, [one]) => one.said(detail.as_ref()),
        (None, []) => title.unwrap_or_else(|| format!("the gateway answered {status}")),
        (whole, mistakes) => {
            let title = title.map(|title| format!("{title}:"));
            let mut text = whole.or(title).unwrap_or_default();
            for mistake in mistakes {
                text.push_str(&format!("\n  {}", mistake.said(None)));
            }
            text
        }
    };
    let text = COMMANDS
        .iter()
        .fold(text, |text, (route, command)| text.replace(route, command));
    let code = text_of(&problem.code).unwrap_or_else(|| status.to_string());
    match text_of(&problem.request_id) {
        Some(request) => format!("{text} ({code}, request {request})"),
        None => format!("{text} ({code})"),
    }
}

struct Mistake {
    pointer: String,
    detail: String,
}

impl Mistake {
    fn of(error: &FieldError) -> Self {
        let part = |text: &Option<String>| clean(text.as_deref().unwrap_or_default());
        Self {
            pointer: part(&error.pointer),
            detail: part(&error.detail),
        }
    }

    /// With its field, unless the problem's own sentence says all.
    fn said(&self, sentence: Option<&String>) -> String {
        let name = name_of(&self.pointer);
        match name.is_empty() || sentence == Some(&self.detail) {
            true => self.detail.clone(),
            false => format!("{name}: {}", self.detail),
        }
    }
}

/// A field by its name: `/limits/pids` is `limits.pids`, and `/roles/0/slot` is `roles[1].slot`, counted as people count.
fn name_of(pointer: &str) -> String {
    let mut name = String::new();
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        match part.parse::<u64>() {
            Ok(place) if !name.is_empty() => {
                name.push_str(&format!("[{}]", place.saturating_add(1)));
            }
            _ => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(&part.replace("~1", "/").replace("~0", "~"));
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn sentence(problem: &Value, status: u16) -> String {
        let problem = serde_json::from_value(problem.clone()).unwrap();
        super::sentence(&problem, status)
    }

    #[test]
    fn a_problem_reads_as_a_sentence_with_what_finds_it_again() {
        let problem = json!({ "title": "T", "detail": "The \u{1b}[31mmachine is away.", "code": "conflict", "request_id": "r1" });
        assert_eq!(
            sentence(&problem, 409),
            "The \\x1b[31mmachine is away. (conflict, request r1)"
        );
        assert_eq!(sentence(&json!({}), 502), "the gateway answered 502 (502)");
    }

    #[test]
    fn one_mistake_is_said_once_and_by_the_fields_name() {
        let error = json!({ "pointer": "/limits/pids", "detail": "must be 1 to 4096" });
        let problem = json!({ "title": "The request is not valid", "detail": "/limits/pids: must be 1 to 4096",
            "code": "validation", "errors": [error] });
        assert_eq!(
            sentence(&problem, 400),
            "limits.pids: must be 1 to 4096 (validation)"
        );
        let words = "Another agent is called Ada. Choose another name.";
        let taken = json!({ "title": "T", "detail": words, "code": "name-taken",
            "errors": [{ "pointer": "/name", "detail": words }] });
        assert_eq!(sentence(&taken, 409), format!("{words} (name-taken)"));
    }

    #[test]
    fn several_mistakes_have_a_line_each() {
        let problem = json!({ "title": "The request is not valid", "detail": "/name: must not be empty", "code": "validation",
            "errors": [{ "pointer": "/name", "detail": "must not be empty" },
                       { "pointer": "/roles/0/slot", "detail": "must be a word" }] });
        assert_eq!(
            sentence(&problem, 400),
            "The request is not valid:\n  name: must not be empty\n  roles[1].slot: must be a word (validation)"
        );
    }

    #[test]
    fn terminal_output_names_commands_and_no_routes() {
        let problem = json!({ "detail": "The agent has no sandbox; make one with POST /api/claws/{id}/sandbox.", "code": "no-sandbox" });
        assert_eq!(
            sentence(&problem, 409),
            "The agent has no sandbox; make one with `roost sandbox provision AGENT`. (no-sandbox)"
        );
    }
}
