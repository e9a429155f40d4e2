//! What the server of a runtime prints: its pairing code is found in it, and no secret leaves it. Pure.

use regex::Regex;

/// The lines that are held while the code is looked for. Earlier ones are dropped.
const MOST_HELD: usize = 200;
/// The last lines that a failed boot shows.
const MOST_SHOWN: usize = 20;
/// The most characters of a shown line.
const MOST_LINE: usize = 300;
const MASK: &str = "[masked]";

/// Reads the output line by line. Nothing passes before the code is found: a server may print it in one line before the line
/// that the pattern knows.
pub struct Screen {
    pattern: Option<Regex>,
    held: Vec<String>,
    secrets: Vec<String>,
}

/// What a line gives.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// To print, without secrets.
    pub lines: Vec<String>,
    /// The code, when the line has it.
    pub code: Option<String>,
}

impl Screen {
    /// `pattern` has one group, which is the code. Without it the server needs no pairing.
    pub fn new(pattern: Option<Regex>) -> Self {
        Self {
            pattern,
            held: Vec::new(),
            secrets: Vec::new(),
        }
    }

    /// The next line.
    pub fn line(&mut self, line: &str) -> Passed {
        let looks = self.pattern.is_some() && self.secrets.is_empty();
        if !looks {
            return Passed {
                lines: vec![masked(line, &self.secrets)],
                code: None,
            };
        }
        if self.held.len() >= MOST_HELD {
            self.held.remove(0);
        }
        self.held.push(line.to_owned());
        let found = self.pattern.as_ref().and_then(|known| known.captures(line));
        let code = found.and_then(|found| Some(found.get(1)?.as_str().to_owned()));
        let Some(code) = code.filter(|code| !code.is_empty()) else {
            return Passed::default();
        };
        self.secrets.push(code.clone());
        let held = std::mem::take(&mut self.held);
        Passed {
            lines: held
                .iter()
                .map(|line| masked(line, &self.secrets))
                .collect(),
            code: Some(code),
        }
    }

    /// Another secret that no line may show.
    pub fn hide(&mut self, secret: String) {
        self.secrets.push(secret);
    }

    /// The last lines that are held, for people. The pattern did not find the code, so each word that may be one is masked.
    pub fn last(&self) -> Vec<String> {
        let from = self.held.len().saturating_sub(MOST_SHOWN);
        let lines = self.held[from..].iter();
        lines.map(|line| without_codes(line)).collect()
    }
}

/// The line without these secrets.
pub fn masked(line: &str, secrets: &[String]) -> String {
    let mut line = line.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        line = line.replace(secret.as_str(), MASK);
    }
    line
}

/// A line without words that may be a code: those with a digit and four characters or more, and very long ones.
fn without_codes(line: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for letter in line.chars().take(MOST_LINE).chain([' ']) {
        if letter.is_alphanumeric() || letter == '-' || letter == '_' {
            word.push(letter);
            continue;
        }
        let has_digit = word.chars().any(|letter| letter.is_ascii_digit());
        let length = word.chars().count();
        match (has_digit && length >= 4) || length >= 24 {
            true => text.push_str(MASK),
            false => text.push_str(&word),
        }
        word.clear();
        text.push(letter);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen() -> Screen {
        let pattern = Regex::new(r"X-Pairing-Code:\s*([A-Za-z0-9_-]{4,64})").unwrap();
        Screen::new(Some(pattern))
    }

    #[test]
    fn nothing_passes_before_the_code_and_the_code_never() {
        let mut screen = screen();
        assert_eq!(
            screen.line("PAIRING REQUIRED, use this one-time code:"),
            Passed::default()
        );
        assert_eq!(screen.line("│  384112  │"), Passed::default());
        let passed = screen.line("Send: POST /pair with header X-Pairing-Code: 384112");
        assert_eq!(passed.code.as_deref(), Some("384112"));
        assert_eq!(passed.lines.len(), 3);
        assert!(!passed.lines.concat().contains("384112"), "{passed:?}");
        screen.hide("zc_secret".to_owned());
        let later = screen.line("token zc_secret for 384112");
        assert_eq!(later.lines, ["token [masked] for [masked]"]);
        assert_eq!(later.code, None);
    }

    #[test]
    fn server_without_pairing_prints_at_once() {
        let mut screen = Screen::new(None);
        assert_eq!(screen.line("listening").lines, ["listening"]);
    }

    #[test]
    fn last_words_of_a_failed_boot_have_no_word_that_may_be_a_code() {
        let mut screen = screen();
        for n in 0..300 {
            screen.line(&format!("line {n}"));
        }
        screen
            .line("code=AB-8841 key sk-abcdefghijklmnopqrstuvwx error: no such file (os error 2)");
        let last = screen.last();
        assert_eq!(last.len(), 20);
        let end = last.last().unwrap();
        assert_eq!(
            end,
            "code=[masked] key [masked] error: no such file (os error 2)"
        );
    }
}
