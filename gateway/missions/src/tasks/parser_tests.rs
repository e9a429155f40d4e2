//! The parser against cases from the specification, and against an independent model of its rules.

use proptest::prelude::*;

use super::*;

fn words(text: &str) -> Vec<String> {
    let found = marks(text);
    let word = |mark: &Mark| format!("{} {}", mark.marker.as_str(), mark.external_id);
    found.iter().map(word).collect()
}

#[test]
fn marker_alone_on_its_line_is_read() {
    let text = "Plan:\n\nTASK: INT-01\nWORK:INT-02\nHANDOFF: INT-003 \r\nTEST_PASS: INT-12345\nCOMPLETED: INT-01\n";
    let expected = [
        "TASK INT-01",
        "WORK INT-02",
        "HANDOFF INT-003",
        "TEST_PASS INT-12345",
        "COMPLETED INT-01",
    ];
    assert_eq!(words(text), expected);
}

#[test]
fn marker_in_a_disguise_is_not_read() {
    for line in [
        "I write TASK: INT-01 now",
        "TASK: INT-01 is done",
        "**TASK: INT-01**",
        "__TASK: INT-01__",
        "`TASK: INT-01`",
        "> TASK: INT-01",
        "- TASK: INT-01",
        "1. TASK: INT-01",
        "# TASK: INT-01",
        " TASK: INT-01",
        "\tTASK: INT-01",
        "TASK:  INT-01",
        "TASK:\tINT-01",
        "TASK : INT-01",
        "TASK: INT-1",
        "TASK: INT-123456",
        "TASK: INT-0a",
        "TASK: int-01",
        "task: INT-01",
        "TASK: INT-٠١",
        "ТASK: INT-01",
        "TASK: INT-01\u{200b}",
        "\u{feff}TASK: INT-01",
        "TASK: INT-01, INT-02",
        "TASK INT-01",
        "DONE: INT-01",
        "```\nTASK: INT-01\n```",
        "~~~~\nTASK: INT-01\n~~~\nTASK: INT-02",
        "```markdown\nTASK: INT-01",
    ] {
        assert_eq!(words(line), Vec::<String>::new(), "{line:?}");
    }
}

#[test]
fn title_is_the_first_line_and_the_body_is_the_rest_up_to_the_next_marker() {
    let text = "TASK: INT-01\n\n  Make the parser faster  \n\nIt copies each line.\n```rust\nTASK: INT-99\nfn f() {}\n```\n\nWORK: INT-01\nnot of the task\nTASK: INT-02\nTASK: INT-03\nOnly a title";
    let found = marks(text);
    let task = |id: &str| {
        found
            .iter()
            .find(|mark| mark.external_id == id && mark.marker == Marker::Task)
            .unwrap()
    };
    assert_eq!(task("INT-01").title, "Make the parser faster");
    assert_eq!(
        task("INT-01").body,
        "It copies each line.\n```rust\nTASK: INT-99\nfn f() {}\n```"
    );
    assert_eq!(
        (task("INT-02").title.as_str(), task("INT-02").line),
        ("", 13)
    );
    assert_eq!(task("INT-03").title, "Only a title");
    assert_eq!(found[1].title, "", "only a TASK is described");
}

#[test]
fn long_title_continues_in_the_body_and_a_long_body_is_cut() {
    let line = "é".repeat(MOST_TITLE + 10);
    let text = format!("TASK: INT-01\n{line}\n{}", "x\n".repeat(MOST_BODY));
    let found = marks(&text);
    assert_eq!(found[0].title.chars().count(), MOST_TITLE);
    assert!(found[0].body.starts_with(&"é".repeat(10)));
    assert!(found[0].body.chars().count() <= MOST_BODY);
}

#[test]
fn number_of_markers_of_one_text_is_bounded() {
    let text = "WORK: INT-01\n".repeat(MOST_MARKS + 5);
    assert_eq!(marks(&text).len(), MOST_MARKS);
}

/// The rules once more, written independently: a character machine instead of lines and words.
fn reference(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find('\n').unwrap_or(rest.len());
        let raw = &rest[..end];
        rest = &rest[(end + 1).min(rest.len())..];
        let line: String = {
            let mut chars: Vec<char> = raw.chars().collect();
            while matches!(chars.last(), Some(' ' | '\t' | '\r')) {
                chars.pop();
            }
            chars.into_iter().collect()
        };
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let after: Vec<char> = line.chars().skip(indent).collect();
        let mark = match after.first() {
            Some(c @ ('`' | '~')) if indent <= 3 => {
                let length = after.iter().take_while(|other| *other == c).count();
                (length >= 3).then_some((*c, length))
            }
            _ => None,
        };
        match (fence, mark) {
            (Some((c, length)), Some((other, more)))
                if c == other && more >= length && after.len() == more =>
            {
                fence = None;
                continue;
            }
            (Some(_), _) => continue,
            (None, Some((c, length))) => {
                let inline = c == '`' && after[length..].contains(&'`');
                if !inline {
                    fence = Some((c, length));
                    continue;
                }
            }
            (None, None) => {}
        }
        for word in [
            "TASK",
            "WORK",
            "HANDOFF",
            "TEST_PASS",
            "TEST_FAIL",
            "REVIEW_APPROVE",
            "REVIEW_BLOCK",
            "COMPLETED",
        ] {
            for join in [":INT-", ": INT-"] {
                let Some(digits) = line.strip_prefix(word).and_then(|l| l.strip_prefix(join))
                else {
                    continue;
                };
                let all = digits.chars().all(|c| c.is_ascii_digit());
                if all && (2..=5).contains(&digits.len()) {
                    found.push((word.to_owned(), format!("INT-{digits}")));
                }
            }
        }
    }
    found
}

fn a_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "TASK",
        "WORK",
        "HANDOFF",
        "TEST_PASS",
        "TEST_FAIL",
        "REVIEW_APPROVE",
        "REVIEW_BLOCK",
        "COMPLETED",
        "TASKS",
        "task",
        "",
    ]);
    let join = prop::sample::select(vec![": ", ":", " : ", ":  ", " "]);
    let id = prop::sample::select(vec![
        "INT-01",
        "INT-1",
        "INT-12345",
        "INT-123456",
        "INT-0x",
        "int-01",
        "INT-99",
        "",
    ]);
    let around = prop::sample::select(vec!["", "", "", " ", "**", "> ", "`", "- "]);
    let end = prop::sample::select(vec!["", "", "", " ", "\t", "\r", ".", "**"]);
    let marker = (around, word, join, id, end)
        .prop_map(|(around, word, join, id, end)| format!("{around}{word}{join}{id}{end}"));
    let fence = prop::sample::select(vec![
        "```", "````", "~~~", "~~~~", "```rust", "``` a`b", "   ```", "    ```", "``", "```  ",
    ]);
    prop_oneof![
        4 => marker,
        1 => fence.prop_map(str::to_owned),
        1 => "[ a-zA-Z:`~*-]{0,12}",
    ]
}

proptest! {
    #[test]
    fn parser_agrees_with_the_reference(lines in prop::collection::vec(a_line(), 0..40)) {
        let text = lines.join("\n");
        let found: Vec<(String, String)> = marks(&text)
            .into_iter()
            .map(|mark| (mark.marker.as_str().to_owned(), mark.external_id))
            .collect();
        prop_assert_eq!(found, reference(&text));
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,400}|[\\n`~ A-Z:_0-9-]{0,400}") {
        for mark in marks(&text) {
            prop_assert!(mark.title.chars().count() <= MOST_TITLE);
            prop_assert!(mark.body.chars().count() <= MOST_BODY);
        }
    }
}
