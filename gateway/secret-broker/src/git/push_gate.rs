//! What a push may say to a host: one command, read before any of it is sent.

use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures::stream::{self, Stream, StreamExt};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use roost_secret_broker::wire::{Fault, FaultCode};

/// Longest list of commands.
const LONGEST: usize = 16 << 10;

/// The only command that passes.
pub(super) struct Command {
    pub(super) commit: String,
    /// The whole name of the branch.
    pub(super) onto: String,
}

/// A checked body.
pub(super) type Checked = Pin<Box<dyn Stream<Item = Result<Bytes, std::io::Error>> + Send>>;

/// What the beginning of a body is.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// More bytes are needed.
    Part,
    /// The one command.
    Command,
    /// No command: git tries whether it may push at all.
    Nothing,
    Other,
}

/// Reads the commands at the beginning of the body, and returns the whole body if they are the one that is allowed.
///
/// # Errors
/// [`FaultCode::NotAllowed`].
pub(super) async fn check(mut body: Incoming, only: &Command, most: u64) -> Result<Checked, Fault> {
    let other = || {
        Fault::new(
            FaultCode::NotAllowed,
            "git asked the host for another change than the one that was approved",
        )
    };
    let mut begin = BytesMut::new();
    loop {
        match seen(&begin, only) {
            Seen::Command => break,
            Seen::Other => return Err(other()),
            Seen::Part | Seen::Nothing => {}
        }
        match body.frame().await {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    begin.extend_from_slice(data);
                }
            }
            None if seen(&begin, only) == Seen::Nothing => break,
            Some(Err(_)) | None => return Err(other()),
        }
    }
    let rest = body
        .into_data_stream()
        .map(|piece| piece.map_err(std::io::Error::other));
    let whole = stream::once(async { Ok(begin.freeze()) }).chain(rest);
    let mut passed = 0;
    Ok(whole
        .map(move |piece| {
            let piece = piece?;
            passed += piece.len() as u64;
            match passed > most {
                true => Err(std::io::Error::other("the push is too large")),
                false => Ok(piece),
            }
        })
        .boxed())
}

fn seen(begin: &[u8], only: &Command) -> Seen {
    let Some(length) = length(begin) else {
        return match begin.len() < 4 {
            true => Seen::Part,
            false => Seen::Other,
        };
    };
    if length == 0 {
        return match begin.len() {
            4 => Seen::Nothing,
            _ => Seen::Other,
        };
    }
    if !(5..=LONGEST).contains(&length) {
        return Seen::Other;
    }
    if begin.len() < length + 4 {
        return Seen::Part;
    }
    let text = String::from_utf8_lossy(&begin[4..length]);
    let command = text.split('\0').next().unwrap_or_default();
    let wanted = format!("{} {}", only.commit, only.onto);
    let fits = command
        .split_once(' ')
        .is_some_and(|(old, rest)| super::refs::is_commit(old) && rest == wanted);
    match fits && &begin[length..length + 4] == b"0000" {
        true => Seen::Command,
        false => Seen::Other,
    }
}

/// The length of the packet line at the beginning.
fn length(begin: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(begin.get(..4)?).ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| usize::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const NEW: &str = "1111111111111111111111111111111111111111";
    const OLD: &str = "0000000000000000000000000000000000000000";

    fn line(text: &str) -> String {
        format!("{:04x}{text}", text.len() + 4)
    }

    #[rstest]
    #[case(line(&format!("{OLD} {NEW} refs/heads/roost/a\0 report-status")) + "0000PACK", Seen::Command)]
    #[case(line(&format!("{OLD} {NEW} refs/heads/roost/a")) + "000", Seen::Part)]
    #[case("00".to_owned(), Seen::Part)]
    #[case("0000".to_owned(), Seen::Nothing)]
    #[case("0000PACK".to_owned(), Seen::Other)]
    #[case("zzzz".to_owned(), Seen::Other)]
    #[case("0004".to_owned(), Seen::Other)]
    #[case(line(&format!("{OLD} {NEW} refs/heads/main\0 report-status")) + "0000", Seen::Other)]
    #[case(line(&format!("{OLD} {OLD} refs/heads/roost/a\0")) + "0000", Seen::Other)]
    #[case(line(&format!("{OLD} {NEW} refs/heads/roost/a\0")) + &line(&format!("{OLD} {NEW} refs/heads/main")) + "0000", Seen::Other)]
    #[case(line("push-cert\0 agent"), Seen::Part)]
    #[case(line("push-cert\0 agent") + "0000", Seen::Other)]
    #[case("fff0".to_owned() + &"a".repeat(100), Seen::Other)]
    fn only_the_one_command_passes(#[case] body: String, #[case] what: Seen) {
        let only = Command {
            commit: NEW.to_owned(),
            onto: "refs/heads/roost/a".to_owned(),
        };
        assert_eq!(seen(body.as_bytes(), &only), what);
    }
}
