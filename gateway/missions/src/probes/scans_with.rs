//! What a security phase scans with, as far as the tools of its image say.

use super::scanners::Scanner;
use super::settings::SecuritySettings;
use crate::findings::SECRETS_TOOL;

/// What scans, and what is missing.
#[derive(Debug, PartialEq, Eq)]
pub struct ScansWith {
    /// The search for secrets is Roost's own, so it is always there.
    pub has: Vec<String>,
    /// Sentences for people, each with what to do.
    pub lacks: Vec<String>,
}

/// The scanners of a security phase in an image with these tools. The tools of an image of the configuration are unknown:
/// its list is empty.
pub fn scans_with(settings: &SecuritySettings, image: &str, tools: &[String]) -> ScansWith {
    let named = &settings.scanners[..];
    let wanted = if named.is_empty() {
        &Scanner::ALL[..]
    } else {
        named
    };
    let is_there = |scanner: &&Scanner| tools.iter().any(|tool| tool == scanner.program());
    let (there, missing): (Vec<&Scanner>, Vec<&Scanner>) = wanted.iter().partition(is_there);
    let mut has = vec![SECRETS_TOOL.to_owned()];
    has.extend(there.iter().map(|one| one.name().to_owned()));
    has.extend(settings.sarif.iter().cloned());
    let lacks = if tools.is_empty() {
        vec![format!(
            "Roost does not know the scanners of the image {image}. The phase tries each of them."
        )]
    } else if named.is_empty() && there.is_empty() {
        vec![format!(
            "The image {image} has no scanner. The image security has bandit and semgrep."
        )]
    } else if named.is_empty() {
        Vec::new()
    } else {
        let missing = missing.iter();
        missing
            .map(|one| format!("{}: {}", one.name(), one.absent()))
            .collect()
    };
    ScansWith { has, lacks }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(settings: &SecuritySettings, image: &str, tools: &[&str]) -> (String, String) {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let found = scans_with(settings, image, &tools);
        (found.has.join(" "), found.lacks.join(" "))
    }

    #[test]
    fn scanners_are_those_of_the_image_and_an_image_without_one_says_which_has_some() {
        let any = SecuritySettings::default();
        let (has, lacks) = found(&any, "security", &["git", "bandit", "semgrep"]);
        assert_eq!(has, format!("{SECRETS_TOOL} bandit semgrep"));
        assert_eq!(lacks, "");
        let (has, lacks) = found(&any, "base", &["git"]);
        assert_eq!(has, SECRETS_TOOL);
        assert!(lacks.contains("The image security has"), "{lacks}");
        let (_, lacks) = found(&any, "ours", &[]);
        assert!(lacks.contains("does not know"), "{lacks}");
    }

    #[test]
    fn scanner_that_was_named_and_is_missing_is_said() {
        let named = SecuritySettings {
            scanners: vec![Scanner::Bandit, Scanner::CargoAudit],
            sarif: vec!["out/ours.sarif".to_owned()],
            ..SecuritySettings::default()
        };
        let (has, lacks) = found(&named, "python", &["bandit"]);
        assert_eq!(has, format!("{SECRETS_TOOL} bandit out/ours.sarif"));
        assert_eq!(
            lacks,
            "cargo_audit: The image of the sandbox does not have it."
        );
    }
}
