//! What the guest's `runtime-code` and `runtime-request` take from their stdin and write to their stdout, as JSON.
//!
//! `runtime-serve` starts the server of a mission's runtime, pairs with it, and holds the bearer inside the sandbox. It never
//! writes the pairing code. `runtime-code` gives the code to the gateway under a pad that the gateway sends: only who has the
//! pad can read it, and each pad is used once. So neither the code nor the bearer is in a stored output.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The folder in a sandbox with the standing, the code and the bearer of its server. It is outside the workspace.
pub const FOLDER: &str = "/tmp/.roost-runtime";
/// The file of the folder that has the standing of the last server, as JSON of [`Standing`].
pub const STANDING: &str = "standing";

/// The longest pairing code, bytes.
pub const MOST_CODE: usize = 128;
/// The bytes of a pad: the code's length, then the code.
pub const PAD: usize = MOST_CODE + 1;

/// How far the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boot {
    /// It has not printed its code, or does not accept the code yet.
    Starting,
    /// It accepts requests.
    Ready,
    /// It refused its own code.
    Refused,
    /// Its process has ended.
    Ended,
}

/// The answer of `runtime-code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub boot: Boot,
    /// The pairing code under the pad. Absent for a server without pairing, and before it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Vec<u8>>,
    /// What the server printed last, without secrets.
    #[serde(default)]
    pub last: Vec<String>,
}

/// A request to the server, for `runtime-request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub method: String,
    /// With its leading slash.
    pub path: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    pub timeout_s: u64,
    /// The most bytes of the answer's body.
    pub most: u64,
}

/// The answer of `runtime-request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Answered {
        status: u16,
        /// Without the secrets of the runtime.
        body: String,
    },
    /// The body is longer than the request allows.
    TooLong,
    /// The server did not take the request: nothing listens there.
    NotTaken(String),
    /// The request may have arrived. Its answer did not.
    Broken(String),
}

/// The code under the pad. `None` for a code that is too long, or a pad of another size.
pub fn seal(code: &str, pad: &[u8]) -> Option<Vec<u8>> {
    if code.len() > MOST_CODE || pad.len() != PAD {
        return None;
    }
    let mut plain = vec![0; PAD];
    plain[0] = u8::try_from(code.len()).ok()?;
    plain[1..=code.len()].copy_from_slice(code.as_bytes());
    Some(xor(&plain, pad))
}

/// The code that [`seal`] put under the pad.
pub fn unseal(sealed: &[u8], pad: &[u8]) -> Option<String> {
    if sealed.len() != PAD || pad.len() != PAD {
        return None;
    }
    let plain = xor(sealed, pad);
    let code = plain.get(1..=usize::from(plain[0]))?;
    String::from_utf8(code.to_vec()).ok()
}

fn xor(bytes: &[u8], pad: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .zip(pad)
        .map(|(byte, pad)| byte ^ pad)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comes_back_only_with_its_pad() {
        let pad: Vec<u8> = (0..PAD).map(|n| (n * 37 % 251) as u8).collect();
        let sealed = seal("384112", &pad).unwrap();
        assert!(!sealed.windows(6).any(|bytes| bytes == b"384112"));
        assert_eq!(unseal(&sealed, &pad).as_deref(), Some("384112"));
        let other: Vec<u8> = pad.iter().map(|byte| byte.wrapping_add(1)).collect();
        assert_ne!(unseal(&sealed, &other).as_deref(), Some("384112"));
    }

    #[test]
    fn sealed_codes_of_all_lengths_have_one_size() {
        let pad = vec![7; PAD];
        let sizes = ["", "1", &"x".repeat(MOST_CODE)].map(|code| seal(code, &pad).unwrap().len());
        assert_eq!(sizes, [PAD; 3]);
        assert_eq!(seal(&"x".repeat(MOST_CODE + 1), &pad), None);
        assert_eq!(seal("1", &pad[1..]), None);
        assert_eq!(unseal(&[0; 3], &pad), None);
    }
}
