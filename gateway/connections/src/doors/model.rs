//! States of a door, and the meaning of an app's answer. No I/O.

use roost_protocol::text::clean;
use serde_json::Value;

use super::entity::Model;
use crate::apps::{CallError, Called};
use crate::checkouts::{CheckoutError, PackagesAdded, Pushed};

/// The longest text of a result, in bytes.
const MOST_MESSAGE: usize = 300;
/// The longest text about packages, in bytes.
const MOST_ABOUT_PACKAGES: usize = 2_000;
/// The longest address of a result, in bytes.
const MOST_URL: usize = 500;

/// The state of a door.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DoorState {
    /// It waits for a person.
    Pending,
    /// A person approved it; it will be sent.
    Approved,
    /// A person denied it, or its agent was deleted.
    Denied,
    /// No decision came in time; it is not sent.
    Expired,
    /// It is being sent.
    Performing,
    /// The app did it.
    Performed,
    /// The app, or its connection, refused.
    Failed,
    /// It may have been done: the answer did not arrive.
    Unclear,
}

impl DoorState {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Performing => "performing",
            Self::Performed => "performed",
            Self::Failed => "failed",
            Self::Unclear => "unclear",
        }
    }

    /// Whether the state never changes again.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Approved | Self::Performing)
    }

    /// Parses the word of the database. A word of a newer gateway becomes `Unclear`.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "pending" => Self::Pending,
            "approved" => Self::Approved,
            "denied" => Self::Denied,
            "expired" => Self::Expired,
            "performing" => Self::Performing,
            "performed" => Self::Performed,
            "failed" => Self::Failed,
            _ => Self::Unclear,
        }
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub state: DoorState,
    pub status: Option<u16>,
    pub url: Option<String>,
    pub message: Option<String>,
}

impl Outcome {
    /// The gateway stopped during the call. `sending`: it may have sent the request before.
    pub fn cut_off(sending: bool) -> Self {
        let (state, message) = match sending {
            true => (
                DoorState::Unclear,
                "The gateway stopped while it sent this. Check the app to see whether the action happened.",
            ),
            false => (
                DoorState::Failed,
                "The gateway stopped before it sent this. Nothing was sent; let the agent ask again.",
            ),
        };
        Self {
            state,
            status: None,
            url: None,
            message: Some(message.into()),
        }
    }

    /// From the app's answer, or from the error of the call.
    pub fn of(called: &Result<Called, CallError>) -> Self {
        match called {
            Ok(called) => Self::of_answer(called),
            Err(error) => Self {
                state: match error {
                    CallError::Unclear(_) => DoorState::Unclear,
                    _ => DoorState::Failed,
                },
                status: None,
                url: None,
                message: Some(clean(&error.to_string(), MOST_MESSAGE)),
            },
        }
    }

    /// From a push, or from its error. The same push may be asked for again: it changes nothing twice.
    pub fn of_push(pushed: &Result<Pushed, CheckoutError>) -> Self {
        let message = match pushed {
            Ok(pushed) if pushed.unchanged => "The code host had this commit already.".to_owned(),
            Ok(pushed) => format!("The code host has {} at {}.", pushed.branch, pushed.commit),
            Err(error) => error.words(),
        };
        Self {
            state: match pushed {
                Ok(_) => DoorState::Performed,
                Err(error) if error.is_unclear() => DoorState::Unclear,
                Err(_) => DoorState::Failed,
            },
            status: None,
            url: None,
            message: Some(clean(&message, MOST_MESSAGE)),
        }
    }

    /// The gateway stopped while it fetched packages. What came stays, and a repeat changes nothing twice.
    pub fn packages_cut_off() -> Self {
        Self::not_sent(
            "The gateway stopped while it fetched the packages. The next step in this sandbox brings the rest.",
        )
    }

    /// From the packages that came, or from the error. It is done when one of them is there.
    pub fn of_packages(added: &Result<PackagesAdded, CheckoutError>) -> Self {
        let (is_done, message) = match added {
            Ok(added) => (added.there > 0, added.words.clone()),
            Err(error) => (false, error.words()),
        };
        Self {
            state: match is_done {
                true => DoorState::Performed,
                false => DoorState::Failed,
            },
            status: None,
            url: None,
            message: Some(clean(&message, MOST_ABOUT_PACKAGES)),
        }
    }

    /// The gateway refused before it sent anything.
    pub fn not_sent(why: &str) -> Self {
        Self {
            state: DoorState::Failed,
            status: None,
            url: None,
            message: Some(clean(why, MOST_MESSAGE)),
        }
    }

    fn of_answer(called: &Called) -> Self {
        let text = |field: &str| called.body.get(field).and_then(Value::as_str);
        let done = (200..300).contains(&called.status);
        // Only an address that a page may link to. GitLab has another name for it.
        let url = text("html_url").or_else(|| text("web_url")).filter(|url| {
            url.len() <= MOST_URL
                && url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
        });
        Self {
            state: match called.status {
                _ if done => DoorState::Performed,
                // The app, or a proxy before it, failed: the action may have been done.
                500.. => DoorState::Unclear,
                _ => DoorState::Failed,
            },
            status: Some(called.status),
            url: url.map(str::to_owned),
            message: said(&called.body)
                .filter(|_| !done)
                .map(|message| clean(&message, MOST_MESSAGE)),
        }
    }
}

