//! Reads server-sent events from a response.

use anyhow::Context;
use reqwest::Response;

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub id: Option<String>,
    pub event: String,
    pub data: String,
}

/// A stream of them.
pub struct Messages {
    response: Response,
    parser: Parser,
}

impl Messages {
    /// Reads from `response`.
    pub fn of(response: Response) -> Self {
        Self {
            response,
            parser: Parser::default(),
        }
    }

    /// The next event; `None` at the end of the stream.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn next(&mut self) -> anyhow::Result<Option<Message>> {
        loop {
            if let Some(message) = self.parser.next() {
                return Ok(Some(message));
            }
            match self
                .response
                .chunk()
                .await
                .context("the stream broke off")?
            {
                Some(bytes) => self.parser.push(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// Lines to events, as the HTML standard says (field names that we do not use are left out).
#[derive(Debug, Default)]
struct Parser {
    buffer: Vec<u8>,
    building: Message,
}

impl Parser {
    fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Message> {
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                let message = std::mem::take(&mut self.building);
                if !message.data.is_empty() || !message.event.is_empty() {
                    return Some(message);
                }
                continue;
            }
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => self.building.id = Some(value.to_owned()),
                "event" => value.clone_into(&mut self.building.event),
                "data" => {
                    if !self.building.data.is_empty() {
                        self.building.data.push('\n');
                    }
                    self.building.data.push_str(value);
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_come_in_pieces_are_put_together() {
        let mut parser = Parser::default();
        let mut got = Vec::new();
        for piece in [
            ": comment\nid: 1.2\neve",
            "nt: a\r\ndata: x\ndata:y\n",
            "\nevent: beat\ndata: {}\n\n",
        ] {
            parser.push(piece.as_bytes());
            while let Some(message) = parser.next() {
                got.push((message.id, message.event, message.data));
            }
        }
        assert_eq!(
            got,
            [
                (Some("1.2".into()), "a".into(), "x\ny".into()),
                (None, "beat".into(), "{}".into())
            ]
        );
    }
}
