//! What the server of a runtime prints: its pairing code is found in it, and no secret leaves it. Pure.

use regex::Regex;

/// The lines that are held while the code is looked for. Earlier ones are dropped.
const MOST_HELD: usize = 200;
/// The last lines that a failed boot shows.
const MOST_SHOWN: usize = 20;
/// The most characters of a shown line.
const MOST_LINE: usize = 300;
const MASK: &str = "[masked]";

/// Reads the output line by line. Nothing passes before the pairing is over: a server may print its code in an earlier line
/// than the one that the pattern knows, and its bearer while it answers.
pub struct Screen {
    pattern: Option<Regex>,
    /// The pairing is over, or there is none.
    is_open: bool,
    held: Vec<String>,
    secrets: Vec<String>,
}

/// What a line gives.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// To print, without secrets.
    pub line: Option<String>,
    /// The code, when the line has it.
    pub code: Option<String>,
}

impl Screen {
    /// `pattern` has one group, which is the code. Without it the server needs no pairing.
    pub fn new(pattern: Option<Regex>) -> Self {
        Self {
            is_open: pattern.is_none(),
            pattern,
            held: Vec::new(),
            secrets: Vec::new(),
        }
    }

    /// The next line.
    pub fn line(&mut self, line: &str) -> Passed {
        if self.is_open {
            return Passed {
                line: Some(masked(line, &self.secrets)),
                code: None,
            };
        }
        if self.held.len() >= MOST_HELD {
            self.held.remove(0);
        }
        self.held.push(line.to_owned());
        if !self.seeks_code() {
            return Passed::default();
        }
        let found = self.pattern.as_ref().and_then(|known| known.captures(line));
        let code = found.and_then(|found| Some(found.get(1)?.as_str().to_owned()));
        let code = code.filter(|code| !code.is_empty());
        self.secrets.extend(code.clone());
        Passed { line: None, code }
    }

    /// Whether the code was not printed yet.
    pub fn seeks_code(&self) -> bool {
        !self.is_open && self.secrets.is_empty()
    }

    /// The server gave this bearer for its code. Returns the lines that were held, to print.
    pub fn paired(&mut self, bearer: String) -> Vec<String> {
        self.secrets.push(bearer);
        self.is_open = true;
        let held = std::mem::take(&mut self.held);
        held.iter()
            .map(|line| masked(line, &self.secrets))
            .collect()
    }

    /// The last lines that are held, for people. A code or a bearer that is not known yet may be in them, so each word that
    /// may be one is masked.
    pub fn last(&self) -> Vec<String> {
        let from = self.held.len().saturating_sub(MOST_SHOWN);
        let lines = self.held[from..].iter();
        lines
            .map(|line| without_codes(&masked(line, &self.secrets)))
            .collect()
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
    fn nothing_passes_before_the_pairing_and_its_secrets_never() {
        let mut screen = screen();
        for line in ["PAIRING REQUIRED, use this one-time code:", "│  384112  │"] {
            assert_eq!(screen.line(line), Passed::default());
            assert!(screen.seeks_code());
        }
        let passed = screen.line("Send: POST /pair with header X-Pairing-Code: 384112");
        assert_eq!(passed.code.as_deref(), Some("384112"));
        assert!(!screen.seeks_code());
        // It prints its bearer before the answer is read.
        assert_eq!(screen.line("paired: zc_secret"), Passed::default());
        let held = screen.paired("zc_secret".to_owned());
        assert_eq!(held.len(), 4);
        assert_eq!(held[3], "paired: [masked]");
        assert!(!held.concat().contains("384112"), "{held:?}");
        let later = screen.line("token zc_secret for 384112");
        assert_eq!(later.line.as_deref(), Some("token [masked] for [masked]"));
        assert_eq!(later.code, None);
    }

    #[test]
    fn server_without_pairing_prints_at_once() {
        let mut screen = Screen::new(None);
        assert_eq!(screen.line("listening").line.as_deref(), Some("listening"));
        assert!(!screen.seeks_code());
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
