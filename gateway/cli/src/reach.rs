//! Whether an address that is given to others leads anywhere for them. The page says the same (`ui/src/ui/reach.tsx`).

use std::io::IsTerminal;

/// Says on standard error that `who` cannot use the address in `text`, where that is so.
pub(super) fn warn(text: &str, who: &str) {
    let Some(host) = loopback_host(text) else {
        return;
    };
    let bold = std::io::stderr().is_terminal();
    let (on, off) = if bold {
        ("\u{1b}[1m", "\u{1b}[0m")
    } else {
        ("", "")
    };
    eprintln!(
        "{on}{who} cannot reach this address.{off} {host} works only on the gateway's own machine. To change it, an \
         operator sets `public_url` in roost.toml and restarts Roost."
    );
}

/// The host, with its port, of an address that means "this machine" wherever it is used.
fn loopback_host(text: &str) -> Option<String> {
    let from = text.find("http://").or_else(|| text.find("https://"))?;
    let ends = |c: char| c.is_whitespace() || "\"'<>".contains(c);
    let address = text[from..].split(ends).next()?;
    let url = url::Url::parse(address).ok()?;
    let here = match url.host()? {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(ip) => ip.is_loopback() || ip.is_unspecified(),
        url::Host::Ipv6(ip) => {
            let mapped = ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback());
            ip.is_loopback() || ip.is_unspecified() || mapped
        }
    };
    let host = url.host_str()?;
    let port = url
        .port()
        .map_or_else(String::new, |port| format!(":{port}"));
    here.then(|| format!("{host}{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_means_this_machine_is_known_in_every_spelling() {
        for (text, host) in [
            ("roostd join --url http://127.0.0.1:7667", "127.0.0.1:7667"),
            ("curl -fsS \"https://localhost/install\"", "localhost"),
            ("http://roost.localhost:80/x", "roost.localhost"),
            ("http://[::1]:7667", "[::1]:7667"),
            ("http://[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
            ("http://0.0.0.0:1", "0.0.0.0:1"),
        ] {
            assert_eq!(loopback_host(text).as_deref(), Some(host), "{text}");
        }
        for text in [
            "roostd join --url https://roost.example.com",
            "http://10.0.0.7:7667",
            "http://localhost.example.com",
            "no address",
        ] {
            assert_eq!(loopback_host(text), None, "{text}");
        }
    }
}
