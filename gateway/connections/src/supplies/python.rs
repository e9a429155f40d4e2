//! Files of Python's releases: which of them fits a sandbox, and where the index has it.

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use url::Url;

use super::model::Hash;

/// The Python of a sandbox. A program in the sandbox says it, so each field is checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Python {
    /// 11 is Python 3.11.
    minor: u16,
    machine: Machine,
    /// Version of the C library.
    glibc: (u16, u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Machine {
    #[serde(rename = "x86_64")]
    X86,
    Aarch64,
}

impl Machine {
    const fn as_str(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }
}

impl Default for Python {
    /// That of the agent images.
    fn default() -> Self {
        Self {
            minor: 11,
            machine: Machine::X86,
            glibc: (2, 36),
        }
    }
}

impl Python {
    /// For people.
    pub(super) fn shown(&self) -> String {
        format!(
            "Python 3.{} on Linux ({})",
            self.minor,
            self.machine.as_str()
        )
    }

    /// How well a file fits; `None` when it does not. A wheel fits better than a source archive, which needs a build.
    pub(super) fn fit(&self, file: &str) -> Option<(u8, u8, (u16, u16))> {
        let Some(stem) = file.strip_suffix(".whl") else {
            let rank = [".zip", ".tar.gz"]
                .iter()
                .position(|end| file.ends_with(end));
            return Some((0, u8::try_from(rank?).ok()?, (0, 0)));
        };
        let mut parts = stem.rsplit('-');
        let (platforms, abis, pythons) = (parts.next()?, parts.next()?, parts.next()?);
        let platform = platforms
            .split('.')
            .filter_map(|one| self.platform(one))
            .max()?;
        let abi = abis
            .split('.')
            .flat_map(|abi| pythons.split('.').map(move |python| (python, abi)))
            .filter_map(|(python, abi)| self.interpreter(python, abi))
            .max()?;
        Some((1, abi, platform))
    }

    /// The C library that it needs. musl is another library, so its wheels have no place here.
    fn platform(&self, text: &str) -> Option<(u16, u16)> {
        if text == "any" {
            return Some((0, 0));
        }
        let kind = text
            .strip_suffix(self.machine.as_str())?
            .strip_suffix('_')?;
        let needs = match kind {
            "linux" => (0, 1),
            "manylinux1" => (2, 5),
            "manylinux2010" => (2, 12),
            "manylinux2014" => (2, 17),
            _ => {
                let (major, minor) = kind.strip_prefix("manylinux_")?.split_once('_')?;
                (major.parse().ok()?, minor.parse().ok()?)
            }
        };
        (needs <= self.glibc).then_some(needs)
    }

    fn interpreter(&self, python: &str, abi: &str) -> Option<u8> {
        let minor = |text: &str| text.parse::<u16>().ok();
        if let Some(at) = python.strip_prefix("cp3").and_then(minor) {
            let is_own = at == self.minor;
            return match abi {
                "abi3" if at <= self.minor => Some(2),
                "none" if is_own => Some(1),
                abi if is_own && abi == python => Some(3),
                _ => None,
            };
        }
        let rest = python.strip_prefix("py3")?;
        let fits = rest.is_empty() || minor(rest).is_some_and(|at| at <= self.minor);
        (fits && abi == "none").then_some(0)
    }

    /// The file that fits best.
    pub(super) fn best<T>(&self, files: impl Iterator<Item = (String, T)>) -> Option<(String, T)> {
        files
            .filter_map(|(file, of)| Some((self.fit(&file)?, file, of)))
            .max_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)))
            .map(|(_, file, of)| (file, of))
    }
}

/// The name of a project, as addresses of an index have it.
pub(super) fn normalised(name: &str) -> String {
    let mut text = String::new();
    for one in name.chars() {
        match one {
            '-' | '_' | '.' if text.ends_with('-') => {}
            '-' | '_' | '.' => text.push('-'),
            one => text.push(one.to_ascii_lowercase()),
        }
    }
    text
}

