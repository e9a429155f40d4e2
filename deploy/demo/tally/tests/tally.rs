//! What the crate promises in its README.

use tally::{top, words};

fn listed(text: &str, most: usize) -> Vec<(String, usize)> {
    top(text, most)
}

#[test]
fn the_most_frequent_word_comes_first() {
    let expected = [("be".to_owned(), 2), ("to".to_owned(), 2), ("not".to_owned(), 1)];
    assert_eq!(listed("To be, or not to be.", 3), expected);
}

#[test]
fn case_makes_no_difference() {
    assert_eq!(listed("One one ONE", 5), [("one".to_owned(), 3)]);
}

#[test]
fn punctuation_around_a_word_is_no_part_of_it() {
    let found: Vec<String> = words("(so) \"so\" so!").collect();
    assert_eq!(found, ["so", "so", "so"]);
}

#[test]
fn punctuation_alone_is_no_word() {
    assert_eq!(words("- ... !").count(), 0);
}

#[test]
fn nothing_has_no_words() {
    assert_eq!(listed("", 5), []);
}
