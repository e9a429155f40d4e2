//! Reading a duration.

use crate::UNITS;

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// There is nothing.
    Empty,
    /// At this byte stands something that does not belong there.
    Unexpected(usize),
    /// The number before this byte is too large.
    TooLarge(usize),
}

/// Reads `1h30m` as 5400.
pub fn parse(text: &str) -> Result<u64, Mistake> {
    let mut total: u64 = 0;
    let mut number: Option<u64> = None;
    let mut largest = UNITS.len();
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            continue;
        }
        if let Some(digit) = c.to_digit(10) {
            let so_far = number.unwrap_or(0);
            let next = so_far.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit)));
            number = Some(next.ok_or(Mistake::TooLarge(at))?);
            continue;
        }
        let unit = UNITS.iter().position(|(name, _)| *name == c);
        let (Some(unit), Some(count)) = (unit, number) else {
            return Err(Mistake::Unexpected(at));
        };
        if unit >= largest {
            return Err(Mistake::Unexpected(at));
        }
        largest = unit;
        let part = count.checked_mul(UNITS[unit].1).ok_or(Mistake::TooLarge(at))?;
        total = total.checked_add(part).ok_or(Mistake::TooLarge(at))?;
        number = None;
    }
    match number {
        Some(seconds) => total.checked_add(seconds).ok_or(Mistake::TooLarge(text.len())),
        None if total == 0 && text.trim().is_empty() => Err(Mistake::Empty),
        None => Ok(total),
    }
}
