//! Output: limited in size, readable, at a limited rate.

use proptest::prelude::*;

use super::*;

fn kept(keep: Keep, most: usize, pieces: &[&[u8]]) -> Kept {
    let mut output = Gathered::new(keep, most);
    for piece in pieces {
        output.push(piece);
    }
    output.kept()
}

#[test]
fn the_wanted_end_of_long_output_is_kept_by_whole_lines_and_the_rest_is_counted() {
    let text = b"one\ntwo\nthree\n";
    assert_eq!(
        kept(Keep::End, 8, &[text]),
        Kept {
            text: "three\n".to_owned(),
            left_out: 8
        }
    );
    assert_eq!(
        kept(Keep::Start, 6, &[text]),
        Kept {
            text: "one\n".to_owned(),
            left_out: 10
        }
    );
    assert_eq!(
        kept(Keep::End, 100, &[&text[..5], &text[5..]]),
        Kept {
            text: "one\ntwo\nthree\n".to_owned(),
            left_out: 0
        }
    );
}

#[test]
fn a_single_endless_line_is_kept_as_far_as_there_is_room() {
    let kept = kept(Keep::End, 10, &[&[b'x'; 50]]);
    assert_eq!((kept.text.as_str(), kept.left_out), ("xxxxxxxxxx", 40));
}

#[test]
fn bytes_that_never_came_count_as_left_out() {
    let mut output = Gathered::new(Keep::End, 10);
    output.skip(7);
    output.push(b"end\n");
    assert_eq!(
        output.kept(),
        Kept {
            text: "end\n".to_owned(),
            left_out: 7
        }
    );
}

#[test]
fn escape_sequences_and_controls_go_and_text_stays() {
    for (from, to) in [
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}after", "after"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("\u{1b}(Bplain", "plain"),
        ("a\u{1b}", "a"),
        ("10%\r50%\r100%\r\n", "10%\n50%\n100%\n"),
        ("tab\tbell\u{7}\u{8}\u{0}", "tab\tbell"),
        ("ümläut 👩‍💻", "ümläut 👩‍💻"),
        ("\u{9b}31mred", "31mred"),
    ] {
        assert_eq!(readable(from), to, "{from:?}");
    }
}

#[test]
fn frames_come_at_most_so_often_and_hold_the_latest_lines() {
    let at = Duration::from_millis;
    let mut frames = Frames::default();
    assert_eq!(frames.due_in(at(0)), None);
    frames.push(b"half");
    assert_eq!(frames.take(at(0)), None, "half a line is not shown");
    frames.push(b" a line\n");
    assert_eq!(
        frames.take(at(0)),
        Some(Frame {
            lines: vec!["half a line".to_owned()]
        })
    );
    for number in 0..100 {
        frames.push(format!("{number}\n").as_bytes());
    }
    assert_eq!(frames.due_in(at(50)), Some(at(150)));
    assert_eq!(frames.take(at(50)), None);
    let frame = frames.take(at(200)).expect("it is due");
    assert_eq!(frame.lines.len(), FRAME_LINES + 1);
    assert_eq!(frame.lines[0], "… 60 lines more");
    assert_eq!(frame.lines.last().map(String::as_str), Some("99"));
    frames.push(b"no line end");
    assert_eq!(
        frames.rest(),
        Some(Frame {
            lines: vec!["no line end".to_owned()]
        })
    );
    assert_eq!(frames.rest(), None);
}

proptest! {
    #[test]
    fn nothing_that_a_terminal_acts_on_is_left(bytes in proptest::collection::vec(any::<u8>(), 0..400), most in 1_usize..300) {
        for keep in [Keep::Start, Keep::End] {
            let mut output = Gathered::new(keep, most);
            for piece in bytes.chunks(7) { output.push(piece); }
            let kept = output.kept();
            // An invalid byte becomes a replacement character of three bytes.
            prop_assert!(kept.text.len() <= 3 * most);
            prop_assert!(kept.text.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()));
            if bytes.len() <= most { prop_assert_eq!(kept.left_out, 0); }
        }
    }

    #[test]
    fn frames_are_bounded_for_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        let mut frames = Frames::default();
        for piece in bytes.chunks(333) { frames.push(piece); }
        if let Some(frame) = frames.rest() {
            prop_assert!(frame.lines.len() <= FRAME_LINES + 1);
            for line in frame.lines {
                prop_assert!(line.len() <= LINE_BYTES && !line.chars().any(char::is_control));
            }
        }
    }
}
