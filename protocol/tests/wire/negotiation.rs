//! Two ends find a version (promise P10).
use proptest::prelude::*;
use roost_protocol::version::{SUPPORTED, Version, VersionRange};

fn v(major: u16, minor: u16) -> Version {
    Version { major, minor }
}

fn range(lowest: Version, highest: Version) -> VersionRange {
    VersionRange { lowest, highest }
}

#[test]
fn ends_one_minor_apart_meet_at_the_older() {
    let old = range(v(1, 0), v(1, 0));
    let new = range(v(1, 0), v(1, 1));
    assert_eq!(old.negotiate(new), Some(v(1, 0)));
    assert_eq!(new.negotiate(new), Some(v(1, 1)));
}

#[test]
fn ends_that_dropped_each_other_do_not_meet() {
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
fn a_range_that_is_turned_around_meets_nobody() {
    assert_eq!(range(v(1, 3), v(1, 0)).negotiate(SUPPORTED), None);
}

proptest! {
    #[test]
    fn negotiation_is_mutual_and_inside_both(a in version(), b in version(), c in version(), d in version()) {
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
