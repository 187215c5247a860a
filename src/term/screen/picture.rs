//! Pictures of a screen, and the bytes that turn one into a later one: what is sent to those who watch.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Compat, Reports, Screen, Size, contained};
use crate::term::extras::{self, Extra, TableName};
use crate::term::paint;

/// What turns an earlier picture into a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Terminal bytes.
    pub bytes: Vec<u8>,
    /// The rows that the bytes may change, from the first to the last. The cursor may be in another one.
    pub rows: Range<u16>,
}

/// What a screen shows, for a later comparison.
#[derive(Clone)]
pub struct Picture {
    pub(super) copy: Arc<Copy>,
    /// What was fed after the copy was made.
    pub(super) fed: Vec<u8>,
}

/// A copy of what a screen shows.
pub(super) struct Copy {
    core: vt100::Screen,
    size: Size,
    reports: Reports,
    /// The table of its markers, and what the next character has.
    table: Option<TableName>,
    extra: Extra,
}

impl Picture {
    /// The emulator's screen.
    fn core(&self) -> Option<Cow<'_, vt100::Screen>> {
        if self.fed.is_empty() {
            return Some(Cow::Borrowed(&self.copy.core));
        }
        let mut core = vt100::Parser::default();
        *core.screen_mut() = self.copy.core.clone();
        contained(|| Compat::new(self.copy.size).feed(&mut core, &self.fed))?;
        Some(Cow::Owned(core.screen().clone()))
    }
}

impl Screen {
    /// Terminal bytes that repaint the whole screen with cursor and modes, on a terminal of the
    /// same size in any state.
    pub fn ansi(&self) -> Vec<u8> {
        self.repainted(&Extra::default())
    }

    /// Repaints the whole screen, on a terminal that has set what `from` says.
    fn repainted(&self, from: &Extra) -> Vec<u8> {
        let mut out = paint::whole(self.core.screen());
        self.reports().push_all(&mut out);
        self.painted(out, from)
    }

    /// Bytes for a terminal that has set what `from` says, of what [`paint`] returned.
    fn painted(&self, text: String, from: &Extra) -> Vec<u8> {
        let extras = self.extras();
        extras::paint(text, extras, from, extras.now()).into_bytes()
    }

    /// A copy for a later comparison by [`changes`](Self::changes).
    pub fn picture(&mut self) -> Picture {
        let mut verbatim = std::mem::take(&mut self.verbatim);
        let picture = verbatim.picture(|| Copy {
            core: self.core.screen().clone(),
            size: self.size,
            reports: self.reports(),
            table: self.extras().table(),
            extra: self.extras().now().clone(),
        });
        self.verbatim = verbatim;
        picture
    }

    /// What turns the picture `since` into the current screen. A full repaint if the two have
    /// different sizes or only one of them shows the alternate screen.
    pub fn changes(&self, since: &Picture) -> Changes {
        if let Some(changes) = self.verbatim.since(since) {
            return changes;
        }
        let (screen, before) = (self.core.screen(), &since.copy);
        // A first marker does not change what the picture shows.
        let has_other_markers = before.table.is_some() && before.table != self.extras().table();
        let is_comparable = before.size == self.size
            && before.core.alternate_screen() == screen.alternate_screen()
            && !has_other_markers;
        let core = is_comparable.then(|| since.core()).flatten();
        let Some(core) = core else {
            return Changes {
                bytes: self.repainted(&before.extra),
                rows: 0..self.size.rows(),
            };
        };
        let (mut out, rows) = paint::difference(screen, &core);
        self.reports().push_change(before.reports, &mut out);
        Changes {
            bytes: self.painted(out, &before.extra),
            rows,
        }
    }
}
