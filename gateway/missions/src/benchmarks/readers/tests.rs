//! Outputs of the tools as they are, and outputs that lie.
use proptest::prelude::*;

use super::{MOST_BYTES, NamedFile, read};
use crate::benchmarks::{MOST_NAMES, ReadError, Reading, Sample};

fn text(output: &str) -> Reading {
    read(output.as_bytes(), &[]).expect("it has results")
}

fn sample(name: &str, unit: &str, values: &[f64]) -> Sample {
    Sample {
        name: name.to_owned(),
        unit: unit.to_owned(),
        values: values.to_vec(),
    }
}

const CRITERION: &str = "\
Benchmarking fib 20
Benchmarking fib 20: Warming up for 3.0000 s
Benchmarking fib 20: Collecting 100 samples in estimated 5.0 s (192k iterations)
fib 20                  time:   [26.029 \u{b5}s 26.251 \u{b5}s 26.505 \u{b5}s]
                        thrpt:  [18.869 MiB/s 19.021 MiB/s 19.200 MiB/s]
                        change: [-38.292% -37.342% -36.524%] (p = 0.00 < 0.05)
                        Performance has improved.
Found 6 outliers among 100 measurements (6.00%)
  5 (5.00%) high mild
a group/with a very long name/10000
                        time:   [1.0000 ms 1.1000 ms 1.2000 ms]
                 change:
                        time:   [-1.0% +0.1% +1.2%] (p = 0.90 > 0.05)
";

#[test]
fn criterion_in_a_terminal() {
    let reading = text(CRITERION);
    assert_eq!(
        reading.samples,
        [
            sample("fib 20", "ns", &[26.251 * 1e3]),
            sample("a group/with a very long name/10000", "ns", &[1.1 * 1e6]),
        ]
    );
}

#[test]
fn criterion_files_go_before_its_lines() {
    let files = [
        NamedFile {
            path: "target/criterion/fib 20/new/sample.json",
            bytes: br#"{"sampling_mode":"Linear","iters":[10.0,20.0,0.0],"times":[100.0,240.0,5.0]}"#,
        },
        NamedFile {
            path: "target/criterion/fib 20/new/estimates.json",
            bytes: br#"{"mean":{"point_estimate":11.0},"median":{"confidence_interval":{"confidence_level":0.95},"point_estimate":11.5,"standard_error":0.1},"slope":null}"#,
        },
        NamedFile {
            path: "target/criterion/fib 20/base/sample.json",
            bytes: br#"{"iters":[1.0],"times":[99.0]}"#,
        },
        NamedFile {
            path: "target/criterion/fib 20/change/estimates.json",
            bytes: br#"{"mean":{"point_estimate":-0.5},"median":{"point_estimate":-0.5}}"#,
        },
        NamedFile {
            path: "target/criterion/other/new/estimates.json",
            bytes: br#"{"median":{"point_estimate":7.5}}"#,
        },
    ];
    let reading = read(CRITERION.as_bytes(), &files).unwrap();
    assert_eq!(
        reading.samples,
        [
            sample("fib 20", "ns", &[10.0, 12.0]),
            sample("other", "ns", &[7.5]),
            sample("a group/with a very long name/10000", "ns", &[1.1 * 1e6]),
        ]
    );
    assert_eq!(
        reading.notes,
        ["1 values were not finite numbers and were left out"]
    );
}

#[test]
fn hyperfine_as_a_file_and_inside_the_output() {
    let json = br#"{"results":[{"command":"sleep {n}","mean":0.2,"stddev":null,"median":0.2,"times":[0.1,0.3],"exit_codes":[0,0],"parameters":{"n":"1"}},
      {"command":"true","mean":0.001,"median":0.001}]}"#;
    let expected = [
        sample("sleep {n} n=1", "ns", &[0.1 * 1e9, 0.3 * 1e9]),
        sample("true", "ns", &[0.001 * 1e9]),
    ];
    let file = NamedFile {
        path: "bench.json",
        bytes: json,
    };
    assert_eq!(read(b"", &[file]).unwrap().samples, expected);
    let output = format!("begin\n{}\nparse: 5 ms\n", String::from_utf8_lossy(json));
    let mixed = text(&output).samples;
    assert_eq!(mixed[..2], expected);
    assert_eq!(mixed[2], sample("parse", "ns", &[5e6]));
}

#[test]
fn pytest_benchmark_with_and_without_data_and_with_nan() {
    let json = r#"{"machine_info":{"cpu":{"brand_raw":"x \" NaN"}},"benchmarks":[
      {"name":"test_a","fullname":"tests/t.py::test_a","stats":{"median":0.5,"data":[0.25,NaN,-Infinity]}},
      {"name":"test_b","fullname":null,"stats":{"median":0.5,"stddev":NaN}}],"version":"4.0.0"}"#;
    let reading = text(json);
    assert_eq!(
        reading.samples,
        [
            sample("tests/t.py::test_a", "ns", &[0.25e9]),
            sample("test_b", "ns", &[0.5e9]),
        ]
    );
    assert_eq!(
        reading.notes,
        ["2 values were not finite numbers and were left out"]
    );
}

#[test]
fn go_lines_have_one_sample_each_unit() {
    let reading = text(
        "goos: linux\ngoarch: amd64\npkg: example.org/x\ncpu: AMD EPYC 7B13\n\
         BenchmarkFib10-8   \t 5000000\t       231 ns/op\t      16 B/op\t       1 allocs/op\n\
         BenchmarkFib10-8   \t 5000000\t       233 ns/op\t      16 B/op\t       1 allocs/op\n\
         BenchmarkCopy/1k-8 \t 100\t 1.5 ns/op\t 690.5 MB/s\nPASS\nok  \texample.org/x\t3.2s\n",
    );
    assert_eq!(
        reading.samples,
        [
            sample("BenchmarkFib10-8", "ns", &[231.0, 233.0]),
            sample("BenchmarkFib10-8", "B/op", &[16.0, 16.0]),
            sample("BenchmarkFib10-8", "allocs/op", &[1.0, 1.0]),
            sample("BenchmarkCopy/1k-8", "ns", &[1.5]),
            sample("BenchmarkCopy/1k-8", "B/s", &[690.5e6]),
        ]
    );
}

