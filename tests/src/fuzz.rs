//! Frames that no honest machine sends: recorded frames with a few random changes. A seed determines each frame, so
//! that a failure can be reproduced.

use std::path::Path;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rmpv::Value;

/// Numbers at which sums and sizes overflow.
const NUMBERS: [u64; 12] = [
    0,
    1,
    255,
    65_536,
    1 << 20,
    (1 << 32) - 1,
    1 << 53,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX - 2,
    u64::MAX - 1,
    u64::MAX,
];
const TEXTS: [&str; 7] = [
    "",
    "\0",
    "\u{202e}\u{1b}[2J",
    "../../etc/passwd",
    "data",
    "sb_exec",
    "00000000-0000-0000-0000-000000000000",
];

/// Recorded frames: the message of each, by the name of its file.
///
/// # Panics
/// When the folder of golden frames cannot be read.
pub fn corpus() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/tests/golden/to-gateway");
    let files = std::fs::read_dir(folder).expect("golden frames");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("text");
        let bytes = hex::decode(text.split_whitespace().collect::<String>()).expect("hex");
        let frame = rmpv::decode::read_value(&mut bytes.as_slice()).expect("a frame");
        let Value::Map(fields) = frame else {
            panic!("{} is no frame", path.display())
        };
        let message = fields
            .into_iter()
            .find(|(key, _)| key.as_str() == Some("message"));
        message.expect("a message").1
    };
    files.iter().map(read).collect()
}

/// Changes frames. The same seed makes the same ones.
pub struct Mutator {
    random: StdRng,
    corpus: Vec<Value>,
}

impl Mutator {
    /// A mutator of the recorded frames.
    pub fn new(seed: u64) -> Self {
        Self {
            random: StdRng::seed_from_u64(seed),
            corpus: corpus(),
        }
    }

    /// True with the probability of one in `n`.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.random.random_ratio(1, n)
    }

    /// A frame for this position in the connection. It usually contains `operation` where a frame has an operation id.
    pub fn frame(&mut self, epoch: u64, seq: u64, operation: uuid::Uuid) -> Vec<u8> {
        let mut message = self
            .corpus
            .choose(&mut self.random)
            .cloned()
            .unwrap_or(Value::Nil);
        if !self.one_in(8) {
            name(&mut message, operation);
        }
        for _ in 0..self.random.random_range(0..4) {
            let places = count(&message);
            let at = self.random.random_range(0..places);
            let mut left = at;
            self.change(&mut message, &mut left);
        }
        let mut frame = Value::Map(vec![
            (Value::from("epoch"), Value::from(epoch)),
            (Value::from("seq"), Value::from(seq)),
            (Value::from("message"), message),
        ]);
        if self.one_in(200) {
            let mut left = self.random.random_range(0..3);
            self.change(&mut frame, &mut left);
        }
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &frame).expect("memory takes it");
        if self.one_in(100) {
            self.spoil(&mut bytes);
        }
        bytes
    }

    /// Damages bytes, so that they may no longer be a value.
    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        let at = self.random.random_range(0..bytes.len());
        match self.random.random_range(0..3) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << self.random.random_range(0..8),
            _ => bytes.extend_from_within(at..),
        }
    }

    /// Changes the value that is `left` positions further.
    fn change(&mut self, value: &mut Value, left: &mut usize) -> bool {
        if *left == 0 {
            *value = self.instead_of(value);
            return true;
        }
        *left -= 1;
        match value {
            Value::Map(fields) => fields.iter_mut().any(|(_, value)| self.change(value, left)),
            Value::Array(items) => items.iter_mut().any(|item| self.change(item, left)),
            _ => false,
        }
    }

    fn instead_of(&mut self, value: &Value) -> Value {
        if self.one_in(12) {
            return self.anything();
        }
        match value {
            Value::Integer(_) => self.number(value.as_u64().unwrap_or_default()),
            Value::String(_) => Value::from(self.text()),
            Value::F32(_) | Value::F64(_) => {
                let odd = [f64::NAN, f64::INFINITY, -1.0, f64::MAX, 0.0];
                Value::from(*odd.choose(&mut self.random).expect("some"))
            }
            Value::Boolean(is) => Value::from(!is),
            Value::Binary(bytes) => {
                let most = *[0, 1, bytes.len(), 4_096, 65_536]
                    .choose(&mut self.random)
                    .expect("some");
                Value::Binary(vec![0xa5; most])
            }
            Value::Map(fields) => {
                let mut fields = fields.clone();
                if !fields.is_empty() {
                    let at = self.random.random_range(0..fields.len());
                    let field = fields.remove(at);
                    if self.one_in(3) {
                        fields.extend([field.clone(), field]);
                    }
                }
                Value::Map(fields)
            }
            Value::Array(items) => match items.first() {
                Some(first) => {
                    let many = *[0, 1, 2, 300].choose(&mut self.random).expect("some");
                    Value::Array(vec![first.clone(); many])
                }
                None => Value::Array(vec![self.anything()]),
            },
            _ => self.anything(),
        }
    }

    fn anything(&mut self) -> Value {
        match self.random.random_range(0..7) {
            0 => Value::Nil,
            1 => Value::Boolean(true),
            2 => self.number(7),
            3 => Value::from(self.text()),
            4 => Value::Array(vec![Value::Nil; 3]),
            5 => Value::Binary(vec![0; 100]),
            _ => Value::from(-1),
        }
    }

    fn number(&mut self, now: u64) -> Value {
        let near = self.random.random_range(0..4_u64);
        Value::from(match self.random.random_range(0..3) {
            0 => now.wrapping_add(near).wrapping_sub(2),
            1 => self.random.random(),
            _ => *NUMBERS.choose(&mut self.random).expect("some"),
        })
    }

    fn text(&mut self) -> String {
        if self.one_in(6) {
            return "x".repeat(*[1_000, 70_000].choose(&mut self.random).expect("some"));
        }
        (*TEXTS.choose(&mut self.random).expect("some")).to_owned()
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Map(fields) => fields.iter().map(|(_, value)| count(value)).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Puts this id into every operation field of the message.
fn name(message: &mut Value, operation: uuid::Uuid) {
    match message {
        Value::Map(fields) => {
            for (key, value) in fields {
                if key.as_str() == Some("operation") && !matches!(value, Value::Map(_)) {
                    *value = match value {
                        Value::Binary(_) => Value::Binary(operation.as_bytes().to_vec()),
                        _ => Value::from(operation.to_string()),
                    };
                } else {
                    name(value, operation);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name(item, operation)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use roost_protocol::frame::decode_from_node;

    use super::*;

    #[test]
    fn seed_makes_the_same_frames_and_many_decode() {
        let frames = |seed| {
            let mut mutator = Mutator::new(seed);
            let frame = move |n| mutator.frame(1, n, uuid::Uuid::from_u128(7));
            (0..500).map(frame).collect::<Vec<_>>()
        };
        assert_eq!(frames(1), frames(1));
        assert_ne!(frames(1), frames(2));
        let read = |frame: &Vec<u8>| decode_from_node(frame);
        let understood = frames(1).iter().filter(|frame| read(frame).is_ok()).count();
        assert!((100..450).contains(&understood), "{understood} of 500");
    }
}
