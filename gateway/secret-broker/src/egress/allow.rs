//! The allow-list of a record: scheme, host and port exactly, method, path prefix by whole segments. Denied by default.

use roost_secret_broker::wire::{Allow, Fault, FaultCode, GIT, GIT_PUSH, Inject};
use url::Url;

use super::AddressPolicy;

/// Longest URL of a request, bytes.
const LONGEST: usize = 8 * 1024;
/// Most entries of a list.
const MOST: usize = 32;

/// A request URL that may be dialled with the record's secret.
#[derive(Debug)]
pub struct Target {
    pub method: http::Method,
    pub url: Url,
}

impl Target {
    /// Checks a request against a record's list.
    ///
    /// # Errors
    /// [`FaultCode::NotAllowed`] or [`FaultCode::BadRequest`], with the request's URL without its query.
    pub fn check(
        method: &str,
        url: &str,
        allow: &[Allow],
        policy: &AddressPolicy,
    ) -> Result<Self, Fault> {
        let bad = |detail: &str| Fault::new(FaultCode::BadRequest, detail);
        if url.len() > LONGEST {
            return Err(bad("the address of the request is over 8 KiB"));
        }
        let url = Url::parse(url).map_err(|_| bad("the address of the request is not a URL"))?;
        let method = method
            .parse::<http::Method>()
            .map_err(|_| bad("the method of the request is not valid"))?;
        if method == http::Method::CONNECT || method == http::Method::TRACE {
            // A TRACE answer repeats the request with its credential.
            return Err(bad("CONNECT and TRACE are never forwarded"));
        }
        if matches!(method.as_str(), GIT | GIT_PUSH) {
            return Err(bad(
                "GIT and GIT-PUSH are not HTTP methods: in an allow-list they stand for git_fetch and git_push",
            ));
        }
        Self::covered(method, url, allow, policy)
    }

    /// Checks a repository's address against a record's list.
    ///
    /// # Errors
    /// As for [`check`](Self::check).
    pub fn check_repository(
        url: &str,
        allow: &[Allow],
        policy: &AddressPolicy,
    ) -> Result<Url, Fault> {
        let bad = |detail: &str| Fault::new(FaultCode::BadRequest, detail);
        if url.len() > LONGEST {
            return Err(bad("the address of the repository is over 8 KiB"));
        }
        let url = Url::parse(url).map_err(|_| bad("the address of the repository is not a URL"))?;
        if url.query().is_some() || url.fragment().is_some() || url.path().ends_with('/') {
            return Err(bad(
                "the address of a repository has no query, no # and no / at its end",
            ));
        }
        let git = GIT.parse().map_err(|_| bad("GIT is not a method"))?;
        Ok(Self::covered(git, url, allow, policy)?.url)
    }

    /// Checks a repository's address for a push, which also reads.
    ///
    /// # Errors
    /// As for [`check`](Self::check).
    pub fn check_push(url: &str, allow: &[Allow], policy: &AddressPolicy) -> Result<Url, Fault> {
        let url = Self::check_repository(url, allow, policy)?;
        let push = GIT_PUSH
            .parse()
            .map_err(|_| Fault::new(FaultCode::BadRequest, "GIT-PUSH is not a method"))?;
        Self::covered(push, url, allow, policy)
            .map(|target| target.url)
            .map_err(|fault| match fault.code {
                FaultCode::NotAllowed => Fault::new(
                    FaultCode::NotAllowed,
                    "this account was connected before pushes existed, or without the right to push; connect it again",
                ),
                _ => fault,
            })
    }