#[test]
fn plain_lines_and_lines_of_libtest() {
    let reading = text(
        "test tests::sort ... bench:       1,234.50 ns/iter (+/- 56) = 12 MB/s\n\
         a::b: 1.5 ms\nsize of it:12KiB\n\u{1b}[1mserve\u{1b}[0m: 2,500 ops/s\r\nlatency: 3\u{b5}s\n\
         score: 7 points\nscore: -1.5e2 points\nlost: nan ms\n",
    );
    assert_eq!(
        reading.samples,
        [
            sample("tests::sort", "ns", &[1234.5]),
            sample("a::b", "ns", &[1.5e6]),
            sample("size of it", "B", &[12.0 * 1024.0]),
            sample("serve", "ops/s", &[2500.0]),
            sample("latency", "ns", &[3000.0]),
            sample("score", "points", &[7.0, -150.0]),
        ]
    );
    assert_eq!(
        reading.notes,
        ["1 values were not finite numbers and were left out"]
    );
}

#[test]
fn lines_that_measure_nothing_are_not_read() {
    let output = "warning: 3 warnings\ntest result: ok. 3 passed; 0 failed; finished in 0.02s\n\
         Time (mean \u{b1} \u{3c3}):     101.2 ms \u{b1}   0.5 ms\nhttp://host:8080\ntests: 5 passed\n12:30:05\n\
         a: 1,2 ms\nb: five ms\nc: 5\nd: 5 ms more\n: 5 ms\n    Finished `bench` profile [optimized] in 0.05s\n";
    let error = read(output.as_bytes(), &[]).unwrap_err();
    assert_eq!(error, ReadError::NoResults { notes: Vec::new() });
    assert!(error.to_string().contains("name: value unit"), "{error}");
}

#[test]
fn json_that_is_broken_is_said_and_the_rest_is_read() {
    for (begin, cause) in [
        ("{\"a\":[", "expected value"),
        (
            "{\"results\":[{\"parameters\":{\"a\":",
            "recursion limit exceeded",
        ),
    ] {
        let deep = format!("{begin}{}\nlast: 1 ms\n", "[".repeat(1_000));
        let reading = text(&deep);
        assert_eq!(reading.samples, [sample("last", "ns", &[1e6])]);
        assert!(reading.notes[0].contains(cause), "{:?}", reading.notes);
    }
    let file = NamedFile {
        path: "h.json",
        bytes: br#"{"results": 5}"#,
    };
    let error = read(b"", &[file]).unwrap_err().to_string();
    assert!(
        error.contains("h.json was not read: invalid type"),
        "{error}"
    );
}

#[test]
fn hundred_megabytes_are_read_in_bounds() {
    let mut output = b"first: 1 ms\n".to_vec();
    output.resize(100 * 1024 * 1024, b'x');
    let reading = read(&output, &[]).unwrap();
    assert_eq!(reading.samples, [sample("first", "ns", &[1e6])]);
    assert_eq!(
        reading.notes,
        ["the output has 100 MB; only its first 32 MB were read"]
    );
    let file = NamedFile {
        path: "big.json",
        bytes: &output,
    };
    assert_eq!(
        read(b"a: 1 ms", &[file]).unwrap().notes,
        ["big.json has over 32 MB and was not read"]
    );
    output.truncate(MOST_BYTES - 1);
    assert_eq!(
        read(&output, &[]).unwrap().notes,
        ["1 lines over 64 kB were left out"]
    );
}

#[test]
fn many_broken_pieces_of_json_cost_a_bounded_time() {
    let output = "{\"a\":[1,\n".repeat(200_000) + "z: 1 ms\n";
    assert_eq!(text(&output).samples.len(), 1);
}

#[test]
fn thousands_of_names_are_bounded() {
    let output: String = (0..MOST_NAMES * 3)
        .map(|n| format!("{}{n}: 1 ms\n", "n".repeat(300)))
        .collect();
    let reading = text(&output);
    assert_eq!(reading.samples.len(), MOST_NAMES);
    assert!(reading.notes[0].starts_with("4000 values belonged to names beyond"));
}

proptest! {
    #[test]
    fn no_output_makes_the_reader_panic(output in prop::collection::vec(any::<u8>(), 0..400), path in "\\PC{0,40}") {
        let file = NamedFile { path: &path, bytes: &output };
        let _ = read(&output, &[file]);
    }

    /// Pieces of the formats in any order reach further than random bytes.
    #[test]
    fn no_mixture_of_pieces_makes_the_reader_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "time:", "[", "]", "1.0", "ms", "%", "\n", "\r", " ", "Benchmark", "5", "test ", " ... bench:", ":", "{", "}",
        "\"results\"", "\"times\":[", "NaN", "-Infinity", "\"", "\\", ",", "e", "+", "\u{1b}[", "\u{b5}", "1,000", "{}",
    ]), 0..60)) {
        let output = pieces.concat();
        for sample in read(output.as_bytes(), &[]).map(|reading| reading.samples).unwrap_or_default() {
            prop_assert!(sample.values.iter().all(|value| value.is_finite()));
            prop_assert!(!sample.name.chars().any(char::is_control));
        }
    }
}
