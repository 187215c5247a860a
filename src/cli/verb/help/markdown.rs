//! Renders Markdown for a terminal.
//!
//! Headings are bold, code is coloured, tables are aligned and fit the width. Without colours, the marks of
//! headings and code are kept, because nothing else would distinguish them. Pictures and comments are left
//! out.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::inline::{self, Line, Run};
use super::table::Table;
use super::topics;
use crate::cli::output::style::{Paint, Tone};

/// The longest line of text in columns; longer lines are hard to read.
const TEXT: usize = 96;
/// The widest table in columns.
const TABLE: usize = 132;
/// The indentation of code.
const INDENT: &str = "    ";

/// Renders a chapter for a terminal of `width` columns.
pub(super) fn render(markdown: &str, width: usize, paint: Paint) -> String {
    let mut page = Page::new(width, paint);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.text
}

/// The rendered text so far, and the state of the elements that are being read.
struct Page {
    width: usize,
    paint: Paint,
    text: String,
    /// The text of the current paragraph, heading or cell.
    runs: Line,
    /// Tones of the spans around the current text.
    tones: Vec<Tone>,
    /// The lists around the current text: the number of the next item if the list is numbered.
    lists: Vec<Option<u64>>,
    /// Written before the next line of a list item.
    bullet: Option<String>,
    /// The address of a link, while its text is being read.
    link: Option<String>,
    table: Option<Table>,
    /// A code block, while it is being read.
    code: Option<String>,
    is_picture: bool,
    /// Whether the next block begins without a blank line, as after the start of a list item.
    is_tight: bool,
}

impl Page {
    fn new(width: usize, paint: Paint) -> Self {
        Self {
            width,
            paint,
            text: String::new(),
            runs: Line::new(),
            tones: Vec::new(),
            lists: Vec::new(),
            bullet: None,
            link: None,
            table: None,
            code: None,
            is_picture: false,
            is_tight: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            _ if self.is_picture => {}
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.tones.last().copied()),
            },
            Event::Code(code) => match self.paint {
                Paint::Colour => self.push(&code, Some(Tone::Code)),
                Paint::Plain => self.push(&format!("`{code}`"), None),
            },
            Event::SoftBreak => self.push(" ", None),
            Event::HardBreak => self.paragraph(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.tones.push(Tone::Strong);
                if self.paint == Paint::Plain {
                    self.push(marks(level), None);
                }
            }
            Tag::Strong => self.tones.push(Tone::Strong),
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            Tag::List(first) => {
                // A nested list ends the text of the item around it.
                self.paragraph();
                self.is_tight = !self.lists.is_empty();
                self.lists.push(first);
            }
            Tag::Item => self.bullet = self.lists.last_mut().map(next_bullet),
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            Tag::Image { .. } => self.is_picture = true,
            Tag::Table(alignments) => {
                self.table = Some(Table {
                    alignments,
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.paragraph(),
            TagEnd::Heading(_) => {
                self.tones.pop();
                self.paragraph();
            }
            TagEnd::Strong => {
                self.tones.pop();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_tight = false;
            }
            TagEnd::Item => {
                self.paragraph();
                self.bullet = None;
                self.is_tight = true;
            }
            TagEnd::Link => self.address(),
            TagEnd::Image => self.is_picture = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.runs);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.block(table.lines(self.width.min(TABLE)), "");
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str, tone: Option<Tone>) {
        self.runs.push(Run {
            text: text.to_owned(),
            tone: tone.unwrap_or_default(),
        });
    }

    /// Appends the target of a link: a topic or an address.
    fn address(&mut self) {
        let Some(address) = self.link.take() else {
            return;
        };
        let file = address.split('#').next().unwrap_or_default();
        let topic = file.strip_suffix(".md").and_then(topics::find);
        let is_shown = self.runs.last().is_some_and(|run| run.text == address);
        let said = match topic {
            Some(topic) => format!(" (bgproc help {})", topic.name),
            None if address.contains("://") && !is_shown => format!(" ({address})"),
            None => return,
        };
        self.push(&said, None);
    }

    /// Ends the current paragraph.
    fn paragraph(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if inline::width(&runs) == 0 {
            return;
        }
        let indent = self.indent();
        let lines = inline::wrap(&runs, self.width.min(TEXT).saturating_sub(indent.len()));
        self.block(lines, &indent);
    }

    /// Ends the current code block.
    fn code_block(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let lines = code.lines().map(|line| {
            vec![Run {
                text: line.to_owned(),
                tone: Tone::Normal,
            }]
        });
        let indent = self.indent() + INDENT;
        self.block(lines.collect(), &indent);
    }

    /// The indentation of the text of a list item.
    fn indent(&self) -> String {
        let lists = self.lists.iter();
        lists
            .map(|list| if list.is_some() { "   " } else { "  " })
            .collect()
    }

    /// Writes lines, after a blank line unless the block is tight.
    fn block(&mut self, lines: Vec<Line>, indent: &str) {
        if !self.text.is_empty() && !self.is_tight {
            self.text.push('\n');
        }
        self.is_tight = false;
        let mut bullet = self.bullet.take();
        for line in lines {
            let text = inline::paint(&line, self.paint);
            let front = match bullet.take() {
                Some(bullet) => indent.get(bullet.len()..).unwrap_or_default().to_owned() + &bullet,
                None if text.is_empty() => String::new(),
                None => indent.to_owned(),
            };
            self.text.push_str(&front);
            self.text.push_str(&text);
            self.text.push('\n');
        }
    }
}

/// The mark in front of a heading.
fn marks(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "# ",
        HeadingLevel::H2 => "## ",
        _ => "### ",
    }
}

/// The bullet of a list's next item.
fn next_bullet(list: &mut Option<u64>) -> String {
    match list {
        Some(number) => {
            let bullet = format!("{number}. ");
            *number += 1;
            bullet
        }
        None => "- ".to_owned(),
    }
}
