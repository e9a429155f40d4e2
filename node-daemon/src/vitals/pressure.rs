//! Pressure stall information from `/proc/pressure`; absent on kernels without it.
use roost_protocol::vitals::Psi;

/// Reads all three; `None` where the kernel has none.
pub fn read() -> Option<Psi> {
    let file =
        |name: &str| std::fs::read_to_string(format!("/proc/pressure/{name}")).unwrap_or_default();
    let (cpu, memory, io) = (file("cpu"), file("memory"), file("io"));
    let psi = Psi {
        cpu_some10: avg10(&cpu, "some"),
        memory_some10: avg10(&memory, "some"),
        memory_full10: avg10(&memory, "full"),
        io_some10: avg10(&io, "some"),
        io_full10: avg10(&io, "full"),
    };
    (psi != Psi::default()).then_some(psi)
}

fn avg10(text: &str, kind: &str) -> Option<f32> {
    let line = text
        .lines()
        .find(|line| line.split(' ').next() == Some(kind))?;
    let value = line
        .split(' ')
        .find_map(|word| word.strip_prefix("avg10="))?;
    value
        .parse()
        .ok()
        .filter(|pct: &f32| (0.0..=100.0).contains(pct))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_missing_in_the_kernel_file_are_absent() {
        let text = "some avg10=1.53 avg60=0.87 avg300=0.20 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        assert_eq!(avg10(text, "some"), Some(1.53));
        assert_eq!(avg10(text, "full"), Some(0.0));
        assert_eq!(avg10("", "some"), None);
        assert_eq!(avg10("some avg10=x", "some"), None);
        assert_eq!(avg10("some avg10=NaN", "some"), None);
    }
}
