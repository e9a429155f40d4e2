//! The A2A protocol as a client speaks it, in the dialects 1.0 and 0.3: requests, and what the answers say. Pure code.
//!
//! The dialect is found by asking: a server that does not know the method of 1.0 has done nothing, so the same message goes to
//! it in 0.3. A card is not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use roost_protocol::guest::runtime::{Asked, Reply};

/// The most bytes of an answer.
pub const MOST_ANSWER: u64 = 2 << 20;
/// How long a server may take for a message. Some answer only when the work is done.
const SEND_S: u64 = 3_600;
const ASK_S: u64 = 60;
/// The most characters of a server's words in a reason.
const MOST_SAID: usize = 2_000;

/// The version of the protocol that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    #[serde(rename = "1.0")]
    V1,
    #[serde(rename = "0.3")]
    V03,
}

impl Dialect {
    /// The dialects, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::V1, Self::V03];

    /// The version on the wire.
    pub const fn version(self) -> &'static str {
        match self {
            Self::V1 => "1.0",
            Self::V03 => "0.3",
        }
    }
}

/// What a server's answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Heard {
    /// The work is done, with this text.
    Done { text: String },
    /// The task continues.
    Working { dialect: Dialect, task: String },
    /// The step cannot continue. The reason is for people.
    Stopped { why: String },
    /// The server has no such task: it was started anew.
    Lost,
    /// The server does not speak the dialect. It has done nothing.
    Foreign,
    /// The server did not take the request.
    Away { why: String },
    /// The server may have taken the request. It may be sent again, with the same message id.
    Again { why: String },
}

/// The request that sends a message. The server answers at once when it can.
pub fn send(dialect: Dialect, path: &str, message: &str, text: &str) -> Asked {
    let params = match dialect {
        Dialect::V1 => json!({
            "message": { "messageId": message, "role": "ROLE_USER", "parts": [{ "text": text }] },
            "configuration": { "returnImmediately": true, "acceptedOutputModes": ["text/plain"] },
        }),
        Dialect::V03 => json!({
            "message": {
                "kind": "message", "messageId": message, "role": "user",
                "parts": [{ "kind": "text", "text": text }],
            },
            "configuration": { "blocking": false, "acceptedOutputModes": ["text/plain"] },
        }),
    };
    let method = match dialect {
        Dialect::V1 => "SendMessage",
        Dialect::V03 => "message/send",
    };
    call(dialect, path, (method, message), params, SEND_S)
}

/// The request for the state of a task.
pub fn task(dialect: Dialect, path: &str, id: &str) -> Asked {
    let method = match dialect {
        Dialect::V1 => "GetTask",
        Dialect::V03 => "tasks/get",
    };
    let params = json!({ "id": id, "historyLength": 0 });
    call(dialect, path, (method, id), params, ASK_S)
}

/// The request to cancel a task.
pub fn cancel(dialect: Dialect, path: &str, id: &str) -> Asked {
    let method = match dialect {
        Dialect::V1 => "CancelTask",
        Dialect::V03 => "tasks/cancel",
    };
    call(dialect, path, (method, id), json!({ "id": id }), ASK_S)
}

/// A request that any server answers, and that changes nothing.
pub fn knock() -> Asked {
    Asked {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        headers: BTreeMap::new(),
        body: String::new(),
        timeout_s: ASK_S,
        most: MOST_ANSWER,
    }
}

fn call(
    dialect: Dialect,
    path: &str,
    (method, id): (&str, &str),
    params: Value,
    timeout_s: u64,
) -> Asked {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("A2A-Version", dialect.version()),
    ];
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    Asked {
        method: "POST".to_owned(),
        path: path.to_owned(),
        headers: BTreeMap::from(headers.map(|(name, value)| (name.to_owned(), value.to_owned()))),
        body: body.to_string(),
        timeout_s,
        most: MOST_ANSWER,
    }
}

