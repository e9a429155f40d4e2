//! What typst may see: two texts in memory and the fonts in the program. No disk, no network, no packages, no clock.

use std::sync::LazyLock;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};

/// The look of all documents. It is the only code of typst that is not made from escaped texts.
const STYLE: &str = include_str!("style.typ");

/// The fonts that are part of the program.
static FONTS: LazyLock<Vec<Font>> = LazyLock::new(|| {
    typst_assets::fonts()
        .flat_map(|data| Font::iter(Bytes::new(data)))
        .collect()
});

/// The two files of a document.
pub struct Document {
    library: LazyHash<Library>,
    book: LazyHash<FontBook>,
    main: Source,
    style: Source,
}

impl Document {
    /// The world of the document with this source.
    pub fn new(source: String) -> Self {
        Self {
            library: LazyHash::new(Library::default()),
            book: LazyHash::new(FontBook::from_fonts(FONTS.iter())),
            main: Source::new(file("/main.typ"), source),
            style: Source::new(file("/style.typ"), STYLE.to_owned()),
        }
    }

    fn known(&self, id: FileId) -> FileResult<&Source> {
        [&self.main, &self.style]
            .into_iter()
            .find(|source| source.id() == id)
            .ok_or(FileError::AccessDenied)
    }
}

/// Whether a font has a glyph for the character.
pub fn has_glyph(c: char) -> bool {
    FONTS
        .iter()
        .any(|font| font.info().coverage.contains(u32::from(c)))
}

fn file(path: &str) -> FileId {
    let path = VirtualPath::new(path).expect("the path is a constant");
    RootedPath::new(VirtualRoot::Project, path).intern()
}

impl World for Document {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    fn main(&self) -> FileId {
        self.main.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.known(id).cloned()
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        let source = self.known(id)?;
        Ok(Bytes::from_string(source.clone()))
    }

    fn font(&self, index: usize) -> Option<Font> {
        FONTS.get(index).cloned()
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