/// Whether it is the name of a wheel or a source archive of this project.
pub(super) fn is_file_of(project: &str, file: &str) -> bool {
    let is_plain = (1..=250).contains(&file.len())
        && !file.starts_with(['.', '-'])
        && !file.contains("..")
        && file
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-+!".contains(&byte));
    let project = normalised(project);
    let is_its = match file.strip_suffix(".whl") {
        Some(stem) => {
            let parts: Vec<&str> = stem.split('-').collect();
            (5..=6).contains(&parts.len()) && normalised(parts[0]) == project
        }
        None => {
            let stem = file.strip_suffix(".tar.gz").or(file.strip_suffix(".zip"));
            // The name may contain a hyphen too.
            stem.is_some_and(|stem| {
                let rest = normalised(stem);
                let rest = rest.strip_prefix(&project);
                rest.is_some_and(|rest| rest.starts_with('-'))
            })
        }
    };
    is_plain && is_its
}

/// A file that an index offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer {
    pub file: String,
    pub hash: Hash,
    pub url: Url,
}

#[derive(Deserialize)]
struct Project {
    files: Vec<ProjectFile>,
}

#[derive(Deserialize)]
struct ProjectFile {
    filename: String,
    url: String,
    hashes: ProjectHashes,
}

#[derive(Deserialize)]
struct ProjectHashes {
    sha256: Option<String>,
}

/// The files on the page of a project: JSON, else HTML. Entries without a sha256 hash have no use here.
///
/// # Errors
/// When it is neither, as the end of a sentence.
pub(super) fn offers(page: &[u8], at: &Url, project: &str) -> Result<Vec<Offer>, &'static str> {
    let text = std::str::from_utf8(page).map_err(|_| "its page is not text")?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let found: Vec<(String, Option<String>, String)> = if text.starts_with('{') {
        let page: Project =
            serde_json::from_str(text).map_err(|_| "its page is not one of the simple protocol")?;
        let files = page.files.into_iter();
        files
            .map(|file| (file.url, file.hashes.sha256, file.filename))
            .collect()
    } else if text.starts_with('<') {
        links(text)
    } else {
        return Err("its page is not one of the simple protocol");
    };
    let offers = found.into_iter().filter_map(|(url, hash, file)| {
        let mut url = at.join(&url).ok()?;
        url.set_fragment(None);
        let hash = Hash::sha256(&hash?)?;
        is_file_of(project, &file).then_some(Offer { file, hash, url })
    });
    Ok(offers.collect())
}

