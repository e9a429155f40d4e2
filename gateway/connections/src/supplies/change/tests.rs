//! A person sees each new package, and nothing else counts as new.

use proptest::prelude::*;

use super::*;
use crate::supplies::model::{Pin, Release};

const SUM: &str = "3e04e2fd2b8188ea827b32ef11de88377086d690286ab35747ef7f9bf3ccb590";

fn entry(name: &str, version: &str, sum: &str) -> String {
    format!(
        "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \
         \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{sum}\"\n"
    )
}

fn cargo(before: Option<&str>, approved: &Added, after: &str) -> Result<Compared, String> {
    let before = before.map(str::as_bytes);
    compared("Cargo.lock", "", before, approved, after.as_bytes())
}

fn shown(packages: &[Package]) -> Vec<String> {
    let one = |of: &Package| format!("{} {}", of.name, of.version);
    packages.iter().map(one).collect()
}

#[test]
fn packages_are_added_changed_and_removed() {
    let before = [
        entry("a", "1.0.0", SUM),
        entry("b", "1.0.0", SUM),
        entry("c", "1.0.0", SUM),
        entry("d", "1.0.0", SUM),
    ];
    let after = [
        entry("a", "1.0.0", SUM),
        entry("b", "2.0.0", SUM),
        entry("d", "1.0.0", SUM),
        entry("d", "2.0.0", SUM),
        entry("e", "1.0.0", SUM),
    ];
    let found = cargo(Some(&before.concat()), &Added::default(), &after.concat()).unwrap();
    assert_eq!(shown(&found.change.added), ["d 2.0.0", "e 1.0.0"]);
    assert_eq!(shown(&found.change.removed), ["c 1.0.0"]);
    let changed = Replaced {
        name: "b".to_owned(),
        from: "1.0.0".to_owned(),
        to: "2.0.0".to_owned(),
    };
    assert_eq!(found.change.changed, [changed]);
    assert_eq!(found.new.len(), 3);
    assert_eq!(found.added.wishes, found.new);
    assert_eq!(found.added.without, [], "cargo may have two versions");
}

#[test]
fn other_hash_of_the_same_version_is_a_change_that_a_person_sees() {
    let before = entry("a", "1.0.0", SUM);
    let after = entry("a", "1.0.0", &SUM.replace('3', "4"));
    let found = cargo(Some(&before), &Added::default(), &after).unwrap();
    let [changed] = found.change.changed.as_slice() else {
        panic!("{:?}", found.change);
    };
    assert_eq!((&*changed.from, &*changed.to), ("1.0.0", "1.0.0"));
    assert_eq!((found.change.added.len(), found.new.len()), (0, 1));
}

#[test]
fn lock_file_without_anything_new_is_refused_and_so_is_a_foreign_or_large_one() {
    let (a, b) = (entry("a", "1.0.0", SUM), entry("b", "1.0.0", SUM));
    let nothing = Added::default();
    for after in [String::new(), a.clone(), [a.clone(), b.clone()].concat()] {
        let why = cargo(Some(&[a.clone(), b.clone()].concat()), &nothing, &after).unwrap_err();
        assert!(why.contains("nothing to approve"), "{why}");
    }
    let foreign = "[[package]]\nname = \"x\"\nversion = \"1.0.0\"\nsource = \"git+https://evil.example/x#1\"\n";
    let why = cargo(Some(&a), &nothing, &[a.as_str(), foreign].concat()).unwrap_err();
    assert!(why.contains("x 1.0.0: It comes from a git"), "{why}");
    let many: String = (0..=MOST_NEW)
        .map(|at| entry(&format!("p{at}"), "1.0.0", SUM))
        .collect();
    let why = cargo(Some(&a), &nothing, &many).unwrap_err();
    assert!(why.contains("1001 packages"), "{why}");
    let why = compared("Cargo.lock", "", None, &nothing, &vec![b' '; 9 << 20]).unwrap_err();
    assert!(why.contains("9 MiB"), "{why}");
}

#[test]
fn packages_that_were_approved_before_are_not_asked_about_again() {
    let (a, b, c) = (
        entry("a", "1.0.0", SUM),
        entry("b", "1.0.0", SUM),
        entry("c", "1.0.0", SUM),
    );
    let first = cargo(Some(&a), &Added::default(), &[a.as_str(), &b].concat()).unwrap();
    let again = cargo(Some(&a), &first.added, &[a.as_str(), &b].concat());
    assert!(again.unwrap_err().contains("nothing to approve"));
    let second = cargo(Some(&a), &first.added, &[a.as_str(), &c].concat()).unwrap();
    assert_eq!(shown(&second.change.added), ["c 1.0.0"]);
    assert_eq!(shown(&second.change.removed), ["b 1.0.0"]);
    assert_eq!(second.added.wishes.len(), 2);
    let stored = serde_json::to_string(&second.added).unwrap();
    assert_eq!(Added::from_stored(Some(&stored)), second.added);
    assert_eq!(Added::from_stored(Some("{")), Added::default());
}

