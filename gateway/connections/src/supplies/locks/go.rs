//! `go.sum`. It pins each module and each `go.mod`, so `go.mod` itself says nothing more about packages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::{MOST_ENTRIES, Parsed, many};
use crate::supplies::go::MOD;
use crate::supplies::model::{Hash, Kind, Pin};

/// The module whose versions are Go itself.
const TOOLCHAIN: &str = "/toolchain";

/// Reads the file.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn read(text: &str) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (module, version, sum) = match words.as_slice() {
            [] => continue,
            [module, version, sum] => (*module, *version, *sum),
            _ => {
                return Err(format!(
                    "The lock file cannot be read: line {} does not have a module, a version and a hash. Run `go mod tidy`, \
                     and commit it.",
                    number + 1
                ));
            }
        };
        let shown = format!("{module} {version}");
        parsed.take(&shown, pin(module, version, sum).map(Some));
        // A module has two lines.
        if parsed.pins.len() + parsed.left_out.len() > 2 * MOST_ENTRIES {
            return Err(many());
        }
    }
    Ok(parsed)
}

fn pin(module: &str, version: &str, sum: &str) -> Result<Pin, &'static str> {
    let plain = version.strip_suffix(MOD);
    if !is_module(module) || !is_version(plain.unwrap_or(version)) {
        return Err("Its name or version is not one of a Go module. Run `go mod tidy`.");
    }
    if plain.is_none() && module.ends_with(TOOLCHAIN) && version.contains("-go1.") {
        return Err("It is Go itself, and the sandbox uses the Go of its image.");
    }
    let bytes = sum
        .strip_prefix("h1:")
        .and_then(|sum| BASE64.decode(sum).ok());
    let bytes: Option<[u8; 32]> = bytes.and_then(|bytes| bytes.try_into().ok());
    let bytes = bytes.ok_or("The lock file has no valid hash of it. Run `go mod tidy`.")?;
    Ok(Pin {
        kind: Kind::Go,
        name: module.to_owned(),
        version: version.to_owned(),
        hash: match plain {
            Some(_) => Hash::GoMod(bytes),
            None => Hash::GoZip(bytes),
        },
        file: None,
    })
}

fn is_module(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    text.len() <= 255 && text.split('/').all(is_part)
}

fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(super::is_version)
}

#[cfg(test)]
mod tests {
    use crate::supplies::locks;

    const SUM: &str = "h1:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0=";

    #[test]
    fn module_and_its_go_mod_are_two_pins() {
        let text = format!(
            "rsc.io/quote v1.5.2 {SUM}\nrsc.io/quote v1.5.2/go.mod {SUM}\nexample.com/A v2.0.0+incompatible {SUM}\n"
        );
        let parsed = locks::read("go.sum", text.as_bytes(), "").unwrap();
        let shown: Vec<String> = parsed
            .pins
            .iter()
            .map(|pin| format!("{} {}", pin.name, pin.version))
            .collect();
        let wanted = [
            "example.com/A v2.0.0+incompatible",
            "rsc.io/quote v1.5.2",
            "rsc.io/quote v1.5.2/go.mod",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(parsed.left_out, []);
    }

    #[test]
    fn strange_names_hashes_and_go_itself_are_left_out_and_a_foreign_file_is_refused() {
        let text = format!(
            "../x v1.0.0 {SUM}\nexample.com/a ../v1 {SUM}\nexample.com/b v1.0.0 h1:x\nexample.com/c v1.0.0 h9:x\n\
             example.com/toolchain v0.0.1-go1.22.0.linux-amd64 {SUM}\n"
        );
        let parsed = locks::read("go.sum", text.as_bytes(), "").unwrap();
        assert_eq!((parsed.pins.len(), parsed.left_out.len()), (0, 5));
        let error = locks::read("go.sum", b"<html>\n", "").unwrap_err();
        assert!(error.contains("line 1"), "{error}");
    }
}
