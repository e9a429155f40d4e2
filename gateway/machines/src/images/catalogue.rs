//! Which images the deployment has, and which one a request means. Pure.

use std::sync::Arc;

use roost_protocol::hello::WantedImage;
use roost_protocol::text;

use super::recipes;

/// The prefix of the images that `deploy/agent-image` builds.
const BUILT: &str = "roost-agent:";
/// The name of an entry for the deployment's default image, when no other entry has its reference.
const DEFAULT: &str = "default";

/// An image that the configuration names, in place of a recipe's or beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedImage {
    pub name: String,
    pub reference: String,
}

/// What is wrong with a text that is not the name of an image.
pub const IMAGE_NAME: &str = "must be 1 to 40 lower-case letters, digits, - or _";

/// Whether the text can be a name of the catalogue.
pub fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=40).contains(&text.len()) && text.chars().all(fits)
}

impl NamedImage {
    /// From `name=reference`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(words: &str) -> Result<Self, String> {
        let (name, reference) = words
            .split_once('=')
            .ok_or_else(|| format!("{words:?} must have the form name=reference"))?;
        if !is_name(name) {
            return Err(format!("{name:?} {IMAGE_NAME}"));
        }
        text::image_reference(reference).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self {
            name: name.to_owned(),
            reference: reference.to_owned(),
        })
    }
}

/// An entry of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub reference: String,
    /// The digest of a reference by digest.
    pub digest: Option<String>,
    pub purpose: String,
    pub tools: Vec<String>,
    /// The recipe that builds it, if it comes with Roost.
    pub recipe: Option<String>,
}

/// What a request for an image means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub reference: String,
    pub digest: Option<String>,
}

/// The images of the deployment; cheap to clone.
#[derive(Debug, Clone)]
pub struct Catalogue {
    entries: Arc<[Entry]>,
    usual: Arc<str>,
}

impl Catalogue {
    /// The recipes, what the configuration names, and the default image.
    pub fn new(usual: &str, named: &[NamedImage]) -> Self {
        let mut entries: Vec<Entry> = recipes::all()
            .into_iter()
            .map(|recipe| Entry {
                name: recipe.name.to_owned(),
                reference: format!("{BUILT}{}", recipe.name),
                digest: None,
                purpose: recipe.purpose,
                tools: recipe.tools,
                recipe: Some(recipe.name.to_owned()),
            })
            .collect();
        let usual_entry = NamedImage {
            name: DEFAULT.to_owned(),
            reference: usual.to_owned(),
        };
        for image in named {
            let digest = digest_of(&image.reference);
            let reference = image.reference.clone();
            match entries.iter_mut().find(|entry| entry.name == image.name) {
                // It has the recipe's tools and another origin.
                Some(entry) => {
                    (entry.reference, entry.digest, entry.recipe) = (reference, digest, None);
                }
                None => entries.push(configured(image)),
            }
        }
        if !entries.iter().any(|entry| entry.reference == usual) {
            entries.push(configured(&usual_entry));
        }
        Self {
            entries: entries.into(),
            usual: usual.into(),
        }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this name.
    pub fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// What is wrong with a name that is not in the catalogue.
    pub fn refusal(&self, name: &str) -> Option<String> {
        let names = || self.entries.iter().map(|entry| entry.name.as_str());
        let is_there = names().any(|known| known == name);
        let names: Vec<&str> = names().collect();
        (!is_there).then(|| {
            format!(
                "names no image of this deployment: must be one of {}",
                names.join(", ")
            )
        })
    }

    /// Whether the entry is the image of agents for which nobody chose one.
    pub fn is_usual(&self, entry: &Entry) -> bool {
        entry.reference == *self.usual
    }

    /// The entry that a name or a reference means; without one, that of the deployment's default.
    pub fn entry(&self, wanted: Option<&str>) -> Option<&Entry> {
        let wanted = wanted.unwrap_or(&self.usual);
        self.named(wanted)
            .or_else(|| self.entries.iter().find(|entry| entry.reference == wanted))
    }

    /// The image that a name or a reference means; without one, the deployment's default.
    pub fn choose(&self, wanted: Option<&str>) -> Chosen {
        match self.entry(wanted) {
            Some(entry) => Chosen {
                reference: entry.reference.clone(),
                digest: entry.digest.clone(),
            },
            None => {
                let wanted = wanted.unwrap_or(&self.usual);
                Chosen {
                    digest: digest_of(wanted),
                    reference: wanted.to_owned(),
                }
            }
        }
    }

    /// What machines look for.
    pub fn wanted(&self) -> Vec<WantedImage> {
        self.entries
            .iter()
            .map(|entry| WantedImage {
                reference: entry.reference.clone(),
                digest: entry.digest.clone(),
            })
            .collect()
    }
}

fn configured(image: &NamedImage) -> Entry {
    Entry {
        name: image.name.clone(),
        digest: digest_of(&image.reference),
        reference: image.reference.clone(),
        purpose: "Named in the gateway's configuration".to_owned(),
        tools: Vec::new(),
        recipe: None,
    }
}

fn digest_of(reference: &str) -> Option<String> {
    let (_, digest) = reference.split_once('@')?;
    Some(digest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[&str]) -> Vec<NamedImage> {
        words
            .iter()
            .map(|words| NamedImage::parse(words).unwrap())
            .collect()
    }

    #[test]
    fn name_means_the_catalogues_image_and_a_reference_means_itself() {
        let catalogue = Catalogue::new("roost-agent:rust", &[]);
        let chosen = |wanted: Option<&str>| catalogue.choose(wanted).reference;
        assert_eq!(chosen(None), "roost-agent:rust");
        assert_eq!(chosen(Some("node")), "roost-agent:node");
        assert_eq!(chosen(Some("mine:7")), "mine:7");
        let usual: Vec<&str> = catalogue
            .entries()
            .iter()
            .filter(|entry| catalogue.is_usual(entry))
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(usual, ["rust"]);
    }

    #[test]
    fn configuration_replaces_a_recipes_image_and_pins_a_digest() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let pinned = format!("registry.example/rust@{digest}");
        let images = named(&[&format!("rust={pinned}"), "data=registry.example/data:3"]);
        let catalogue = Catalogue::new("roost-agent:tiny", &images);
        let rust = catalogue.choose(Some("rust"));
        assert_eq!(
            (rust.reference, rust.digest),
            (pinned.clone(), Some(digest))
        );
        let rust = catalogue.named("rust").unwrap();
        assert!(rust.recipe.is_none() && rust.tools.contains(&"clippy".to_owned()));
        assert!(catalogue.named("data").is_some());
        assert_eq!(
            catalogue.named("default").unwrap().reference,
            "roost-agent:tiny"
        );
        let wanted = catalogue.wanted();
        assert!(
            wanted
                .iter()
                .any(|image| image.reference == pinned && image.digest.is_some())
        );
    }

    #[test]
    fn words_of_another_form_are_refused_with_a_reason() {
        for wrong in [
            "rust",
            "=a:1",
            "Rust=a:1",
            "a b=a:1",
            "x=--privileged",
            "x=",
        ] {
            assert!(NamedImage::parse(wrong).is_err(), "{wrong}");
        }
    }
}