/// Reads an answer.
pub fn hear(dialect: Dialect, reply: &Reply) -> Heard {
    let (status, body) = match reply {
        Reply::Answered { status, body } => (*status, body),
        Reply::TooLong => {
            let most = MOST_ANSWER >> 20;
            return stopped(&format!("The runtime's answer is longer than {most} MiB."));
        }
        Reply::NotTaken(why) => {
            let why = format!("The runtime does not take requests: {}", said(why));
            return Heard::Away { why };
        }
        Reply::Broken(why) => {
            let why = format!("The runtime's answer did not come: {}", said(why));
            return Heard::Again { why };
        }
    };
    let answer: Option<Value> = serde_json::from_str(body).ok();
    if let Some(answer) = &answer {
        if let Some(error) = answer.get("error").filter(|error| error.is_object()) {
            return refused(error);
        }
        if let Some(result) = answer.get("result")
            && let Some(heard) = result_of(dialect, result)
        {
            return heard;
        }
    }
    match status {
        401 | 403 => stopped(&format!(
            "The runtime refused the bearer of its pairing ({status})."
        )),
        500.. => Heard::Again {
            why: format!("The runtime answered {status}: {}", said(body)),
        },
        _ => stopped(&format!(
            "The runtime answered {status}, and not as A2A does: {}",
            said(body)
        )),
    }
}

fn refused(error: &Value) -> Heard {
    let code = error.get("code").and_then(Value::as_i64);
    let words = error.get("message").and_then(Value::as_str);
    let words = words.unwrap_or_default();
    match code {
        // The method or the version is unknown.
        Some(-32601 | -32009) => Heard::Foreign,
        Some(-32001) => Heard::Lost,
        // The official SDK says it so in 0.3.
        Some(-32603) if words == "Task not found" => Heard::Lost,
        code => {
            let code = code.map_or_else(String::new, |code| format!(" ({code})"));
            stopped(&format!(
                "The runtime refused the request{code}: {}",
                said(words)
            ))
        }
    }
}

/// What a result says: a message, a task, or an object with one of them.
fn result_of(dialect: Dialect, result: &Value) -> Option<Heard> {
    if let Some(message) = result.get("message").filter(|it| it.get("parts").is_some()) {
        return Some(done(text_of(message)));
    }
    if result.get("parts").is_some() {
        return Some(done(text_of(result)));
    }
    let task = result.get("task").unwrap_or(result);
    let status = task.get("status")?;
    let state = status.get("state")?.as_str()?;
    let state = state.trim_start_matches("TASK_STATE_").to_ascii_lowercase();
    let words = status.get("message").map(text_of).unwrap_or_default();
    Some(match state.replace('_', "-").as_str() {
        "completed" => {
            let text = match words.trim().is_empty() {
                false => words,
                true => artifacts_of(task),
            };
            done(text)
        }
        "submitted" | "working" | "unspecified" => Heard::Working {
            dialect,
            task: task.get("id")?.as_str()?.to_owned(),
        },
        "input-required" => ended("The runtime asks for more input", &words),
        "auth-required" => ended("The runtime asks for a sign-in", &words),
        "rejected" => ended("The runtime rejected the work", &words),
        "canceled" => ended("The runtime cancelled the work", &words),
        "failed" => ended("The runtime failed", &words),
        other => ended(
            &format!("The runtime is in the unknown state {}", said(other)),
            &words,
        ),
    })
}

fn done(text: String) -> Heard {
    match text.trim().is_empty() {
        true => stopped("The runtime completed the work, and handed over no text."),
        false => Heard::Done { text },
    }
}

fn ended(what: &str, words: &str) -> Heard {
    stopped(&match words.trim() {
        "" => format!("{what}."),
        words => format!("{what}: {}", said(words)),
    })
}

fn stopped(why: &str) -> Heard {
    Heard::Stopped {
        why: why.to_owned(),
    }
}

fn said(words: &str) -> String {
    words.trim().chars().take(MOST_SAID).collect()
}

/// The text parts of a message or an artifact.
fn text_of(of: &Value) -> String {
    let parts = of.get("parts").and_then(Value::as_array);
    let texts = parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn artifacts_of(task: &Value) -> String {
    let artifacts = task.get("artifacts").and_then(Value::as_array);
    let texts = artifacts.into_iter().flatten().map(text_of);
    texts
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[cfg(test)]
#[path = "a2a_tests.rs"]
mod tests;
