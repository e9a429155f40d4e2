//! Reads and writes the head of a bundle, before git sees a byte of it.

use std::io::{BufRead, Read};

use roost_secret_broker::wire::{Fault, FaultCode};

use super::refs::is_commit;

/// Longest head of a bundle with one branch.
const LONGEST: u64 = 64 << 10;

/// The head of a bundle with one branch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BundleHead {
    pub(super) commit: String,
    /// Commits that the reader must have.
    pub(super) needs: Vec<String>,
    /// Bytes of the head; the pack follows.
    pub(super) length: u64,
    /// Objects of the pack, as it says.
    pub(super) objects: u32,
}

/// The head of a bundle of one whole commit.
pub(super) fn write(commit: &str, branch: &str) -> Vec<u8> {
    let signature = match commit.len() {
        64 => "# v3 git bundle\n@object-format=sha256\n",
        _ => "# v2 git bundle\n",
    };
    format!("{signature}{commit} refs/heads/{branch}\n\n").into_bytes()
}

/// Reads the head of a bundle and checks that it names only this branch.
///
/// # Errors
/// [`FaultCode::BundleRefused`].
pub(super) fn read(from: impl BufRead, branch: &str) -> Result<BundleHead, Fault> {
    let mut from = from.take(LONGEST);
    let mut head = BundleHead {
        commit: String::new(),
        needs: Vec::new(),
        length: 0,
        objects: 0,
    };
    let version = line(&mut from, &mut head.length).unwrap_or_default();
    if !matches!(version.as_str(), "# v2 git bundle" | "# v3 git bundle") {
        return Err(refused("it is not a git bundle of version 2 or 3"));
    }
    let mut branches = 0;
    loop {
        let line = line(&mut from, &mut head.length)?;
        if line.is_empty() {
            break;
        }
        if let Some(capability) = line.strip_prefix('@') {
            if !matches!(capability, "object-format=sha1" | "object-format=sha256") {
                return Err(refused("it has a filter or another extension"));
            }
        } else if let Some(needed) = line.strip_prefix('-') {
            let needed = needed.split(' ').next().unwrap_or_default();
            if !is_commit(needed) {
                return Err(refused(
                    "it names a commit that it needs without a whole id",
                ));
            }
            head.needs.push(needed.to_owned());
        } else {
            branches += 1;
            let named = line.split_once(' ');
            let Some((commit, name)) = named.filter(|(commit, _)| is_commit(commit)) else {
                return Err(refused("it names a branch without a whole commit id"));
            };
            if name.strip_prefix("refs/heads/") != Some(branch) {
                return Err(refused(&format!(
                    "it names another branch or tag; only `{branch}` is accepted"
                )));
            }
            commit.clone_into(&mut head.commit);
        }
    }
    if branches != 1 {
        return Err(refused("it does not name exactly one branch"));
    }
    let mut pack = [0; 12];
    from.read_exact(&mut pack)
        .map_err(|_| refused("it has no pack"))?;
    if !pack.starts_with(b"PACK") {
        return Err(refused("it has no pack"));
    }
    head.objects = u32::from_be_bytes([pack[8], pack[9], pack[10], pack[11]]);
    Ok(head)
}

fn line(from: &mut impl BufRead, length: &mut u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)
        .map_err(|_| refused("it cannot be read"))?;
    *length += bytes.len() as u64;
    if bytes.pop() != Some(b'\n') {
        return Err(refused(
            "its list of branches is cut off or over 64 KiB; it may name one branch only",
        ));
    }
    String::from_utf8(bytes).map_err(|_| refused("its list of branches is not text"))
}

/// A bundle that is not accepted, with its reason.
pub(super) fn refused(reason: &str) -> Fault {
    Fault::new(
        FaultCode::BundleRefused,
        format!("the bundle is not accepted: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";
    const PACK: &str = "PACK\0\0\0\x02\0\0\0\x05rest";

    #[test]
    fn written_head_is_read_back() {
        let mut bundle = write(ID, "roost/a/1");
        let length = bundle.len() as u64;
        bundle.extend_from_slice(PACK.as_bytes());
        let head = read(&*bundle, "roost/a/1").unwrap();
        assert_eq!(head.commit, ID);
        assert_eq!((head.length, head.objects), (length, 5));
        assert_eq!(head.needs, Vec::<String>::new());
    }

    #[test]
    fn needed_commits_are_read() {
        let bundle = format!("# v2 git bundle\n-{ID} one\n{ID} refs/heads/roost/a\n\n{PACK}");
        let head = read(bundle.as_bytes(), "roost/a").unwrap();
        assert_eq!(head.needs, [ID]);
    }

    #[rstest]
    #[case("PACK".to_owned())]
    #[case("# v2 git bundle\n\n".to_owned())]
    #[case(format!("# v2 git bundle\n{ID} refs/heads/main\n\n{PACK}"))]
    #[case(format!("# v2 git bundle\n{ID} refs/heads/roost/a\n{ID} refs/heads/roost/a\n\n{PACK}"))]
    #[case(format!("# v2 git bundle\n{ID} refs/heads/roost/a\n{ID} HEAD\n\n{PACK}"))]
    #[case(format!("# v3 git bundle\n@filter=blob:none\n{ID} refs/heads/roost/a\n\n{PACK}"))]
    #[case(format!("# v2 git bundle\n--all\n{ID} refs/heads/roost/a\n\n{PACK}"))]
    #[case(format!("# v2 git bundle\n{ID} refs/heads/roost/a\n\nJUNK"))]
    #[case(format!("# v2 git bundle\n{}\n{PACK}", format!("{ID} refs/heads/roost/a\n").repeat(2_000)))]
    fn other_heads_are_refused(#[case] bundle: String) {
        let fault = read(bundle.as_bytes(), "roost/a").unwrap_err();
        assert_eq!(fault.code, FaultCode::BundleRefused);
    }
}
