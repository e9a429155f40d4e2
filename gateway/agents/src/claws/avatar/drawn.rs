//! The picture that every agent has from its id alone: five by five squares, the left half mirrored, in one colour.

use sha2::{Digest, Sha256};

use roost_platform::ids::ClawId;

/// Changes with the drawing, so that browsers load it again.
pub const VERSION: &str = "drawn-1";
const SIDE: usize = 5;

/// The picture as SVG. The same id gives the same bytes, on every gateway and in every version of this drawing.
pub fn svg(id: ClawId) -> String {
    let digest = Sha256::digest(id.0.as_bytes());
    let hue = (u32::from(digest[0]) << 8 | u32::from(digest[1])) % 360;
    let mut squares = String::new();
    for row in 0..SIDE {
        for column in 0..SIDE {
            let mirrored = column.min(SIDE - 1 - column);
            // One bit for each square of the left half and the middle column.
            let bit = row * SIDE.div_ceil(2) + mirrored;
            if digest[2 + bit / 8] >> (bit % 8) & 1 == 1 {
                squares.push_str(&format!("M{} {}h1v1h-1z", column + 1, row + 1));
            }
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 7 7\" width=\"256\" height=\"256\" \
         shape-rendering=\"crispEdges\"><path fill=\"hsl({hue},35%,24%)\" d=\"M0 0h7v7h-7z\"/>\
         <path fill=\"hsl({hue},60%,72%)\" d=\"{squares}\"/></svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_same_id_is_drawn_the_same_for_ever_and_another_is_not() {
        let (one, other) = (ClawId(Uuid::from_u128(7)), ClawId(Uuid::from_u128(8)));
        assert_eq!(svg(one), svg(one));
        assert_ne!(svg(one), svg(other));
    }

    proptest! {
        #[test]
        fn drawing_is_symmetric_and_contains_only_numbers(id: u128) {
            let svg = svg(ClawId(Uuid::from_u128(id)));
            prop_assert!(svg.len() < 1_000 && !svg.contains("script") && !svg.contains("href"));
            for row in 1..=SIDE {
                for column in 1..=SIDE {
                    let is_there = |column| svg.contains(&format!("M{column} {row}h1"));
                    prop_assert_eq!(is_there(column), is_there(SIDE + 1 - column));
                }
            }
        }
    }
}
