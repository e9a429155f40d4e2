//! Hostile documents: each gives a PDF that shows what the text says, or a clear refusal.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{made, refused, typeset};

#[test]
fn code_of_typst_is_text() {
    let words = typeset(
        "#import \"@preview/cetz:0.3.0\"\n\n#read(\"/etc/passwd\")\n\n#read(\"/style.typ\")\n\n\"#panic(1)\" \\\"; #panic(2)\n\n\
         $ x^2 $ @ref <label> = heading\n\n`#read(\"/etc/hostname\")`\n\n```\n#set page(width: 1pt)\n\"); #panic(3) //\n```\n\n\
         | #panic(4) | \"] |\n|---|---|\n| ], #panic(5) | \\\\\" |\n\n[#panic(6)](https://example.org/\"#panic(7)) ![#panic(8)](\"x)\n\n# #panic(9)",
    )
    .words();
    for part in [
        "#import \"@preview/cetz:0.3.0\"",
        "#read(\"/etc/passwd\")",
        "#read(\"/style.typ\")",
        "\"#panic(1)\" \"; #panic(2)",
        "$ x^2 $ @ref <label> = heading",
        "#set page(width: 1pt)",
        "\"); #panic(3) //",
        "#panic(4)",
        "], #panic(5)",
        "#panic(6)",
        "#panic(8)",
        "#panic(9)",
    ] {
        assert!(words.contains(part), "{part} in {words}");
    }
    assert!(!words.contains("root:"), "{words}");
}

#[test]
fn code_of_typst_in_the_head_is_text() {
    let request = json!({ "title": "\"#panic(1)\\", "facts": [["#panic(2)\")", "\\\", #read(\"/etc/passwd\")"]], "markdown": "x" });
    let words = made(&request).words();
    assert!(words.contains("\"#panic(1)\\"), "{words}");
    assert!(words.contains("#panic(2)\")"), "{words}");
    assert!(words.contains("#read(\"/etc/passwd\")"), "{words}");
}

#[test]
fn html_is_text() {
    let words = typeset(
        "<script>alert(1)</script>\n\n<img src=\"http://127.0.0.1:1/x.png\">\n\nA <b>bold</b> word.\n\n<!-- hidden -->",
    )
    .words();
    assert!(words.contains("<script>alert(1)</script>"), "{words}");
    assert!(words.contains("A <b>bold</b> word."), "{words}");
    assert!(words.contains("<!-- hidden -->"), "{words}");
}

#[test]
fn remote_image_is_its_description_and_its_address() {
    let words = typeset("Before ![a *chart* of `x`](http://127.0.0.1:1/chart.png) after.\n\n![](data:image/png;base64,AAAA)").words();
    assert!(
        words.contains("Before [image: a chart of x, http://127.0.0.1:1/chart.png] after."),
        "{words}"
    );
}

#[test]
fn link_with_another_scheme_is_not_a_link() {
    let pdf = typeset("[a](javascript:alert(1)) [b](file:///etc/passwd) [c](https://example.org)");
    let links = pdf.read("pdfinfo", &["-url"]);
    assert!(links.contains("https://example.org"), "{links}");
    assert!(
        !links.contains("javascript") && !links.contains("file:"),
        "{links}"
    );
    assert!(pdf.words().contains("b (file:///etc/passwd)"));
}

#[test]
fn character_without_a_glyph_is_named() {
    let words = typeset("Before 中文 and 🦀 and \u{10ffff} after, \u{202e}turned\u{0}.").words();
    assert!(words.contains("after"), "{words}");
    assert!(
        words.contains("no glyph for: U+4E2D, U+6587, U+1F980"),
        "{words}"
    );
    assert!(words.contains('\u{fffd}'), "{words}");
    assert!(!words.contains('\u{202e}'), "{words}");
    let latin = typeset("Grüße, Ελλάδα, Москва, → ≤ ✓").words();
    assert!(!latin.contains("no glyph"), "{latin}");
    assert!(latin.contains("Grüße, Ελλάδα, Москва"), "{latin}");
}

#[test]
fn deep_nesting_is_cut_and_says_so() {
    for (open, close) in [
        ("> ", ""),
        ("- ", ""),
        ("1. ", ""),
        ("*a **b ", ""),
        ("[", "](x)"),
        ("![", "](x)"),
    ] {
        let text = format!("{}innermost{}", open.repeat(5_000), close.repeat(5_000));
        let words = typeset(&text).words();
        assert!(words.contains("innermost"), "{open}");
    }
    let mut list = String::new();
    for level in 0..200 {
        list.push_str(&format!("{}- level {level}\n", "  ".repeat(level)));
    }
    let words = typeset(&list).words();
    assert!(words.contains("nested too deeply"), "{words}");
    assert!(words.contains("level 199"), "{words}");
    assert_eq!(words.matches("nested too deeply").count(), 1);
}

