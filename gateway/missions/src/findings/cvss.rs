//! The base score of a CVSS vector of version 3.0 or 3.1, for reports that hold only the vector.
//! FIRST: "Common Vulnerability Scoring System v3.1: Specification Document", section 7.1.

/// The base score, 0 to 10. `None` for another version and for a vector without a metric.
pub(super) fn base_score(vector: &str) -> Option<f64> {
    let metrics = vector
        .strip_prefix("CVSS:3.1/")
        .or_else(|| vector.strip_prefix("CVSS:3.0/"))?;
    let value = |name: &str| {
        metrics
            .split('/')
            .filter_map(|metric| metric.split_once(':'))
            .find(|(metric, _)| *metric == name)
            .map(|(_, value)| value)
    };
    let changed = match value("S")? {
        "C" => true,
        "U" => false,
        _ => return None,
    };
    let vector = match value("AV")? {
        "N" => 0.85,
        "A" => 0.62,
        "L" => 0.55,
        "P" => 0.2,
        _ => return None,
    };
    let complexity = match value("AC")? {
        "L" => 0.77,
        "H" => 0.44,
        _ => return None,
    };
    let privileges = match (value("PR")?, changed) {
        ("N", _) => 0.85,
        ("L", true) => 0.68,
        ("L", false) => 0.62,
        ("H", true) => 0.5,
        ("H", false) => 0.27,
        _ => return None,
    };
    let interaction = match value("UI")? {
        "N" => 0.85,
        "R" => 0.62,
        _ => return None,
    };
    let loss = |name: &str| match value(name)? {
        "H" => Some(0.56),
        "L" => Some(0.22),
        "N" => Some(0.0),
        _ => None,
    };
    let kept = (1.0 - loss("C")?) * (1.0 - loss("I")?) * (1.0 - loss("A")?);
    let base = 1.0 - kept;
    let impact = if changed {
        7.52 * (base - 0.029) - 3.25 * f64::powi(base - 0.02, 15)
    } else {
        6.42 * base
    };
    if impact <= 0.0 {
        return Some(0.0);
    }
    let exploitability = 8.22 * vector * complexity * privileges * interaction;
    let sum = impact + exploitability;
    Some(rounded_up(if changed { 1.08 * sum } else { sum }.min(10.0)))
}

/// The specification's rounding to the next tenth, in whole numbers so that 4.0 stays 4.0.
fn rounded_up(score: f64) -> f64 {
    let whole = (score * 100_000.0).round() as u64;
    if whole.is_multiple_of(10_000) {
        whole as f64 / 100_000.0
    } else {
        (whole / 10_000 + 1) as f64 / 10.0
    }
}

#[cfg(test)]
mod tests {
    use super::base_score;

    /// Scores that the National Vulnerability Database gives for these vectors.
    #[test]
    fn scores_of_known_vectors() {
        let cases = [
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", Some(9.8)),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", Some(10.0)),
            ("CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", Some(7.5)),
            ("CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H", Some(5.5)),
            ("CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", Some(6.1)),
            ("CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:N", Some(0.0)),
            (
                "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
                None,
            ),
            ("CVSS:3.1/AV:N", None),
            ("CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", None),
            ("", None),
        ];
        for (vector, score) in cases {
            assert_eq!(base_score(vector), score, "{vector}");
        }
    }
}
