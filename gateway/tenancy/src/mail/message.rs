//! The messages: plain text, the reason first. Pure code.

use roost_platform::ids::{DoorId, InvitationId, MissionId, RunId, UserId};

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A person confirms a new address. Each new wish is a message of its own.
    Address {
        user: UserId,
        token_sha256: String,
    },
    Invitation(InvitationId),
    RunEnded(RunId),
    /// A run waits. Each wait is told once.
    RunWaits {
        run: RunId,
        since_ms: i64,
    },
    MissionEnded(MissionId),
    /// A mission is paused and waits for a person. Each attempt of its phases is told once.
    MissionPaused {
        mission: MissionId,
        attempts: i32,
    },
    Approval(DoorId),
}

impl Purpose {
    /// The key of a message: there is one for each thing.
    pub fn key(&self) -> String {
        match self {
            Self::Address { user, token_sha256 } => format!("address/{user}/{token_sha256}"),
            Self::Invitation(id) => format!("invitation/{id}"),
            Self::RunEnded(id) => format!("run-ended/{id}"),
            Self::RunWaits { run, since_ms } => format!("run-waits/{run}/{since_ms}"),
            Self::MissionEnded(id) => format!("mission-ended/{id}"),
            Self::MissionPaused { mission, attempts } => {
                format!("mission-paused/{mission}/{attempts}")
            }
            Self::Approval(id) => format!("approval/{id}"),
        }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    pub purpose: Purpose,
    pub recipient: String,
    pub subject: String,
    pub text: String,
}

/// How work ended, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkEnd<'a> {
    Failed(&'a str),
    /// It completed, and its goal was not met.
    Rejected(&'a str),
    Completed,
    /// It goes on when a person says how.
    Paused(&'a str),
}

/// The last sentence of a notice.
const WHY: &str =
    "You get this message because you turned notices on, in the settings of your account.";
/// The longest text of others in a message, in characters.
const LONGEST: usize = 200;

/// A text of people or agents on one line.
fn one_line(text: &str) -> String {
    roost_protocol::text::clean(text, LONGEST).replace(['\n', '\r'], " ")
}

impl Mail {
    /// The link by which a person confirms a new address.
    pub fn address(purpose: Purpose, recipient: &str, name: &str, link: &str) -> Self {
        Self {
            purpose,
            recipient: recipient.to_owned(),
            subject: "Confirm your e-mail address for Roost".to_owned(),
            text: format!(
                "{name}, open this link to use {recipient} for your Roost account:\n\n{link}\n\nIt works once, for 24 hours. \
                 Without it, nothing changes. If you did not ask for it, ignore this message.\n",
                name = one_line(name),
            ),
        }
    }

    /// An invitation into a workspace.
    pub fn invitation(
        id: InvitationId,
        recipient: &str,
        (inviter, workspace): (&str, &str),
        link: &str,
    ) -> Self {
        let (inviter, workspace) = (one_line(inviter), one_line(workspace));
        Self {
            purpose: Purpose::Invitation(id),
            recipient: recipient.to_owned(),
            subject: format!("{inviter} invites you to {workspace} on Roost"),
            text: format!(
                "{inviter} invites you to the workspace {workspace} on Roost. Open this link to join:\n\n{link}\n\nIt works \
                 once. If you do not know {inviter}, ignore this message.\n"
            ),
        }
    }

    /// Work that ended or is paused. `what` is the word for it, and then its title.
    pub fn ended(
        purpose: Purpose,
        recipient: &str,
        (what, title): (&str, &str),
        end: WorkEnd<'_>,
        link: &str,
    ) -> Self {
        let title = one_line(title);
        let (word, said) = match end {
            WorkEnd::Failed(reason) => ("Failed", format!("failed: {}", one_line(reason))),
            WorkEnd::Rejected(reason) => (
                "Rejected",
                format!("ended without its goal: {}", one_line(reason)),
            ),
            WorkEnd::Completed => ("Completed", "is completed.".to_owned()),
            WorkEnd::Paused(reason) => (
                "Paused",
                format!("is paused and waits for you: {}", one_line(reason)),
            ),
        };
        Self {
            purpose,
            recipient: recipient.to_owned(),
            subject: format!("{word}: {title}"),
            text: format!("Your {what} \"{title}\" {said}\n\n{link}\n\n{WHY}\n"),
        }
    }

    /// A run that waits. `why` is a sentence.
    pub fn run_waits(
        (run, since_ms): (RunId, i64),
        recipient: &str,
        (title, why): (&str, &str),
        link: &str,
    ) -> Self {
        let (title, why) = (one_line(title), one_line(why));
        Self {
            purpose: Purpose::RunWaits { run, since_ms },
            recipient: recipient.to_owned(),
            subject: format!("Waits: {title}"),
            text: format!("Your run \"{title}\" waits. {why}\n\n{link}\n\n{WHY}\n"),
        }
    }

    /// An agent that waits for an approval.
    pub fn approval(
        id: DoorId,
        recipient: &str,
        (title, action): (&str, &str),
        link: &str,
    ) -> Self {
        let (title, action) = (one_line(title), one_line(action));
        Self {
            purpose: Purpose::Approval(id),
            recipient: recipient.to_owned(),
            subject: format!("Waits for your approval: {title}"),
            text: format!(
                "The agent {title} waits for your approval of: {action}\n\n{link}\n\n{WHY}\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn texts_of_others_stay_on_one_line_and_are_cut() {
        let title = format!("one\r\nBcc: eve@example.test\n{}", "x".repeat(1_000));
        let id = RunId(Uuid::from_u128(1));
        let mail = Mail::ended(
            Purpose::RunEnded(id),
            "a@example.test",
            ("run", &title),
            WorkEnd::Failed("no"),
            "https://r.example/runs/1",
        );
        assert!(!mail.subject.contains(['\n', '\r']), "{}", mail.subject);
        assert!(mail.subject.chars().count() < 300);
        assert!(mail.text.contains("https://r.example/runs/1"));
    }
}