#[test]
fn new_entries_that_cannot_be_supplied_are_named_and_old_ones_are_not() {
    let git = |name: &str| {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"git+https://evil.example/x#1\"\n"
        )
    };
    let after = [git("old"), git("new"), entry("a", "1.0.0", SUM)].concat();
    let found = cargo(Some(&git("old")), &Added::default(), &after).unwrap();
    let left: Vec<&str> = found
        .change
        .left_out
        .iter()
        .map(|left| left.name.as_str())
        .collect();
    assert_eq!(left, ["new 1.0.0"]);
}

#[test]
fn python_forgets_the_old_version_and_more_files_of_a_release_are_a_change() {
    let other = SUM.replace('3', "4");
    let nothing = Added::default();
    let requirements = |before: &str, after: &str| {
        let before = Some(before.as_bytes());
        compared("requirements.txt", "", before, &nothing, after.as_bytes())
    };
    let one = format!("six==1.16.0 --hash=sha256:{SUM}\n");
    let newer = format!("six==1.17.0 --hash=sha256:{SUM}\n");
    let found = requirements(&one, &newer).unwrap();
    assert_eq!(found.change.changed.len(), 1);
    assert_eq!(found.added.without.len(), 1);
    let more = format!("six==1.16.0 --hash=sha256:{SUM} --hash=sha256:{other}\n");
    let found = requirements(&one, &more).unwrap();
    assert_eq!(found.change.changed[0].to, "1.16.0");
    let fewer = requirements(&more, &one).unwrap_err();
    assert!(fewer.contains("nothing to approve"), "{fewer}");
}

fn wish() -> impl Strategy<Value = Wish> {
    let hash = (0_u8..3).prop_map(|byte| Hash::Sha256([byte; 32]));
    let parts = (
        "[a-d]",
        "[1-3]",
        prop::collection::vec(hash, 1..3),
        any::<bool>(),
    );
    parts.prop_map(|(name, version, hashes, is_pin)| match is_pin {
        true => Wish::Pin(Pin {
            kind: Kind::Cargo,
            name,
            version,
            hash: hashes[0].clone(),
            file: None,
        }),
        false => Wish::Release(Release {
            name,
            version,
            files: hashes.into_iter().map(|hash| (hash, None)).collect(),
        }),
    })
}

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    prop::collection::btree_map("[a-d][1-3]", wish(), 0..8)
        .prop_map(|all| all.into_values().collect())
}

proptest! {
    /// A person sees each package that would be fetched, and sees nothing else as new.
    #[test]
    fn everything_new_is_shown_and_nothing_else(known in wishes(), wanted in wishes()) {
        let (change, new) = difference(&known, &wanted);
        let fetched: BTreeSet<(&str, &str)> = new.iter().map(Wish::package).collect();
        let added = change.added.iter().map(|of| (&*of.name, &*of.version));
        let changed = change.changed.iter().map(|of| (&*of.name, &*of.to));
        let seen: Vec<(&str, &str)> = added.chain(changed).collect();
        prop_assert_eq!(seen.len(), fetched.len(), "each once");
        prop_assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), fetched);
        // Each package that is not wanted any more is removed, or replaced by another version of it.
        let old: BTreeSet<(&str, &str)> = known.iter().map(Wish::package).collect();
        let stays: BTreeSet<(&str, &str)> = wanted.iter().map(Wish::package).collect();
        let removed = change.removed.iter().map(|of| (&*of.name, &*of.version));
        let replaced = change.changed.iter().filter(|of| of.from != of.to);
        let replaced = replaced.map(|of| (&*of.name, &*of.from));
        let gone: Vec<(&str, &str)> = removed.chain(replaced).collect();
        prop_assert_eq!(gone.len(), gone.iter().collect::<BTreeSet<_>>().len());
        let expected: BTreeSet<(&str, &str)> = old.difference(&stays).copied().collect();
        prop_assert_eq!(gone.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    /// After an approval nothing of the same lock file is new.
    #[test]
    fn what_was_approved_is_known(known in wishes(), wanted in wishes()) {
        let (_, new) = difference(&known, &wanted);
        let all: Vec<Wish> = known.into_iter().chain(new).collect();
        prop_assert_eq!(difference(&all, &wanted).1, Vec::new());
    }
}