/// The links of an HTML page: address, hash, and the name of the file.
fn links(text: &str) -> Vec<(String, Option<String>, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("href=") {
        rest = &rest[at + "href=".len()..];
        let Some(quote) = rest.chars().next().filter(|one| ['"', '\''].contains(one)) else {
            continue;
        };
        let Some(end) = rest[1..].find(quote) else {
            break;
        };
        let url = rest[1..=end].replace("&amp;", "&");
        rest = &rest[end + 1..];
        let (plain, fragment) = url.split_once('#').unwrap_or((&url, ""));
        let hash = fragment
            .split('&')
            .find_map(|part| part.strip_prefix("sha256="));
        let path = plain.split('?').next().unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or_default();
        let file = percent_decode_str(file).decode_utf8_lossy().into_owned();
        let hash = hash.map(str::to_owned);
        found.push((url.clone(), hash, file));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274";

    fn best<'a>(files: &[&'a str]) -> Option<&'a str> {
        let all = files.iter().map(|file| ((*file).to_owned(), *file));
        Python::default().best(all).map(|(_, file)| file)
    }

    #[test]
    fn wheel_of_the_interpreter_comes_before_others_and_a_source_archive_comes_last() {
        let own = "a-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl";
        let newer = "a-1-cp311-cp311-manylinux_2_28_x86_64.whl";
        let stable = "a-1-cp38-abi3-manylinux_2_17_x86_64.whl";
        let pure = "a-1-py2.py3-none-any.whl";
        let source = "a-1.tar.gz";
        assert_eq!(best(&[source, pure, stable, own, newer]), Some(newer));
        assert_eq!(best(&[source, pure, stable, own]), Some(own));
        assert_eq!(best(&[source, pure, stable]), Some(stable));
        assert_eq!(best(&["a-1.zip", source, pure]), Some(pure));
        assert_eq!(best(&["a-1.zip", source]), Some(source));
    }

    #[test]
    fn wheels_of_other_machines_libraries_and_interpreters_do_not_fit() {
        for file in [
            "a-1-cp311-cp311-musllinux_1_2_x86_64.whl",
            "a-1-cp311-cp311-manylinux_2_17_aarch64.whl",
            "a-1-cp311-cp311-manylinux_2_39_x86_64.whl",
            "a-1-cp311-cp311-macosx_11_0_arm64.whl",
            "a-1-cp311-cp311-win_amd64.whl",
            "a-1-cp312-cp312-manylinux_2_17_x86_64.whl",
            "a-1-cp312-abi3-manylinux_2_17_x86_64.whl",
            "a-1-cp313-cp313t-manylinux_2_17_x86_64.whl",
            "a-1-pp39-pypy39_pp73-manylinux_2_17_x86_64.whl",
            "a-1-py2-none-any.whl",
            "a-1-py312-none-any.whl",
            "a-1.egg",
        ] {
            assert_eq!(best(&[file]), None, "{file}");
        }
    }

    #[test]
    fn python_of_a_sandbox_is_refused_when_it_is_of_an_unknown_machine() {
        let said = |machine: &str| {
            let text = format!("{{\"minor\": 12, \"machine\": \"{machine}\", \"glibc\": [2, 41]}}");
            serde_json::from_str::<Python>(&text)
        };
        let arm = said("aarch64").unwrap();
        assert_eq!(arm.shown(), "Python 3.12 on Linux (aarch64)");
        assert!(
            arm.fit("a-1-cp312-cp312-manylinux_2_39_aarch64.whl")
                .is_some()
        );
        assert!(said("x86_64").is_ok());
        assert!(said("../x").is_err());
    }

    #[test]
    fn names_of_files_belong_to_their_project() {
        assert!(is_file_of(
            "Flask-Login",
            "flask_login-0.6.3-py3-none-any.whl"
        ));
        assert!(is_file_of("flask-login", "Flask-Login-0.6.3.tar.gz"));
        assert!(is_file_of("a", "a-1+cpu-1-cp311-cp311-linux_x86_64.whl"));
        for file in [
            "b-1.tar.gz",
            "a",
            "a-1.exe",
            "../a-1.tar.gz",
            "a-1/x.tar.gz",
            "b-1-py3-none-any.whl",
            "a-1..zip",
        ] {
            assert!(!is_file_of("a", file), "{file}");
        }
    }

    #[test]
    fn pages_of_both_forms_are_read() {
        let at = Url::parse("https://packages.example/simple/a/").unwrap();
        let offer = Offer {
            file: "a-1+x-py3-none-any.whl".to_owned(),
            hash: Hash::sha256(SUM).unwrap(),
            url: Url::parse("https://packages.example/files/a-1%2Bx-py3-none-any.whl").unwrap(),
        };
        let html = format!(
            "<!DOCTYPE html><a href=\"../../files/a-1%2Bx-py3-none-any.whl#sha256={SUM}\" data-x='>'>a</a>\
             <a href='other-1.tar.gz#sha256={SUM}'>b</a><a href=\"a-1.tar.gz\">no hash</a><a href=open"
        );
        assert_eq!(offers(html.as_bytes(), &at, "a"), Ok(vec![offer.clone()]));
        let json = format!(
            "{{\"meta\": {{}}, \"files\": [{{\"filename\": \"a-1+x-py3-none-any.whl\", \"url\": \
             \"/files/a-1%2Bx-py3-none-any.whl\", \"hashes\": {{\"sha256\": \"{SUM}\"}}, \"yanked\": false}}, \
             {{\"filename\": \"a-1.tar.gz\", \"url\": \"x\", \"hashes\": {{}}}}]}}"
        );
        assert_eq!(offers(json.as_bytes(), &at, "a"), Ok(vec![offer]));
        assert!(offers(b"hello", &at, "a").is_err());
        assert!(offers(b"{}", &at, "a").is_err());
        assert!(offers(b"\xff", &at, "a").is_err());
    }
}