/// Why an app refused. GitLab sends a list, or lists by field; GitHub adds the reasons in a second field.
fn said(body: &Value) -> Option<String> {
    let mut reasons = Vec::new();
    for (field, why) in body
        .get("message")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let mut texts = Vec::new();
        collect_texts(Some(why), &mut texts);
        reasons.extend(texts.iter().map(|text| format!("{field} {text}")));
    }
    collect_texts(body.get("message"), &mut reasons);
    collect_texts(body.get("errors"), &mut reasons);
    (!reasons.is_empty()).then(|| reasons.join(": "))
}

fn collect_texts(value: Option<&Value>, into: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => into.push(text.clone()),
        Some(Value::Array(items)) => {
            let texts = items
                .iter()
                .filter_map(|item| item.as_str().or_else(|| item.get("message")?.as_str()));
            into.extend(texts.map(str::to_owned));
        }
        _ => {}
    }
}

/// The end of a door as the agent reads it, and whether it is an error. `None` while the door has no end.
pub fn result_text(door: &Model) -> Option<(String, bool)> {
    let state = DoorState::from_stored(&door.state);
    let nothing = match door.packages {
        Some(_) => "Nothing was fetched.",
        None => "Nothing was sent.",
    };
    let what = match state {
        DoorState::Pending | DoorState::Approved | DoorState::Performing => return None,
        DoorState::Performed if door.decided_by.is_none() => {
            "It was allowed, and it was done.".to_owned()
        }
        DoorState::Performed => "A person approved it, and it was done.".to_owned(),
        DoorState::Denied => format!("It was denied. {nothing}"),
        DoorState::Expired => {
            format!("Nobody decided in time, so it counts as denied. {nothing}")
        }
        DoorState::Failed => "It was approved, but it was not done.".to_owned(),
        DoorState::Unclear => {
            "It was approved, but it is unclear whether it was done. Do not ask for it again before somebody has checked."
                .to_owned()
        }
    };
    let mut text = format!("{} ({}): {what}", door.action, door.target);
    if let Some(url) = &door.result_url {
        text.push_str(&format!("\n{url}"));
    }
    if let Some(message) = &door.result_message {
        text.push_str(&format!("\n{message}"));
    }
    Some((text, state != DoorState::Performed))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(201, json!({ "html_url": "https://github.com/o/r/issues/1" }), DoorState::Performed, Some("https://github.com/o/r/issues/1"), None)]
    #[case(204, Value::Null, DoorState::Performed, None, None)]
    #[case(422, json!({ "message": "Validation\u{1b}[31m Failed" }), DoorState::Failed, None, Some("Validation[31m Failed"))]
    #[case(201, json!({ "web_url": "https://gitlab.com/o/r/-/merge_requests/1" }), DoorState::Performed, Some("https://gitlab.com/o/r/-/merge_requests/1"), None)]
    #[case(409, json!({ "message": ["Another open merge request already exists for this source branch: !1"] }), DoorState::Failed, None, Some("Another open merge request already exists for this source branch: !1"))]
    #[case(400, json!({ "message": { "title": ["is too long"], "base": ["is bad"] } }), DoorState::Failed, None, Some("base is bad: title is too long"))]
    #[case(422, json!({ "message": "Validation Failed", "errors": [{ "message": "A pull request already exists for o:b." }] }), DoorState::Failed, None, Some("Validation Failed: A pull request already exists for o:b."))]
    #[case(302, json!({}), DoorState::Failed, None, None)]
    #[case(502, Value::Null, DoorState::Unclear, None, None)]
    #[case(201, json!({ "html_url": "javascript:alert(1)" }), DoorState::Performed, None, None)]
    fn an_answer_is_understood(
        #[case] status: u16,
        #[case] body: Value,
        #[case] state: DoorState,
        #[case] url: Option<&str>,
        #[case] message: Option<&str>,
    ) {
        let outcome = Outcome::of(&Ok(Called { status, body }));
        assert_eq!(outcome.state, state);
        assert_eq!(outcome.status, Some(status));
        assert_eq!(outcome.url.as_deref(), url);
        assert_eq!(outcome.message.as_deref(), message);
    }

    #[test]
    fn door_that_was_cut_off_before_it_was_sent_has_failed() {
        assert_eq!(Outcome::cut_off(false).state, DoorState::Failed);
        assert_eq!(Outcome::cut_off(true).state, DoorState::Unclear);
    }

    #[test]
    fn states_are_read_back() {
        for word in [
            "pending",
            "approved",
            "denied",
            "expired",
            "performing",
            "performed",
            "failed",
            "unclear",
        ] {
            assert_eq!(DoorState::from_stored(word).as_str(), word);
        }
    }
}
