//! Turns painted text with markers into the sequences that they stand for.

use std::fmt::Write as _;
use std::sync::Arc;

use super::marker::has_any;
use super::{Extra, Extras, Link, Marker};
use crate::term::compat::{REPLACEMENT, columns};
use crate::term::control::Function;

/// The text with sequences for attributes and links in place of markers, and U+FFFD in place of
/// [`REPLACEMENT`]. `from` is what the terminal has set before, and `to` what it has set afterwards.
pub fn paint(text: String, extras: &Extras, from: &Extra, to: &Extra) -> String {
    let is_plain = from.is_none() && to.is_none() && !has_any(&text);
    if is_plain && !text.contains(REPLACEMENT) {
        return text;
    }
    let mut painter = Painter {
        out: String::with_capacity(text.len()),
        now: from.clone(),
    };
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_control() {
            rest = painter.sequence(rest);
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if Marker::of(c).is_some() {
            continue;
        }
        if columns(c) > Some(0) {
            painter.set(extra_of(rest, extras).unwrap_or(&Extra::default()));
        }
        painter.out.push(match c {
            REPLACEMENT => char::REPLACEMENT_CHARACTER,
            c => c,
        });
    }
    painter.set(to);
    painter.out
}

/// What a cell has whose text continues with `rest`.
fn extra_of<'a>(rest: &str, extras: &'a Extras) -> Option<&'a Extra> {
    let mut more = rest.chars().take_while(|&c| columns(c) == Some(0));
    extras.get(more.find_map(Marker::of)?)
}

struct Painter {
    out: String,
    /// What the terminal has set.
    now: Extra,
}

impl Painter {
    /// Passes on a control character or sequence. Returns what follows.
    fn sequence<'a>(&mut self, text: &'a str) -> &'a str {
        let length = match Function::first(text.as_bytes()) {
            Some((function, length)) => {
                if let Function::Sgr(params) = function {
                    self.now.style.apply(params);
                }
                length
            }
            None => 1,
        };
        let (sequence, rest) = text.split_at(length);
        self.out.push_str(sequence);
        rest
    }

    fn set(&mut self, wanted: &Extra) {
        if self.now == *wanted {
            return;
        }
        wanted.style.push_change(self.now.style, &mut self.out);
        if self.now.link != wanted.link {
            push_link(wanted.link.as_ref(), &mut self.out);
        }
        self.now = wanted.clone();
    }
}

/// Appends the sequence that begins a link, or ends it.
fn push_link(link: Option<&Arc<Link>>, out: &mut String) {
    let (id, uri) = link.map_or(("", ""), |link| (&*link.id, &*link.uri));
    let id = if id.is_empty() {
        ""
    } else {
        &format!("id={id}")
    };
    let _ = write!(out, "\x1b]8;{id};{uri}\x1b\\");
}
