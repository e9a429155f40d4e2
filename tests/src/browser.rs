//! A browser for sign-ins: follows redirects, keeps cookies by host and port, runs no script.

use std::collections::BTreeMap;

use reqwest::header;
use url::Url;

/// One person's browser.
#[derive(Debug, Clone)]
pub struct Browser {
    http: reqwest::Client,
    /// Cookies by authority, then by name.
    jar: BTreeMap<String, BTreeMap<String, String>>,
}

/// The last page.
#[derive(Debug, Clone)]
pub struct Page {
    pub url: Url,
    pub status: u16,
    pub text: String,
    /// The redirect target, if it was not followed.
    pub leads_to: Option<Url>,
}

impl Browser {
    /// A browser without cookies.
    ///
    /// # Panics
    /// When TLS cannot be set up.
    #[expect(clippy::new_without_default, reason = "a browser is opened")]
    pub fn new() -> Self {
        crate::gateway::prepare_process();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(std::time::Duration::from_secs(60))
            .tls_certs_only([])
            .build();
        Self {
            http: http.expect("a client"),
            jar: BTreeMap::new(),
        }
    }

    /// Sets a cookie for the host and port of an address.
    pub fn set(&mut self, url: &Url, name: &str, value: &str) {
        let cookies = self.jar.entry(authority(url)).or_default();
        cookies.insert(name.to_owned(), value.to_owned());
    }

    /// A cookie.
    pub fn cookie(&self, url: &Url, name: &str) -> Option<&str> {
        self.jar.get(&authority(url))?.get(name).map(String::as_str)
    }

    /// Makes one request without following a redirect.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn step(&mut self, url: &Url) -> Page {
        let cookies = self.jar.entry(authority(url)).or_default();
        let line: Vec<String> = cookies.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let request = self
            .http
            .get(url.clone())
            .header("accept", "text/html,application/xhtml+xml")
            .header("cookie", line.join("; "));
        let answer = request.send().await.expect("an answer");
        for set in answer.headers().get_all(header::SET_COOKIE) {
            let set = set.to_str().expect("a cookie of text");
            let (pair, rest) = set.split_once(';').unwrap_or((set, ""));
            let (name, value) = pair.split_once('=').expect("name=value");
            let gone = rest.to_lowercase().contains("max-age=0") || rest.contains("1970");
            match gone || value.is_empty() {
                true => drop(cookies.remove(name)),
                false => drop(cookies.insert(name.to_owned(), value.to_owned())),
            }
        }
        let location = answer.headers().get(header::LOCATION);
        let leads_to = location.map(|to| {
            let to = to.to_str().expect("an address of text");
            url.join(to).expect("an address")
        });
        Page {
            url: url.clone(),
            status: answer.status().as_u16(),
            leads_to,
            text: answer.text().await.expect("a text"),
        }
    }

    /// Follows redirects until `stop` returns true for the next address, or to the end.
    ///
    /// # Panics
    /// After thirty redirects.
    pub async fn until(&mut self, url: &Url, stop: impl Fn(&Url) -> bool) -> Page {
        let mut page = self.step(url).await;
        for _ in 0..30 {
            match page.leads_to.clone() {
                Some(next) if !stop(&next) => page = self.step(&next).await,
                _ => return page,
            }
        }
        panic!("too many redirects, the last to {}", page.url);
    }

    /// Follows redirects to the end.
    pub async fn go(&mut self, url: &Url) -> Page {
        self.until(url, |_| false).await
    }
}

fn authority(url: &Url) -> String {
    url.authority().to_owned()
}