    fn covered(
        method: http::Method,
        url: Url,
        allow: &[Allow],
        policy: &AddressPolicy,
    ) -> Result<Self, Fault> {
        let bad = |detail: &str| Fault::new(FaultCode::BadRequest, detail);
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("the address of the request carries a user"));
        }
        let host = url
            .host_str()
            .ok_or_else(|| bad("the address of the request has no host"))?;
        match url.scheme() {
            "https" => {}
            "http" if policy.may_be_plain(host) => {}
            "http" => {
                return Err(Fault::new(
                    FaultCode::NotAllowed,
                    format!(
                        "{host} would get the secret without TLS; use https, or name the host in `outbound.allow_private`"
                    ),
                ));
            }
            scheme => return Err(bad(&format!("{scheme} is not forwarded, only https"))),
        }
        if climbs(url.path()) {
            return Err(bad(
                "the path of the request contains `..`, perhaps encoded",
            ));
        }
        let origin = url.origin().ascii_serialization();
        let covered = allow.iter().any(|entry| {
            entry.origin == origin
                && entry
                    .methods
                    .iter()
                    .any(|allowed| allowed == method.as_str())
                && is_below(&entry.path_prefix, url.path())
        });
        if !covered {
            return Err(Fault::new(
                FaultCode::NotAllowed,
                format!(
                    "no entry of the connection's allow-list covers {method} {origin}{}",
                    url.path()
                ),
            ));
        }
        Ok(Self { method, url })
    }
}

/// Compares whole segments: `/a` covers `/a` and `/a/b`, not `/ab`. A segment `*` covers any one segment that is not
/// empty: `/a/*/c` covers `/a/b/c`, not `/a/c` and not `/a/b/b/c`.
fn is_below(prefix: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let mut wanted = prefix.trim_end_matches('/').split('/');
    wanted.all(|wanted| match (wanted, segments.next()) {
        ("*", Some(segment)) => !segment.is_empty(),
        (wanted, segment) => segment == Some(wanted),
    })
}

/// Whether some server could read `..` in the path. The path is decoded as often as a server might decode it.
fn climbs(path: &str) -> bool {
    let mut bytes = path.as_bytes().to_vec();
    for _ in 0..4 {
        let segments = bytes.split(|byte| matches!(byte, b'/' | b'\\'));
        if segments.clone().any(|segment| {
            // Some servers read the text after a semicolon as a parameter.
            let name = segment
                .split(|byte| *byte == b';')
                .next()
                .unwrap_or(segment);
            name == b".." || name == b"."
        }) {
            return true;
        }
        let decoded = decode(&bytes);
        if decoded == bytes {
            return false;
        }
        bytes = decoded;
    }
    // Still encoded after four rounds: no honest client sends that.
    true
}

fn decode(bytes: &[u8]) -> Vec<u8> {
    let digit = |at: usize| bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(0));
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// Checks a list before it is stored.
///
/// # Errors
/// [`FaultCode::BadRequest`].
pub fn check_allow(allow: &[Allow]) -> Result<(), Fault> {
    let bad = |detail: String| Err(Fault::new(FaultCode::BadRequest, detail));
    if allow.len() > MOST {
        return bad(format!("an allow-list has at most {MOST} entries"));
    }
    for entry in allow {
        let normal = Url::parse(&entry.origin)
            .ok()
            .filter(|url| matches!(url.scheme(), "https" | "http"))
            .map(|url| url.origin().ascii_serialization());
        if normal.as_deref() != Some(entry.origin.as_str()) {
            return bad(
                "an allowed origin is scheme, host and port alone, as https://api.example.com"
                    .to_owned(),
            );
        }
        if entry
            .methods
            .iter()
            .any(|method| method.parse::<http::Method>().is_err())
        {
            return bad("an allowed method is not valid".to_owned());
        }
        if !entry.path_prefix.starts_with('/')
            || entry.path_prefix.len() > 1024
            || climbs(&entry.path_prefix)
        {
            return bad("an allowed path begins with / and contains no `..`".to_owned());
        }
    }
    Ok(())
}

