//! Translates Markdown to the source of a document. Each text becomes a string, HTML is shown as text, and an image becomes
//! its description and its address.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::markup::Markup;

/// Deeper lists, quotes and emphasis are shown as plain text.
const MOST_DEPTH: usize = 20;
/// More columns of a table are left out.
const MOST_COLUMNS: usize = 20;
/// A longer address is shown, but is not a link.
const MOST_ADDRESS: usize = 2_000;

/// Lines of one piece of code.
const MOST_LINES: usize = 200;

/// Rows of one table. A longer one goes on in another with the same head: typst needs gigabytes for some ten thousand rows.
const MOST_ROWS: usize = 200;

const TOO_DEEP: &str = "The text below is nested too deeply. It is shown without its form.";
const TOO_WIDE: &str = "This table has more columns. They are left out.";

/// Words that have a colour when they are alone in a cell.
const WORDS: [&str; 9] = [
    "critical",
    "high",
    "medium",
    "low",
    "failed",
    "regression",
    "improvement",
    "complete",
    "completed",
];

/// A translated text.
#[derive(Debug)]
pub struct Body {
    pub markup: String,
    /// The number of headings.
    pub headings: usize,
}

/// Translates a text.
pub fn translate(markdown: &str) -> Body {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut translator = Translator::default();
    for event in Parser::new_ext(markdown, options) {
        translator.event(event);
    }
    translator.flush();
    Body {
        markup: translator.out.done(),
        headings: translator.headings,
    }
}

