//! What a machine lacks for some work: its image, and what no image of Roost has. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::catalogue::{Catalogue, Entry};

/// What work needs beside the tools of its image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxNeed)]
pub enum Need {
    /// A graphics processor that commands can use.
    Gpu,
    /// The SDK of Android or iOS.
    MobileSdk,
}

/// An image and other needs of some work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// A name of the catalogue; the deployment's default image when it is absent.
    pub image: Option<&'a str>,
    pub needs: &'a [Need],
}

/// The machine that a sandbox would be made on, and what it last said about images.
#[derive(Debug, Clone, Default)]
pub struct Here {
    /// The machine's name; absent for the gateway's own host.
    pub machine: Option<String>,
    /// Reference and state. An image that is not in the list is unknown, which is not a lack.
    pub states: Vec<(String, String)>,
    /// Whether a sandbox there can use a GPU.
    pub has_gpu: bool,
}

/// The kind of a lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxLackKind)]
pub enum Kind {
    /// The catalogue has no image of this name.
    NoImage,
    /// The machine does not have the image.
    ImageMissing,
    /// The machine has another image under this reference than the configuration demands.
    ImageDiffers,
    /// The image cannot be a sandbox.
    ImageUnfit,
    NoGpu,
    NoMobileSdk,
}

/// Something that is missing, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SandboxLack)]
pub struct Lack {
    pub what: Kind,
    /// What is missing, as a sentence.
    pub detail: String,
    /// What to do about it, as one or two sentences.
    pub remedy: String,
}

/// Everything that is missing on the machine. Empty when the work can begin.
pub fn lacks(catalogue: &Catalogue, wanted: Wanted<'_>, here: &Here) -> Vec<Lack> {
    let entry = match wanted.image {
        Some(name) => catalogue.named(name),
        None => catalogue
            .entries()
            .iter()
            .find(|one| catalogue.is_usual(one)),
    };
    let of_image = match (entry, wanted.image) {
        (Some(entry), _) => of_image(entry, here),
        (None, Some(name)) => Some(no_image(catalogue, name)),
        (None, None) => None,
    };
    let of_needs = wanted
        .needs
        .iter()
        .filter_map(|need| unmet(*need, entry, here));
    of_image.into_iter().chain(of_needs).collect()
}

fn no_image(catalogue: &Catalogue, name: &str) -> Lack {
    let names: Vec<&str> = catalogue
        .entries()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    Lack {
        what: Kind::NoImage,
        detail: format!("This deployment has no image `{name}`."),
        remedy: format!(
            "Choose one of {}, or add `{name}=<reference>` to `sandboxes.images` in the gateway's configuration.",
            names.join(", ")
        ),
    }
}

fn of_image(entry: &Entry, here: &Here) -> Option<Lack> {
    let (_, state) = here
        .states
        .iter()
        .find(|(reference, _)| *reference == entry.reference)?;
    let (name, at) = (&entry.name, at(here));
    let (what, detail) = match state.as_str() {
        "missing" => (
            Kind::ImageMissing,
            format!("Image `{name}` is not on {at}."),
        ),
        "wrong-digest" => (
            Kind::ImageDiffers,
            format!("Image `{name}` on {at} has another digest than the configuration demands."),
        ),
        "unfit" => (
            Kind::ImageUnfit,
            format!("Image `{name}` on {at} cannot be a sandbox."),
        ),
        _ => return None,
    };
    let (by_recipe, pull) = match &here.machine {
        None => (
            "Run `deploy/agent-image/build.sh --recipe",
            "Run `docker pull",
        ),
        Some(_) => (
            "Copy the image there with `docker save` and `roostd image import`, or run `deploy/agent-image/build.sh --recipe",
            "Run `roostd image pull",
        ),
    };
    let remedy = match &entry.recipe {
        Some(recipe) => format!("{by_recipe} {recipe}` on {at}."),
        None => format!("{pull} {}` on {at}.", entry.reference),
    };
    Some(Lack {
        what,
        detail,
        remedy,
    })
}

fn at(here: &Here) -> String {
    match &here.machine {
        None => "the gateway's host".to_owned(),
        Some(machine) => format!("the machine {machine}"),
    }
}

fn unmet(need: Need, entry: Option<&Entry>, here: &Here) -> Option<Lack> {
    match need {
        Need::Gpu if here.has_gpu => None,
        Need::Gpu => Some(Lack {
            what: Kind::NoGpu,
            detail: "Sandboxes have no GPU, on any machine and in any image.".to_owned(),
            remedy: "Go on without one: the agents write kernels and tests, and say what remains uncompiled or \
                     unmeasured. Measure on a machine outside Roost."
                .to_owned(),
        }),
        // Only the catalogue's own images have a list of tools. What an image of the configuration contains is known to
        // the operator who named it.
        Need::MobileSdk if entry.is_some_and(|entry| entry.tools.is_empty()) => None,
        Need::MobileSdk => Some(Lack {
            what: Kind::NoMobileSdk,
            detail: "No image that comes with Roost has a mobile SDK (Android or iOS).".to_owned(),
            remedy: "Name an image of your own in `sandboxes.images` of the gateway's configuration (such as \
                     `mobile=registry.example/mobile:1`), and choose it for the team. Or go on without one: the agents \
                     run only what needs no SDK."
                .to_owned(),
        }),
    }
}

#[cfg(test)]
#[path = "lacks_tests.rs"]
mod tests;