/// Checks how the secret is put into requests, before it is stored.
///
/// # Errors
/// [`FaultCode::BadRequest`].
pub fn check_inject(inject: &Inject) -> Result<(), Fault> {
    let bad = |detail| Err(Fault::new(FaultCode::BadRequest, detail));
    match inject {
        Inject::Header { name, prefix } => {
            if name.parse::<http::HeaderName>().is_err() || super::headers::is_ours(name) {
                return bad("the name of the secret's header is not valid");
            }
            if prefix.len() > 64 || http::HeaderValue::from_str(prefix).is_err() {
                return bad("the prefix in the secret's header is not valid");
            }
        }
        Inject::Basic { user }
            if user.len() > 256 || user.contains(':') || user.chars().any(char::is_control) =>
        {
            return bad(
                "the user beside the secret has no colon, no control character, and at most 256 bytes",
            );
        }
        Inject::Query { name } if name.is_empty() || name.len() > 64 => {
            return bad("the secret's name in the query has 1 to 64 bytes");
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn list() -> Vec<Allow> {
        vec![Allow {
            origin: "https://api.example.com".into(),
            methods: vec!["GET".into(), "POST".into()],
            path_prefix: "/repos".into(),
        }]
    }

    #[rstest]
    #[case("GET", "https://api.example.com/repos", true)]
    #[case("GET", "https://api.example.com/repos/a?page=2", true)]
    #[case("GET", "https://API.example.com:443/repos/group%2Fproject", true)]
    #[case("DELETE", "https://api.example.com/repos", false)]
    #[case("get", "https://api.example.com/repos", false)]
    #[case("GET", "https://api.example.com/repository", false)]
    #[case("GET", "https://api.example.com/", false)]
    #[case("GET", "https://api.example.com:444/repos", false)]
    #[case("GET", "http://api.example.com/repos", false)]
    #[case("GET", "https://api.example.com.evil.example/repos", false)]
    #[case("GET", "https://evil.example/https://api.example.com/repos", false)]
    #[case("GET", "https://api.example.com@evil.example/repos", false)]
    #[case("GET", "https://user:word@api.example.com/repos", false)]
    #[case("GET", "https://api.example.com/repos/../admin", false)]
    #[case("GET", "https://api.example.com/repos/%2e%2e/admin", false)]
    #[case("GET", "https://api.example.com/repos/..%2fadmin", false)]
    #[case("GET", "https://api.example.com/repos/%252e%252e%252fadmin", false)]
    #[case("GET", "https://api.example.com/repos/..;x=1/admin", false)]
    #[case("GET", "https://api.example.com/repos/..%5cadmin", false)]
    #[case("TRACE", "https://api.example.com/repos", false)]
    #[case("GET", "file:///etc/passwd", false)]
    #[case("GET", "not a url", false)]
    fn only_requests_on_the_list_are_dialled(
        #[case] method: &str,
        #[case] url: &str,
        #[case] fine: bool,
    ) {
        let checked = Target::check(method, url, &list(), &AddressPolicy::default());
        assert_eq!(checked.is_ok(), fine, "{checked:?}");
    }

    #[rstest]
    #[case("https://api.example.com/repos/acme/tools/pulls", true)]
    #[case("https://api.example.com/repos/acme/tools/pulls/7/comments", true)]
    #[case("https://api.example.com/repos/group%2Fproject/tools/pulls", true)]
    #[case("https://api.example.com/repos/acme/tools/pulls-of-mine", false)]
    #[case("https://api.example.com/repos/acme/tools", false)]
    #[case("https://api.example.com/repos/acme/tools/hooks", false)]
    #[case("https://api.example.com/repos/acme//pulls", false)]
    #[case("https://api.example.com/repos/acme/pulls", false)]
    #[case("https://api.example.com/repos/acme/more/tools/pulls", false)]
    fn star_covers_exactly_one_segment(#[case] url: &str, #[case] fine: bool) {
        let list = [Allow {
            path_prefix: "/repos/*/*/pulls".into(),
            ..list().remove(0)
        }];
        let checked = Target::check("POST", url, &list, &AddressPolicy::default());
        assert_eq!(checked.is_ok(), fine, "{checked:?}");
    }

    #[test]
    fn record_without_a_list_is_refused_and_the_error_has_no_query() {
        let asked = "https://api.example.com/repos?word=hidden-in-the-query";
        let fault = Target::check("GET", asked, &[], &AddressPolicy::default()).unwrap_err();
        assert_eq!(fault.code, FaultCode::NotAllowed);
        assert!(!fault.detail.contains("hidden"), "{fault}");
    }

    #[rstest]
    #[case("https://api.example.com/", "/")]
    #[case("https://api.example.com", "repos")]
    #[case("https://api.example.com", "/a/../b")]
    #[case("https://*.example.com/x", "/")]
    #[case("ftp://api.example.com", "/")]
    fn invalid_allow_list_is_not_stored(#[case] origin: &str, #[case] path: &str) {
        let entry = Allow {
            origin: origin.into(),
            methods: vec!["GET".into()],
            path_prefix: path.into(),
        };
        assert!(check_allow(&[entry]).is_err());
    }
}