/// What a part of the text is inside of.
#[derive(Debug, PartialEq, Eq)]
enum Frame {
    /// Something that ends with this code.
    Ends(&'static str),
    /// A paragraph, which ends with an empty line.
    Paragraph,
    /// A link that is not followed: its address is shown behind its text.
    Address(String),
    Image(String),
    Code,
    /// Something that is nested too deeply.
    Plain,
}

#[derive(Default)]
struct Translator {
    out: Markup,
    /// A text that is not written yet. Neighbours are joined.
    text: String,
    frames: Vec<Frame>,
    headings: usize,
    said_too_deep: bool,
    table: Option<Table>,
}

#[derive(Default)]
struct Table {
    column: usize,
    columns: usize,
    in_head: bool,
    rows: usize,
    /// Where its source begins.
    from: usize,
    /// Its source up to its first row.
    opening: String,
    /// The frames around the cell.
    depth: usize,
}

impl Translator {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.words(&text),
            Event::Code(text) => self.inline_code(&text),
            Event::SoftBreak => self.words(" "),
            Event::HardBreak => match self.is_hidden() {
                true => {}
                false => self.code("#linebreak();"),
            },
            Event::Rule => self.code("\n#rule();\n\n"),
            Event::TaskListMarker(done) => self.words(if done { "[x] " } else { "[ ] " }),
        }
    }

    /// Whether the cell is in a column that is left out.
    fn is_hidden(&self) -> bool {
        self.table
            .as_ref()
            .is_some_and(|table| table.column > MOST_COLUMNS)
    }

    fn words(&mut self, text: &str) {
        if !self.is_hidden() {
            self.text.push_str(text);
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.out.text(&text);
        }
    }

    fn code(&mut self, code: &str) {
        self.flush();
        self.out.code(code);
    }

    fn inline_code(&mut self, text: &str) {
        if self.is_hidden() {
            return;
        }
        if matches!(self.frames.last(), Some(Frame::Image(_))) {
            return self.words(text);
        }
        self.code("#raw(");
        self.out.string(text);
        self.out.code(");");
    }

    fn open(&mut self, code: &str, end: &'static str) {
        self.code(code);
        self.frames.push(Frame::Ends(end));
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.is_hidden() {
            // A hidden cell keeps no text, so what begins in it needs no form.
            return self.frames.push(Frame::Plain);
        }
        let is_leaf = matches!(
            tag,
            Tag::Paragraph
                | Tag::HtmlBlock
                | Tag::TableHead
                | Tag::TableRow
                | Tag::TableCell
                | Tag::Item
        );
        if !is_leaf && self.frames.len() >= MOST_DEPTH {
            if !self.said_too_deep {
                self.said_too_deep = true;
                self.note(TOO_DEEP);
            }
            return self.frames.push(Frame::Plain);
        }
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.frames.push(Frame::Paragraph),
            Tag::Heading { level, .. } => self.heading(level),
            Tag::BlockQuote(_) => self.open("\n#said[", "];\n\n"),
            Tag::CodeBlock(kind) => self.code_block(&kind),
            Tag::List(None) => self.open("\n#list(", ");\n\n"),
            Tag::List(Some(first)) => {
                self.code("\n#enum(start: ");
                self.out.number(first.min(999_999_999));
                self.open(", ", ");\n\n");
            }
            // A list that is too deep has no form, so its items have none either.
            Tag::Item if self.frames.last() == Some(&Frame::Plain) => {
                self.words(" • ");
                self.frames.push(Frame::Plain);
            }
            Tag::Item => self.open("[", "], "),
            Tag::Emphasis => self.open("#emph[", "];"),
            Tag::Strong => self.open("#strong[", "];"),
            Tag::Strikethrough => self.open("#strike[", "];"),
            Tag::Superscript => self.open("#super[", "];"),
            Tag::Subscript => self.open("#sub[", "];"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.words("[image: ");
                self.frames.push(Frame::Image(dest_url.into_string()));
            }
            Tag::Table(alignment) => self.start_table(&alignment),
            Tag::TableHead => self.start_row(true),
            Tag::TableRow => self.start_row(false),
            Tag::TableCell => self.start_cell(),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => self.frames.push(Frame::Paragraph),
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        self.headings += 1;
        self.code("\n#heading(level: ");
        self.out.number(level as u64);
        self.open(")[", "];\n\n");
    }

    fn code_block(&mut self, _: &CodeBlockKind<'_>) {
        self.flush();
        self.frames.push(Frame::Code);
    }

    fn link(&mut self, address: &str) {
        let is_web = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| address.starts_with(scheme));
        match is_web && address.len() <= MOST_ADDRESS {
            true => {
                self.code("#link(");
                self.out.exact(address);
                self.open(")[", "];");
            }
            false => self.frames.push(Frame::Address(address.to_owned())),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Table => return self.end_table(),
            TagEnd::TableHead => return self.end_row("), ("),
            TagEnd::TableRow => return self.end_row(""),
            TagEnd::TableCell => return self.end_cell(),
            _ => {}
        }
        match self.frames.pop() {
            Some(Frame::Ends(code)) => self.code(code),
            Some(Frame::Paragraph) => self.code("\n\n"),
            Some(Frame::Address(address)) => self.words(&format!(" ({address})")),
            Some(Frame::Image(address)) => self.words(&format!(", {address}]")),
            Some(Frame::Code) => {
                let text = std::mem::take(&mut self.text);
                let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
                self.out.code("\n#code(");
                for piece in lines.chunks(MOST_LINES) {
                    self.out.string(&piece.join("\n"));
                    self.out.code(", ");
                }
                self.out.code(");\n\n");
            }
            Some(Frame::Plain) => self.words(" "),
            None => {}
        }
    }

    fn note(&mut self, words: &str) {
        self.code("#note(");
        self.out.string(words);
        self.out.code(");");
        self.out.text(" ");
    }

    fn start_table(&mut self, alignment: &[Alignment]) {
        if alignment.len() > MOST_COLUMNS {
            self.note(TOO_WIDE);
        }
        self.flush();
        let from = self.out.length();
        self.out.code("\n#rows((");
        for alignment in alignment.iter().take(MOST_COLUMNS) {
            self.out.code(match alignment {
                Alignment::None | Alignment::Left => "left, ",
                Alignment::Center => "center, ",
                Alignment::Right => "right, ",
            });
        }
        self.out.code("), ");
        self.table = Some(Table {
            columns: alignment.len().min(MOST_COLUMNS),
            from,
            ..Table::default()
        });
        self.frames.push(Frame::Ends("));\n\n"));
    }

    fn start_row(&mut self, in_head: bool) {
        if let Some(table) = &mut self.table {
            (table.column, table.in_head) = (0, in_head);
            if in_head {
                return self.code("(");
            }
            table.rows += 1;
            if table.rows > MOST_ROWS {
                table.rows = 1;
                let opening = table.opening.clone();
                self.code("));\n\n");
                self.out.code(&opening);
            }
        } else {
            self.words(" ");
        }
    }

    fn start_cell(&mut self) {
        let depth = self.frames.len();
        let Some(table) = &mut self.table else {
            return self.words(" | ");
        };
        table.column += 1;
        table.depth = depth;
        if table.column <= MOST_COLUMNS {
            self.code("[");
        }
    }

    fn end_cell(&mut self) {
        let hidden = self.is_hidden();
        let Some(table) = &self.table else {
            return;
        };
        self.frames.truncate(table.depth);
        if hidden {
            return;
        }
        let plain = self.text.trim().to_lowercase();
        match !table.in_head && WORDS.contains(&plain.as_str()) {
            true => {
                let text = std::mem::take(&mut self.text);
                self.out.code("#word(");
                self.out.exact(&plain);
                self.out.code(", ");
                self.out.string(&text);
                self.out.code(");");
            }
            false => self.flush(),
        }
        self.out.code("], ");
    }

    fn end_row(&mut self, code: &str) {
        let Some(table) = &mut self.table else {
            return;
        };
        // pulldown-cmark fills short rows, so this only keeps a row whole if it once does not.
        for _ in table.column..table.columns {
            self.out.code("[], ");
        }
        table.column = 0;
        self.out.code(code);
        if table.in_head {
            self.out.since(table.from).clone_into(&mut table.opening);
        }
    }

    fn end_table(&mut self) {
        self.table = None;
        match self.frames.pop() {
            Some(Frame::Ends(code)) => self.code(code),
            _ => self.words(" "),
        }
    }
}
