//! Looks up users by name or number.

use anyhow::{Context, bail};

/// The number of a user.
///
/// # Errors
/// When there is no such user.
pub fn number(user: &str) -> anyhow::Result<u32> {
    if let Ok(number) = user.parse() {
        return Ok(number);
    }
    let passwd =
        std::fs::read_to_string("/etc/passwd").context("cannot look up users in /etc/passwd")?;
    match find(&passwd, user) {
        Some(number) => Ok(number),
        None => bail!(
            "there is no user {user} on this machine; use its number if it comes from a directory service"
        ),
    }
}

fn find(passwd: &str, user: &str) -> Option<u32> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some(user)).then(|| fields.nth(1)?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nroost:x:998:997::/var/lib/roost:/bin/false\n";
        assert_eq!(find(passwd, "roost"), Some(998));
        assert_eq!(find(passwd, "roo"), None);
        assert_eq!(number("1234").unwrap(), 1234);
    }
}
