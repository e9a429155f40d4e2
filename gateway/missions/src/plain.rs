//! Text of programs and repositories, made safe to keep and to show: one line, bounded, without escape sequences.
use std::borrow::Cow;

use roost_protocol::text::is_hidden;

/// The text as one line of at most `most_chars` characters. Escape sequences of terminals and hidden characters are
/// removed, and runs of spaces become one. A text that is cut ends with `…`.
pub fn one_line(text: &str, most_chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0_usize;
    let mut space = false;
    for letter in without_escapes(text).chars() {
        if letter.is_whitespace() {
            space = !out.is_empty();
            continue;
        }
        if is_hidden(letter) {
            continue;
        }
        let needed = 1 + usize::from(space);
        if count + needed > most_chars {
            out.push('…');
            break;
        }
        if space {
            out.push(' ');
        }
        out.push(letter);
        count += needed;
        space = false;
    }
    out
}

/// The text without the escape sequences of terminals (ECMA-48: `ESC [ … letter` and `ESC ] … BEL`).
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('[') => {
                while letters
                    .next_if(|l| ('\u{20}'..='\u{3f}').contains(l))
                    .is_some()
                {}
                letters.next_if(|l| ('\u{40}'..='\u{7e}').contains(l));
            }
            Some(']') => {
                // The sequence ends with BEL or `ESC \`; a line end is kept, so that a cut sequence costs one line.
                while letters
                    .next_if(|l| !matches!(l, '\u{7}' | '\u{1b}' | '\n'))
                    .is_some()
                {}
                if letters.next_if_eq(&'\u{1b}').is_some() {
                    letters.next_if_eq(&'\\');
                } else {
                    letters.next_if_eq(&'\u{7}');
                }
            }
            Some('\n') => out.push('\n'),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// The text for a cell of a Markdown table. Characters that Markdown or HTML would act on are escaped.
pub fn cell(text: &str, most_chars: usize) -> String {
    let mut out = String::new();
    for letter in one_line(text, most_chars).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | '$' | ':' | '@' => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{cell, one_line};

    #[test]
    fn a_line_has_no_escapes_and_no_hidden_characters() {
        assert_eq!(
            one_line("\u{1b}[1;31mred\u{1b}[0m  \u{202e}x\ny", 80),
            "red x y"
        );
        assert_eq!(one_line("\u{1b}]0;title\u{7}rest", 80), "rest");
        assert_eq!(one_line("\u{1b}", 80), "");
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        assert_eq!(one_line("äöü ä", 3), "äöü…");
        assert_eq!(one_line("äöü", 3), "äöü");
        assert_eq!(one_line(&"x".repeat(10_000), 200).chars().count(), 201);
    }

    #[test]
    fn a_cell_cannot_leave_its_table() {
        assert_eq!(
            cell("a|b\n<img src=x>`c`", 80),
            "a\\|b &lt;img src=x&gt;\\`c\\`"
        );
    }
}
