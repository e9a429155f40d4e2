//! Writes the source of a document. A text of people or agents goes through [`Markup::string`], so it is a string of typst
//! and never code.

use std::fmt::Write as _;

/// A word of more characters without a place to break gets one at each such distance, so that it stays on the page.
const MOST_UNBROKEN: usize = 60;

/// The source of a document, or a part of it.
#[derive(Debug, Default)]
pub struct Markup(String);

impl Markup {
    /// Adds code of typst. It never contains a text from outside.
    pub fn code(&mut self, code: &str) {
        self.0.push_str(code);
    }

    /// Adds a text from outside as a string.
    pub fn string(&mut self, text: &str) {
        self.0.push('"');
        let mut unbroken = 0;
        for c in text.chars() {
            unbroken = match c.is_whitespace() || c == '\u{200b}' {
                true => 0,
                false => unbroken + 1,
            };
            if unbroken > MOST_UNBROKEN {
                self.0.push('\u{200b}');
                unbroken = 1;
            }
            self.character(c);
        }
        self.0.push('"');
    }

    /// Adds a text that nobody reads, such as the address of a link.
    pub fn exact(&mut self, text: &str) {
        self.0.push('"');
        text.chars().for_each(|c| self.character(c));
        self.0.push('"');
    }

    /// Adds a text from outside to a paragraph.
    pub fn text(&mut self, text: &str) {
        self.0.push('#');
        self.string(text);
        self.0.push(';');
    }

    fn character(&mut self, c: char) {
        match c {
            '\\' => self.0.push_str("\\\\"),
            '"' => self.0.push_str("\\\""),
            '\n' => self.0.push_str("\\n"),
            '\t' => self.0.push_str("\\t"),
            '\r' => {}
            c if !is_shown(c) => self.0.push('\u{fffd}'),
            c => self.0.push(c),
        }
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        let _ = write!(self.0, "{number}");
    }

    /// How much there is.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// What was added since there was this much.
    pub fn since(&self, length: usize) -> &str {
        &self.0[length..]
    }

    /// The source.
    pub fn done(self) -> String {
        self.0
    }
}

/// Whether a character is shown as itself. Control characters, and those that change the direction of a text, are replaced.
pub fn is_shown(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
    let separates = matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
    );
    let is_space = matches!(c, '\n' | '\r' | '\t');
    (is_space || !c.is_control()) && !turns && !separates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> String {
        let mut markup = Markup::default();
        markup.string(text);
        markup.done()
    }

    #[test]
    fn text_cannot_end_its_string() {
        assert_eq!(string(r#"a"); #read("x"#), r#""a\"); #read(\"x""#);
        assert_eq!(string(r#"\"#), r#""\\""#);
        assert_eq!(string("\\u{22}"), "\"\\\\u{22}\"");
    }

    #[test]
    fn hidden_characters_become_visible() {
        assert_eq!(
            string("a\u{202e}b\u{0}c\u{1b}[0m"),
            "\"a\u{fffd}b\u{fffd}c\u{fffd}[0m\""
        );
        assert_eq!(string("a\r\nb\tc"), "\"a\\nb\\tc\"");
    }

    #[test]
    fn long_word_gets_places_to_break() {
        let word = string(&"x".repeat(150));
        assert_eq!(word.matches('\u{200b}').count(), 2);
        assert!(!string(&"word ".repeat(100)).contains('\u{200b}'));
    }
}
