//! Tests of what a machine lacks.

use super::*;
use crate::images::NamedImage;

fn here(states: &[(&str, &str)]) -> Here {
    let own = |(reference, state): &(&str, &str)| ((*reference).to_owned(), (*state).to_owned());
    Here {
        states: states.iter().map(own).collect(),
        ..Here::default()
    }
}

fn found(catalogue: &Catalogue, image: Option<&str>, needs: &[Need], here: &Here) -> Vec<Lack> {
    lacks(catalogue, Wanted { image, needs }, here)
}

fn kinds(lacks: &[Lack]) -> Vec<Kind> {
    lacks.iter().map(|lack| lack.what).collect()
}

#[test]
fn image_is_lacking_when_it_is_missing_differs_or_is_unfit() {
    let catalogue = Catalogue::new("roost-agent:rust", &[]);
    for (state, expected) in [
        ("ready", None),
        ("unknown", None),
        ("missing", Some(Kind::ImageMissing)),
        ("wrong-digest", Some(Kind::ImageDiffers)),
        ("unfit", Some(Kind::ImageUnfit)),
    ] {
        let here = here(&[("roost-agent:node", state), ("roost-agent:rust", "missing")]);
        let lacks = found(&catalogue, Some("node"), &[], &here);
        assert_eq!(kinds(&lacks), Vec::from_iter(expected), "{state}");
        for lack in lacks {
            assert!(lack.detail.contains("`node`"), "{lack:?}");
            let build = "Run `deploy/agent-image/build.sh --recipe node` on the gateway's host.";
            assert_eq!(lack.remedy, build);
        }
    }
}

#[test]
fn machine_that_reported_nothing_lacks_nothing() {
    let catalogue = Catalogue::new("roost-agent:rust", &[]);
    assert_eq!(found(&catalogue, Some("node"), &[], &Here::default()), []);
}

#[test]
fn remedy_names_the_machine_and_the_origin_of_the_image() {
    let named = NamedImage::parse("data=registry.example/data:3").unwrap();
    let catalogue = Catalogue::new("roost-agent:rust", &[named]);
    let missing = |image: &str, reference: &str, machine: Option<&str>| {
        let here = Here {
            machine: machine.map(str::to_owned),
            ..here(&[(reference, "missing")])
        };
        found(&catalogue, Some(image), &[], &here).remove(0)
    };
    let pulled = missing("data", "registry.example/data:3", None);
    assert_eq!(
        pulled.remedy,
        "Run `docker pull registry.example/data:3` on the gateway's host."
    );
    let studio = missing("data", "registry.example/data:3", Some("studio"));
    assert!(
        studio.detail.contains("not on the machine studio"),
        "{studio:?}"
    );
    assert_eq!(
        studio.remedy,
        "Run `roostd image pull registry.example/data:3` on the machine studio."
    );
    let copied = missing("node", "roost-agent:node", Some("studio"));
    assert!(
        copied.remedy.contains("`roostd image import`"),
        "{copied:?}"
    );
}

#[test]
fn unknown_name_is_lacking_with_the_names_that_exist() {
    let catalogue = Catalogue::new("roost-agent:rust", &[]);
    let lacks = found(&catalogue, Some("cobol"), &[], &Here::default());
    assert_eq!(kinds(&lacks), [Kind::NoImage]);
    assert!(
        lacks[0]
            .remedy
            .contains("base, rust, node, python, polyglot"),
        "{lacks:?}"
    );
}

#[test]
fn work_without_an_image_kind_needs_the_default_image() {
    let catalogue = Catalogue::new("roost-agent:tiny", &[]);
    let lacks = found(
        &catalogue,
        None,
        &[],
        &here(&[("roost-agent:tiny", "missing")]),
    );
    assert_eq!(kinds(&lacks), [Kind::ImageMissing]);
    assert!(lacks[0].detail.contains("`default`"), "{lacks:?}");
}

#[test]
fn shipped_image_never_meets_a_gpu_or_a_mobile_sdk() {
    let catalogue = Catalogue::new("roost-agent:rust", &[]);
    for entry in catalogue.entries() {
        let here = here(&[(&entry.reference, "ready")]);
        let lacks = found(
            &catalogue,
            Some(&entry.name),
            &[Need::Gpu, Need::MobileSdk],
            &here,
        );
        assert_eq!(
            kinds(&lacks),
            [Kind::NoGpu, Kind::NoMobileSdk],
            "{}",
            entry.name
        );
        assert!(lacks[1].remedy.contains("sandboxes.images"), "{lacks:?}");
    }
}

#[test]
fn image_of_the_configuration_may_have_the_sdk_and_a_machine_may_have_the_gpu() {
    let own = NamedImage::parse("mobile=registry.example/mobile:1").unwrap();
    let other_origin = NamedImage::parse("polyglot=registry.example/polyglot:1").unwrap();
    let catalogue = Catalogue::new("roost-agent:rust", &[own, other_origin]);
    let with_gpu = Here {
        has_gpu: true,
        ..Here::default()
    };
    let both = [Need::Gpu, Need::MobileSdk];
    assert_eq!(found(&catalogue, Some("mobile"), &both, &with_gpu), []);
    // The recipe's image from another place has the recipe's tools, and no more.
    let lacks = found(&catalogue, Some("polyglot"), &both, &with_gpu);
    assert_eq!(kinds(&lacks), [Kind::NoMobileSdk]);
}
