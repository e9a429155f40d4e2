//! The rules for built-in texts for agents: their parts, their length, a worked example, and a limit on similarity to
//! other texts. They apply to skills, and to the prompts and brain seeds of roles.

use std::collections::HashSet;

const HEADINGS: [&str; 5] = [
    "## When",
    "## Steps",
    "## Checks",
    "## Failure modes",
    "## Worked example",
];
const WORDS: std::ops::RangeInclusive<usize> = 400..=1500;
const EXAMPLE_WORDS: usize = 120;
/// The highest allowed similarity of two texts: their common five-word sequences, divided by all that they have
/// together.
const MOST_ALIKE: f64 = 0.06;

/// The faults of a single text.
pub(crate) fn faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let headings: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| line.starts_with("## "))
        .collect();
    if headings != HEADINGS {
        faults.push(format!(
            "{name}: its headings are {headings:?}, not {HEADINGS:?}"
        ));
        return faults;
    }
    let words = text.split_whitespace().count();
    if !WORDS.contains(&words) {
        faults.push(format!("{name}: {words} words, not {WORDS:?}"));
    }
    let part = |number: usize| {
        let after = text.split(HEADINGS[number]).nth(1).unwrap_or_default();
        after.split("\n## ").next().unwrap_or_default()
    };
    let example = part(4).split_whitespace().count();
    if example < EXAMPLE_WORDS {
        faults.push(format!(
            "{name}: its example has {example} words, fewer than {EXAMPLE_WORDS}"
        ));
    }
    let numbered = |line: &&str| {
        let (number, _) = line.split_once(". ").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    if part(1).lines().filter(numbered).count() < 3 {
        faults.push(format!("{name}: its steps are no numbered list"));
    }
    for (number, what) in [(2, "checks"), (3, "failure modes")] {
        let bullet = |line: &&str| line.starts_with("- ") || numbered(line);
        if part(number).lines().filter(bullet).count() < 2 {
            faults.push(format!("{name}: its {what} are no list"));
        }
    }
    let before = text.split(HEADINGS[0]).next().unwrap_or_default();
    if before.split_whitespace().count() < 10 {
        faults.push(format!("{name}: nothing is said before the first heading"));
    }
    faults
}

/// Pairs of texts that are too similar.
pub(crate) fn too_alike(texts: &[(String, String)]) -> Vec<String> {
    let rows: Vec<(&str, HashSet<u64>)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), rows_of_five(text)))
        .collect();
    let mut faults = Vec::new();
    for (index, (name, a)) in rows.iter().enumerate() {
        for (other, b) in &rows[index + 1..] {
            let common = a.intersection(b).count();
            let all = (a.len() + b.len() - common).max(1);
            #[expect(clippy::cast_precision_loss, reason = "counts of words in a file")]
            let part = common as f64 / all as f64;
            if part > MOST_ALIKE {
                faults.push(format!("{name} and {other} are alike: {part:.3}"));
            }
        }
    }
    faults
}

fn rows_of_five(text: &str) -> HashSet<u64> {
    use std::hash::BuildHasher as _;
    let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(5).map(|row| hasher.hash_one(row)).collect()
}

#[test]
fn the_rubric_finds_what_is_missing() {
    let filler = |words: usize| "lorem ".repeat(words);
    let good = format!(
        "{}\n\n## When\n\n{}\n\n## Steps\n\n1. a\n2. b\n3. c\n\n## Checks\n\n- a\n- b\n\n## Failure modes\n\n- a\n- b\n\n\
         ## Worked example\n\n{}\n",
        filler(20),
        filler(300),
        filler(120)
    );
    assert_eq!(faults("x", &good), Vec::<String>::new());
    for (what, bad) in [
        ("headings", good.replace("## Checks", "## Proofs")),
        ("words", good.replace(&filler(300), "short")),
        ("words", good.replace(&filler(300), &filler(1400))),
        ("example", good.replace(&filler(120), &filler(119))),
        ("numbered", good.replace("2. b", "- b")),
        (
            "checks",
            good.replace("## Checks\n\n- a\n- b", "## Checks\n\na b"),
        ),
        (
            "failure modes",
            good.replace("## Failure modes\n\n- a", "## Failure modes\n\na"),
        ),
        ("before", good.replacen(&filler(20), "Short.", 1)),
    ] {
        let found = faults("x", &bad);
        assert!(
            found.iter().any(|fault| fault.contains(what)),
            "{what}: {found:?}"
        );
    }
}

#[test]
fn the_rubric_finds_texts_that_are_alike() {
    let words = |from: u32, to: u32| (from..to).map(|n| format!("w{n} ")).collect::<String>();
    let text = |name: &str, text: String| (name.to_owned(), text);
    let apart = [text("a", words(0, 100)), text("b", words(95, 195))];
    assert_eq!(too_alike(&apart), Vec::<String>::new());
    let alike = [text("a", words(0, 100)), text("b", words(80, 180))];
    assert_eq!(too_alike(&alike).len(), 1);
}