#[test]
fn wide_and_ragged_tables_are_tables() {
    let row = |cell: &str, count| format!("|{}\n", format!("{cell}|").repeat(count));
    let wide = format!(
        "{}{}{}",
        row("h", 500),
        row("---", 500),
        row("*c* `d`", 500)
    );
    let words = typeset(&wide).words();
    assert!(words.contains("has more columns"), "{words}");
    let words = typeset("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n\nafter").words();
    assert!(words.contains("a b") && words.contains("after"), "{words}");
}

#[test]
fn long_table_and_long_code_keep_every_row_and_line() {
    let mut text = "| place | value |\n|---|---:|\n".to_owned();
    (1..=1_000).for_each(|row| text.push_str(&format!("| row {row} | {row} |\n")));
    text.push_str("\n```\n");
    (1..=1_000).for_each(|line| text.push_str(&format!("line {line}\n")));
    text.push_str("```\n");
    let words = typeset(&text).words();
    for place in [1, 200, 201, 1_000] {
        assert!(words.contains(&format!("row {place} {place} ")), "{place}");
        assert!(words.contains(&format!("line {place} ")), "{place}");
    }
    assert!(
        words.matches("place value").count() >= 5,
        "each table has the head"
    );
}

#[test]
fn long_word_stays_on_the_page() {
    let pdf = typeset(&format!(
        "{}\n\n`{}`\n\n    {}",
        "x".repeat(5_000),
        "y".repeat(5_000),
        "z".repeat(5_000)
    ));
    // On the page: the words are broken over many lines, and none is cut off.
    let text = pdf.read("pdftotext", &["-raw"]);
    for c in ['x', 'y', 'z'] {
        let count = text.chars().filter(|found| *found == c).count();
        assert!(count >= 5_000, "{c}: {count}");
        let cropped = pdf.read(
            "pdftotext",
            &["-raw", "-x", "0", "-y", "0", "-W", "595", "-H", "842"],
        );
        let inside = cropped.chars().filter(|found| *found == c).count();
        assert_eq!(inside, count, "{c}");
    }
}

#[test]
fn request_of_100_mib_is_refused() {
    let mut request = br#"{"title":"x","markdown":""#.to_vec();
    request.resize(100 << 20, b'a');
    request.extend_from_slice(b"\"}");
    let (said, code) = refused(&request);
    assert_eq!(code, 2);
    assert_eq!(said["error"], "too_large");
    assert_eq!(
        said["detail"],
        "The document is too large: a request has at most 8 MiB."
    );
}

#[test]
fn request_in_another_form_is_refused() {
    for request in [
        "",
        "{}",
        "hello",
        r#"{"title":"x"}"#,
        r#"{"title":"x","markdown":"y","shell":"z"}"#,
        "[1",
    ] {
        let (said, code) = refused(request.as_bytes());
        assert_eq!(
            (code, said["error"].as_str()),
            (3, Some("bad_request")),
            "{request}"
        );
    }
    let (said, code) = refused(b"{\"title\":\"\xff\",\"markdown\":\"\"}");
    assert_eq!((code, said["error"].as_str()), (3, Some("bad_request")));
}

/// What the kernel says of the program that waits for its request.
#[test]
fn program_limits_its_memory_and_time_before_it_reads() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_roost-pdf"))
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let path = format!("/proc/{}/limits", child.id());
    let hard = |limits: &str, name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name));
        let values = line.and_then(|line| line.strip_prefix(name));
        let hard = values.and_then(|values| values.split_whitespace().nth(1));
        hard.map(str::to_owned)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let limits = loop {
        let limits = std::fs::read_to_string(&path).expect("it runs");
        // The last limit that it sets.
        if hard(&limits, "Max core file size").as_deref() == Some("0") {
            break limits;
        }
        assert!(Instant::now() < deadline, "{limits}");
        #[expect(clippy::disallowed_methods, reason = "no runtime runs here")]
        std::thread::sleep(Duration::from_millis(10));
    };
    for (name, most) in [
        ("Max address space", "2147483648"),
        ("Max cpu time", "120"),
        ("Max open files", "16"),
    ] {
        assert_eq!(hard(&limits, name).as_deref(), Some(most), "{limits}");
    }
    drop(child.stdin.take());
    child.wait().expect("it ends");
}
