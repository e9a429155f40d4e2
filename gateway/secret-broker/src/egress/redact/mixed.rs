//! A secret in which each byte may be plain or escaped for JSON, HTML or a URL. Unescaping yields the secret, whichever
//! bytes were escaped.

/// Bytes of the longest escape of one byte.
const LONGEST: usize = 6;

/// What is found at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Something else.
    No,
    /// A prefix of the secret, up to the end of the bytes.
    Beginning,
    /// The whole secret; it ends here.
    Whole(usize),
}

/// Whether bytes may contain a partly escaped secret.
pub(super) fn may_be_escaped(bytes: &[u8]) -> bool {
    memchr::memchr3(b'\\', b'%', b'&', bytes).is_some()
}

/// How far back a secret can begin that continues after the given bytes.
pub(super) fn reach(secret: &[u8]) -> usize {
    secret.len().saturating_mul(LONGEST)
}

/// Matches the secret at a position. Several escapes may fit one byte (`%` is also the beginning of `%25`), so all are
/// followed.
pub(super) fn read(secret: &[u8], bytes: &[u8], at: usize) -> Reading {
    // A quick check first: most positions are ordinary text, and every byte of an answer is tested.
    let (Some(first), Some(now)) = (secret.first(), bytes.get(at)) else {
        return Reading::No;
    };
    if first != now && !b"\\%&".contains(now) {
        return Reading::No;
    }
    let mut places = vec![at];
    let mut cut_off = false;
    for byte in secret {
        let mut next = Vec::with_capacity(places.len());
        for place in places {
            let rest = &bytes[place..];
            ways(*byte, rest, |length| {
                if !next.contains(&(place + length)) {
                    next.push(place + length);
                }
            });
            cut_off |= is_beginning(*byte, rest);
        }
        places = next;
        if places.is_empty() {
            break;
        }
    }
    match places.into_iter().max() {
        Some(end) => Reading::Whole(end),
        None if cut_off => Reading::Beginning,
        None => Reading::No,
    }
}

/// Calls `each` with the length of every way to write `byte` that `rest` begins with.
fn ways(byte: u8, rest: &[u8], mut each: impl FnMut(usize)) {
    match rest {
        [first, ..] if *first == byte => each(1),
        _ => {}
    }
    match rest {
        [b'\\', letter, ..] if *letter == byte && b"\\\"/'".contains(letter) => each(2),
        [b'\\', b'u', b'0', b'0', high, low, ..] if is_hex(byte, *high, *low) => each(6),
        [b'\\', b'x', high, low, ..] if is_hex(byte, *high, *low) => each(4),
        [b'%', high, low, ..] if is_hex(byte, *high, *low) => each(3),
        [b'&', b'#', ..] => {
            if let Some(length) = entity(byte, rest) {
                each(length);
            }
        }
        _ => {}
    }
}

fn is_hex(byte: u8, high: u8, low: u8) -> bool {
    let digit = |letter: u8| char::from(letter).to_digit(16);
    digit(high).zip(digit(low)) == Some((u32::from(byte) >> 4, u32::from(byte) & 15))
}

/// `&#65;` and `&#x41;`
fn entity(byte: u8, rest: &[u8]) -> Option<usize> {
    let end = rest
        .iter()
        .take(LONGEST)
        .position(|letter| *letter == b';')?;
    let number = std::str::from_utf8(&rest[2..end]).ok()?;
    let number = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u8::from_str_radix(digits, 16),
        None => number.parse(),
    };
    (number.ok()? == byte).then_some(end + 1)
}

/// Whether `rest` is a proper prefix of some way to write `byte`.
fn is_beginning(byte: u8, rest: &[u8]) -> bool {
    if rest.is_empty() {
        return true;
    }
    if rest.len() >= LONGEST {
        return false;
    }
    let hex = [hex::encode([byte]), hex::encode_upper([byte])];
    let mut all: Vec<String> = vec![format!("\\{}", char::from(byte))];
    for hex in hex {
        all.push(format!("\\u00{hex}"));
        all.push(format!("\\x{hex}"));
        all.push(format!("%{hex}"));
        all.push(format!("&#x{hex};"));
        all.push(format!("&#X{hex};"));
    }
    all.push(format!("&#{byte};"));
    // Compare in lower case: hexadecimal digits may have either case.
    let small = rest.to_ascii_lowercase();
    all.iter().any(|way| {
        way.len() > rest.len() && way.to_ascii_lowercase().as_bytes().starts_with(&small)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"a%/b";

    #[test]
    fn each_byte_may_be_escaped_differently() {
        for text in [
            r"a%/b",
            r"\u0061%/b",
            r"a\u0025\/b",
            r"a%25%2f&#98;",
            r"a%25%2F&#x62;",
            r"\x61%\u002Fb",
        ] {
            let read = read(SECRET, text.as_bytes(), 0);
            assert_eq!(read, Reading::Whole(text.len()), "{text}");
            for cut in 1..text.len() {
                let part = &text.as_bytes()[..cut];
                assert_eq!(
                    self::read(SECRET, part, 0),
                    Reading::Beginning,
                    "{text} {cut}"
                );
            }
        }
        for text in ["b", "a%/c", r"a\u0026/b", "a%25%2e", "&#99;", r"\q"] {
            assert_eq!(read(SECRET, text.as_bytes(), 0), Reading::No, "{text}");
        }
    }
}
