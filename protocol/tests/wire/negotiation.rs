//! Negotiation of a version (promise P10).
use proptest::prelude::*;
use roost_protocol::version::{SUPPORTED, Version, VersionRange};

fn v(major: u16, minor: u16) -> Version {
    Version { major, minor }
}

fn range(lowest: Version, highest: Version) -> VersionRange {
    VersionRange { lowest, highest }
}

#[test]
fn ends_one_minor_apart_use_the_older_version() {
    let old = range(v(1, 0), v(1, 0));
    let new = range(v(1, 0), v(1, 1));
    assert_eq!(old.negotiate(new), Some(v(1, 0)));
    assert_eq!(new.negotiate(new), Some(v(1, 1)));
}

#[test]
fn disjoint_ranges_have_no_common_version() {
    assert_eq!(
        range(v(1, 0), v(1, 1)).negotiate(range(v(1, 2), v(1, 3))),
        None
    );
    assert_eq!(
        range(v(1, 0), v(1, 9)).negotiate(range(v(2, 0), v(2, 0))),
        None
    );
}

#[test]
fn inverted_range_has_no_common_version() {
    assert_eq!(range(v(1, 3), v(1, 0)).negotiate(SUPPORTED), None);
}

proptest! {
    #[test]
    fn negotiation_is_symmetric_and_inside_both_ranges(a in version(), b in version(), c in version(), d in version()) {
        let (one, two) = (range(a, b), range(c, d));
        prop_assert_eq!(one.negotiate(two), two.negotiate(one));
        if let Some(found) = one.negotiate(two) {
            for side in [one, two] {
                prop_assert!(side.lowest <= found && found <= side.highest);
            }
        }
    }
}

fn version() -> impl Strategy<Value = Version> {
    (1u16..4, 0u16..5).prop_map(|(major, minor)| v(major, minor))
}
