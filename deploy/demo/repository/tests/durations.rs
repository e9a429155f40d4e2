//! What the crate promises in its README.

use durations::{format, parse, Mistake};

#[test]
fn one_unit() {
    assert_eq!(parse("45s"), Ok(45));
    assert_eq!(parse("90"), Ok(90));
    assert_eq!(parse("2d"), Ok(172_800));
}

#[test]
fn larger_units_come_first() {
    assert_eq!(parse("1h30m"), Ok(5_400));
    assert_eq!(parse("2d 4h"), Ok(187_200));
    assert_eq!(parse("30m1h"), Err(Mistake::Unexpected(4)));
}

#[test]
fn each_unit_stands_once() {
    assert_eq!(parse("1h1h"), Err(Mistake::Unexpected(3)));
}

#[test]
fn what_is_written_reads_back() {
    for seconds in [0, 59, 60, 3_599, 5_400, 90_061, 172_800] {
        assert_eq!(parse(&format(seconds)), Ok(seconds));
    }
}

#[test]
fn mistakes_say_where() {
    assert_eq!(parse(""), Err(Mistake::Empty));
    assert_eq!(parse("5x"), Err(Mistake::Unexpected(1)));
    assert_eq!(parse("h"), Err(Mistake::Unexpected(0)));
}
