//! How long a text of 20,000 words takes. Prints `name: value unit`.

use std::hint::black_box;
use std::time::Instant;

fn main() {
    // 4,000 different words in an order that is the same each time.
    let text: Vec<String> = (0..20_000_u32).map(|place| format!("word{}", place.wrapping_mul(7_919) % 4_000)).collect();
    let text = text.join(" ");
    let mut times: Vec<u128> = (0..9)
        .map(|_| {
            let began = Instant::now();
            black_box(tally::top(black_box(&text), 10));
            began.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    println!("top: {} ns", times[times.len() / 2]);
}
